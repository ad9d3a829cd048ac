"""Clicks on the confusion matrix and on prototypes, and the way back from them, in a real browser."""

from __future__ import annotations

import re

import pytest
from patience import expect_equal, read_until
from playwright.sync_api import expect

# Where the marks of the figure of all prototypes are on the screen.
PROTOTYPES = """
() => {
  const plot = document.querySelector('.js-plotly-plot'), layout = plot._fullLayout;
  const corner = plot.querySelector('.nsewdrag').getBoundingClientRect();
  return plot.calcdata.flatMap(points => (points[0].trace.customdata || []).map((item, i) => ({
    place: item[0], x: corner.x + layout.xaxis.c2p(points[i].x), y: corner.y + layout.yaxis.c2p(points[i].y),
  })));
}
"""
IRIS = "data=iris_2f&num_candidates=30&random_state=2&fit=own"


def chosen_cells(visit):
    """The cells of the confusion matrix that are shown as chosen."""
    return [mark["row"] for mark in visit.marks() if mark["shown"]]


def ready(visit, path):
    """Open a page and wait for the fit that its address asks for."""
    visit.open(path)
    expect(visit.page.locator(".js-plotly-plot").first).to_be_visible()
    visit.settle()


@pytest.mark.slow
def test_a_cell_is_a_list_on_every_page_and_back_takes_it_away(visit):
    ready(visit, f"/quality?{IRIS}")
    usual = visit.page.get_by_role("combobox", name="Which cases")
    expect(usual).to_have_value("8 misclassified held-out rows")
    cell = visit.click_mark([5])  # versicolor said to be virginica, of three classes
    assert cell == 5
    said = "held-out rows of 'versicolor', said to be 'virginica'"
    cases = ["part:held_out", "which:all", "actual:versicolor", "predicted:virginica"]
    expect_equal(lambda: visit.asked("cases"), cases)
    expect_equal(lambda: chosen_cells(visit), [5])
    visit.go("Map")
    expect(visit.page.get_by_text(said)).to_be_visible()
    visit.page.go_back()
    expect(visit.heading("Quality")).to_be_visible()
    visit.settle()
    expect_equal(lambda: chosen_cells(visit), [5])
    visit.page.go_back()
    visit.settle()
    expect_equal(lambda: visit.asked("cases"), [])
    expect_equal(lambda: chosen_cells(visit), [])
    # The same by keyboard: the box lists all cells, the largest errors first.
    usual = visit.page.get_by_role("combobox", name="Which cases")
    usual.press("ArrowDown")
    expect(visit.page.get_by_role("option").first).to_be_visible()  # an Enter before it would choose nothing
    usual.press("Enter")
    visit.settle()
    expect_equal(lambda: visit.asked("cases")[2:], ["actual:versicolor", "predicted:virginica"])
    expect_equal(lambda: chosen_cells(visit), [5])


@pytest.mark.exhaustive
def test_a_click_on_a_prototype_opens_it_and_its_cases_are_a_list(visit):
    ready(visit, f"/prototypes?{IRIS}")
    assert visit.asked("prototype") == []
    before = visit.page.get_by_role("heading", level=2).first.inner_text()
    visit.page.locator(".js-plotly-plot").first.scroll_into_view_if_needed()
    marks = visit.at_rest(lambda: visit.page.evaluate(PROTOTYPES))
    far = sorted(marks, key=lambda mark: mark["x"])[-2]  # the last one may be open
    visit.page.mouse.click(far["x"], far["y"])
    visit.settle()
    (chosen,) = read_until(lambda: visit.asked("prototype"), bool)
    first = visit.page.get_by_role("heading", level=2).first
    expect(first).to_have_text(re.compile(f"^Row {chosen.split('-')[1]}: "))
    expect(first).not_to_have_text(before)
    heading = first.inner_text()
    visit.press("Its cases one by one")
    expect(visit.heading("Case")).to_be_visible()
    expect(visit.page).to_have_url(re.compile("by%3Aprototype"))
    visit.page.go_back()
    visit.settle()
    expect(visit.page.get_by_role("heading", level=2).first).to_have_text(heading)
