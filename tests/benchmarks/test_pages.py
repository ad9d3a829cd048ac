"""The script that measures pages: what its table says of the rounds."""

import pytest

from benchmarks.pages import NEXT_CASE, cell, in_order, lines, summary

FOUND = [(3.0, 3.5), (0.4, 0.6), (0.6, 0.9), (0.5, 0.5)]


def test_the_first_round_stands_apart():
    found = summary(FOUND)
    assert (found["first"], found["median"], found["largest"], found["last change"]) == (3.0, 0.5, 0.6, 0.6)
    assert cell(found) == "0.50 (3.00, 0.60)"


@pytest.mark.parametrize(("median", "shown"), [(1.0, "1.00"), (1.01, "**1.01**")])
def test_what_is_above_the_bar_is_bold(median, shown):
    assert cell({"first": 2.0, "median": median, "largest": 2.0}).split()[0] == shown


def test_a_page_that_one_data_set_lacks_has_an_empty_cell():
    figures = {"cancer": {"map": summary(FOUND) | {"load": 0.5}}, "digits": {"case": summary(FOUND) | {"load": 2.0}}}
    table = lines({"processor": "P"}, figures)
    assert table[0].startswith("Machine: processor P. Load ")
    assert table[0].endswith(": 0.5 to 2.0; rounds after the first: 3.")
    assert table[-2:] == ["| map | 0.50 (3.00, 0.60) |  |", "| case |  | 0.50 (3.00, 0.60) |"]


def test_pages_stand_in_the_order_of_the_menu():
    found = in_order({"gone": {}, NEXT_CASE: {}, "case": {}, "map": {}, "data": {}})
    assert list(found) == ["data", "map", "case", NEXT_CASE]
