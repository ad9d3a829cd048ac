"""A slice that is chosen in the frame goes with a person from page to page, and comes back, in a real browser."""

from __future__ import annotations

import re

import pytest
from patience import expect_equal
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e


def choose(visit, name):
    """Choose rows in the frame by their name."""
    visit.page.get_by_role("button", name=re.compile("^Rows: ")).click()
    visit.page.get_by_role("combobox", name="Rows that pages show").click()
    visit.page.get_by_role("option", name=name).click()
    visit.settle()
    visit.page.keyboard.press("Escape")


@pytest.mark.exhaustive
def test_a_slice_stays_from_page_to_page_and_comes_back(visit):
    visit.open("/quality?data=iris_2f&num_candidates=30&fit=own")
    visit.page.get_by_role("button", name="Keep as slice").first.click()
    expect(visit.page.get_by_role("button", name="Rows: all")).to_have_count(0)
    visit.settle()
    slice_asked = visit.asked("slice")
    assert "sepal length" in slice_asked[0]
    choose(visit, "all")
    expect_equal(lambda: visit.asked("slice"), [])
    choose(visit, re.compile("sepal length"))
    expect_equal(lambda: visit.asked("slice"), slice_asked)

    visit.go("Prototypes")
    measured = visit.page.get_by_text(re.compile(r"^Measured on \d+ of 45 held-out rows, those in"))
    expect(measured).to_be_visible()
    said = measured.inner_text()
    visit.go("Report")
    expect(visit.page.get_by_text("The report is about all rows.")).to_be_visible()
    visit.page.go_back()
    expect(measured).to_have_text(said)
    assert visit.asked("slice") == slice_asked
    visit.page.reload()
    expect(measured).to_have_text(said)

    visit.page.get_by_role("button", name=re.compile("^Rows: ")).click()
    visit.page.get_by_role("button", name="Remove this slice").click()
    expect(visit.page.get_by_text("Measured on all 45 held-out rows.")).to_be_visible()
    expect_equal(lambda: visit.asked("slice"), [])
