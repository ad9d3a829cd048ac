"""The script that measures pages: what its table says of the rounds."""

import importlib

import pytest

from benchmarks.app_server import BARE
from benchmarks.pages import NEXT_CASE, cell, in_order, lines, summary
from dashboard import pages

FOUND = [(3.0, 3.5), (0.4, 0.6), (0.6, 0.9), (0.5, 0.5)]
BASE = [(9.0, 9.0), (0.2, 0.2), (0.2, 0.3), (0.4, 0.4)]


def test_the_first_round_stands_apart_and_each_other_is_held_against_the_bare_page_of_the_same():
    found = summary(FOUND, BASE)
    assert (found["first"], found["median"], found["largest"], found["last change"]) == (3.0, 0.5, 0.6, 0.6)
    assert (found["ratio"], found["largest ratio"]) == (pytest.approx(2.0), pytest.approx(3.0))
    assert cell(found) == "2.00: 0.50 s (3.00, 0.60)"


@pytest.mark.parametrize(("ratio", "shown"), [(4.0, "4.00:"), (4.01, "**4.01**:")])
def test_what_is_above_the_bar_is_bold(ratio, shown):
    assert cell({"ratio": ratio, "first": 2.0, "median": 1.0, "largest": 2.0}).split()[0] == shown


def test_a_page_that_one_data_set_lacks_has_an_empty_cell():
    one = summary(FOUND, BASE)
    figures = {
        "cancer": {BARE: summary(BASE, BASE) | {"load": 0.6}, "map": one | {"load": 0.5}},
        "digits": {"case": one | {"load": 2.0}},
    }
    table = lines({"processor": "P"}, figures)
    assert table[0].startswith("Machine: processor P. Load ")
    assert table[0].endswith(": 0.5 to 2.0; rounds after the first: 3.")
    assert table[-4:-2] == ["| map | 2.00: 0.50 s (3.00, 0.60) |  |", "| case |  | 2.00: 0.50 s (3.00, 0.60) |"]
    assert table[-1] == "cancer: median of all pages 2.00; digits: median of all pages 2.00."


def test_pages_stand_in_the_order_of_the_menu():
    found = in_order({"gone": {}, NEXT_CASE: {}, "case": {}, "map": {}, "data": {}, BARE: {}})
    assert list(found) == [BARE, "data", "map", "case", NEXT_CASE]


def test_the_bare_page_is_one_of_the_app(monkeypatch):
    monkeypatch.setattr(pages, "PAGES", pages.PAGES)  # put back afterwards
    importlib.import_module("benchmarks.bare_server")
    assert pages.PAGES[-1].text.menu == BARE
