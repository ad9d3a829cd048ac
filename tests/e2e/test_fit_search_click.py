"""A search in a real browser: start it, see both figures, click another point, fit with it; stop and go on."""

from __future__ import annotations

import re

import pytest
from patience import expect_equal
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.e2e

PLOTS = ".js-plotly-plot:not(.st-key-fit-picture *)"  # figures of the search; the weights stand above them

# Where the points of a figure are on the screen, and which row each one stands for.
POINTS = """
([plots, number]) => {
  const plot = document.querySelectorAll(plots)[number];
  const corner = plot.querySelector('.nsewdrag').getBoundingClientRect();
  const layout = plot._fullLayout;
  return plot.calcdata.flatMap(points => {
    const trace = points[0].trace;
    if (!trace.customdata || trace.hoverinfo === 'skip') return [];
    return points.map((point, i) => ({
      row: trace.customdata[i][0],
      x: corner.x + layout.xaxis.c2p(point.x), y: corner.y + layout.yaxis.c2p(point.y),
    }));
  });
}
"""


def points(visit, number: int) -> dict[int, tuple[float, float]]:
    """Row label to place on the screen for the figure of one step."""
    plot = visit.page.locator(PLOTS).nth(number)
    plot.scroll_into_view_if_needed()
    found = visit.at_rest(lambda: visit.page.evaluate(POINTS, [PLOTS, number]))
    return {int(point["row"]): (point["x"], point["y"]) for point in found}


def to_search(visit, address: str) -> None:
    """Open the Fit page and choose the search."""
    visit.open(address)
    visit.page.get_by_test_id("stMain").get_by_role("radio", name="Search", exact=True).click()
    visit.settle()


def small_search(visit) -> None:
    """Set a search of iris by algorithm 2.2 that takes seconds."""
    to_search(visit, "/fit?data=iris_2f&num_candidates=30")
    visit.page.get_by_text("Algorithm 2.2 of the report").click()
    visit.settle()
    visit.choose("What to compare", "Feature penalty")
    for label, value in (("Penalties tried", "5"), ("Folds", "3"), ("Most batches", "2")):
        field = visit.page.get_by_label(label, exact=True)
        field.fill(value)
        field.press("Enter")
        visit.settle()


def enlarged(page: Page, number: int) -> int:
    """How many points of the figure of one step the browser shows as clicked."""
    traces = page.evaluate(f"document.querySelectorAll('{PLOTS}')[{number}].data.map(t => t.selectedpoints)")
    return sum(len(selected) for selected in traces if selected)


def check_that_clicks_do_not_go_stale(visit, smallest: int) -> None:
    """Click in the other figure, take that back, and return to the first point."""
    other = points(visit, 1)
    visit.page.mouse.click(*other[max(other)])
    visit.settle()
    expect_equal(lambda: (enlarged(visit.page, 0), enlarged(visit.page, 1)), (0, 1))
    again = points(visit, 1)
    visit.page.mouse.click(*again[max(again)])
    visit.settle()
    expect(visit.page.get_by_text("To use another point")).to_be_visible()
    expect_equal(lambda: (enlarged(visit.page, 0), enlarged(visit.page, 1)), (0, 0))
    visit.page.mouse.click(*points(visit, 0)[smallest])
    visit.settle()
    expect_equal(lambda: (enlarged(visit.page, 0), enlarged(visit.page, 1)), (1, 0))


def listed(visit, step: int | str) -> Locator:
    """The list below the figure of a step, which shows a point."""
    return visit.page.locator(f"[class*=st-key-search-point-{step}] input").first


@pytest.mark.exhaustive
def test_from_a_search_to_another_choice_by_a_click(visit):
    small_search(visit)
    expect(visit.page.get_by_text("5 penalties × 3 folds = 15 fits")).to_be_visible()
    with visit.held_work():
        visit.page.get_by_role("button", name="Search", exact=True).click()
        under_way = visit.page.get_by_text(re.compile("Starting · ")).filter(visible=True)
        expect(under_way.first).to_be_visible()
    expect(visit.page.get_by_text("How the settings were found")).to_be_visible()
    visit.settle()
    expect(listed(visit, 1)).to_have_value(re.compile("chosen"))
    places = points(visit, 0)
    assert len(places) == 5
    smallest = min(places)
    visit.page.mouse.click(*places[smallest])
    visit.settle()
    expect(visit.page.get_by_text("Instead of the chosen point: feature penalty 1e-6")).to_be_visible()
    expect(listed(visit, 1)).to_have_value(re.compile("1e-6"))
    check_that_clicks_do_not_go_stale(visit, smallest)
    visit.page.get_by_role("button", name="Fit with this").click()
    refitted = visit.page.get_by_text(re.compile(r"Your choice: \S+ batch(es)?, feature penalty 1e-6"))
    expect(refitted).to_be_visible()
    visit.settle()
    expect(listed(visit, 1)).to_have_value(re.compile("chosen"))
    visit.expect_no_traceback()


@pytest.mark.slow
def test_a_click_on_the_front_proposes_a_point_and_fits_with_it(visit):
    to_search(visit, "/fit?data=iris_2f&num_candidates=30")
    for label, value in (("Folds", "3"), ("Most batches", "2")):
        field = visit.page.get_by_label(label, exact=True)
        field.fill(value)
        field.press("Enter")
        visit.settle()
    visit.page.get_by_role("button", name="Search", exact=True).click()
    expect(visit.page.get_by_text("How the settings were found")).to_be_visible()
    visit.settle()
    expect(listed(visit, "front")).to_have_value(re.compile("chosen"))
    everywhere = points(visit, 0)
    box = visit.page.locator(PLOTS).first.locator(".nsewdrag").first.bounding_box()
    places = {row: (x, y) for row, (x, y) in everywhere.items() if box["y"] < y < box["y"] + box["height"]}
    apart = max(places, key=lambda row: min(_far(places[row], places[o]) for o in places if o != row))
    visit.page.mouse.click(*places[apart])
    visit.settle()
    expect(visit.page.get_by_text("Instead of the chosen point")).to_be_visible()
    visit.page.get_by_role("button", name="Fit with this").click()
    expect(visit.page.get_by_text("Your choice: ")).to_be_visible()
    visit.expect_no_traceback()


def _far(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Distance of two places."""
    return ((one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) ** 0.5


@pytest.mark.exhaustive
def test_a_stopped_search_goes_on(visit):
    trials = re.compile(r"· [1-9]\d* of about \d+ trials")
    to_search(visit, "/fit?data=digits&num_candidates=1000")
    visit.page.get_by_role("button", name="Search", exact=True).click()
    expect(visit.page.get_by_text(trials).first).to_be_visible()
    with visit.held_work():
        visit.page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True).click()
        expect(visit.page.get_by_text(re.compile(r"Stopped after \d+ of about \d+ trials"))).to_be_visible()
    visit.settle()
    visit.page.get_by_role("button", name="Resume").click()
    # Before there is a best one, scales are compared; and a process that is held leaves only what it has written down.
    expect(visit.page.get_by_text("each further one may move the front")).to_be_visible()
    with visit.held_work():
        visit.page.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True).click()
        expect(visit.page.get_by_role("button", name="Start again")).to_be_visible()
    expect(visit.page.get_by_role("button", name="Take the best so far", exact=True)).to_be_visible()
    visit.expect_no_traceback()
