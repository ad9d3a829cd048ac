"""A comparison in a real browser: its progress, a click on two systems, the way to a case and back, and a reload."""

from __future__ import annotations

import pytest
from patience import expect_equal
from playwright.sync_api import expect

# Where the squares of the figure are on the screen.
SQUARES = """
() => {
  const plot = document.querySelector('.js-plotly-plot'), layout = plot._fullLayout;
  const corner = plot.querySelector('.nsewdrag').getBoundingClientRect();
  return plot.calcdata.flatMap(points => points.map((point, i) => ({
    number: points[0].trace.customdata[i][0],
    x: corner.x + layout.xaxis.c2p(point.x), y: corner.y + layout.yaxis.c2p(point.y),
  })));
}
"""


@pytest.mark.exhaustive
def test_systems_are_compared_and_two_of_them_lead_to_a_case_and_back(visit):
    page = visit.page
    visit.open("/compare?data=iris_2f&num_candidates=30&fit=own&systems=proset,smp,knn&compared=disagree")
    start = page.get_by_test_id("stMain").get_by_role("button", name="Compare", exact=True)
    expect(start).to_be_visible()
    visit.settle()
    start.click()
    expect(page.get_by_text("How often two systems say the same, in per cent")).to_be_visible()
    visit.settle()
    page.wait_for_selector(".js-plotly-plot .nsewdrag")
    squares = visit.at_rest(lambda: page.evaluate(SQUARES))
    (square,) = [found for found in squares if found["number"] == 2]  # proset and nearest neighbours
    page.mouse.click(square["x"], square["y"])
    visit.settle()
    expect_equal(lambda: visit.asked("pair"), ["5"])
    expect(page.get_by_role("combobox", name="Who disagrees")).to_have_value("proset against Nearest neighbours")
    before = visit.address
    visit.press("One by one")
    expect(visit.heading("Case")).to_be_visible()
    expect(page.get_by_text("on which systems disagree").first).to_be_visible()
    expect(page.get_by_text("What other systems say of it")).to_be_visible()
    visit.expect_no_traceback()
    page.go_back()
    expect(visit.heading("Compare")).to_be_visible()
    visit.settle()
    expect(page).to_have_url(before)
    expect(page.get_by_role("combobox", name="Who disagrees")).to_have_value("proset against Nearest neighbours")
    # In a narrow window the options stand in several lines: none is out of sight.
    page.set_viewport_size({"width": 800, "height": 900})
    last = visit.at_rest(page.get_by_role("radio", name="Cost", exact=True).bounding_box)
    assert last["x"] + last["width"] < 800
    page.set_viewport_size({"width": 1440, "height": 1000})
    page.reload()
    expect(start).to_be_visible()
    visit.settle()
    expect_equal(lambda: visit.asked("systems"), ["proset,smp,knn"])
    visit.expect_no_traceback()
