"""Rows without a target in a real browser: uploaded, listed, explained, and there again after Back and Forward."""

from __future__ import annotations

import re

import pytest
from patience import expect_equal
from playwright.sync_api import expect

from proset.data.samples import load_sample

pytestmark = pytest.mark.e2e


@pytest.mark.exhaustive
def test_new_rows_are_estimated_and_explained_and_back_leads_to_them(visit, tmp_path):
    frame = load_sample("iris_2f").frame.iloc[::5].drop(columns=["species"])
    frame.iloc[0, 0] = 40.0
    path = tmp_path / "flowers.csv"
    frame.to_csv(path, index=False)
    visit.open("/new?data=iris_2f&fit=own")
    expect(visit.page.get_by_text("The model uses 2 columns").first).to_be_visible()
    visit.page.locator("input[type=file]").first.set_input_files(path)
    expect(visit.page.get_by_text("30 rows: ").first).to_be_visible()
    visit.settle()
    # The strange row stands in the first line; ticking it says why.
    table = visit.page.locator("[data-testid=stDataFrame] canvas").first
    visit.at_rest(table.bounding_box)
    table.click(position={"x": 15, "y": 52}, force=True)
    expect(visit.page.get_by_text("No known case is near it").first).to_be_visible()
    expect(visit.page).to_have_url(re.compile("row=new-1"))
    visit.page.get_by_role("link", name="Explain this row").click()
    expect(visit.page.get_by_role("heading", name="New row 1")).to_be_visible()
    visit.page.go_back()
    expect(visit.page.get_by_text("30 rows: ").first).to_be_visible()
    visit.settle()
    expect(visit.page).to_have_url(re.compile("row=new-1"))
    expect(visit.page.get_by_test_id("stAlert")).to_have_count(0)
    visit.page.go_forward()
    expect(visit.page.get_by_role("heading", name="New row 1")).to_be_visible()
    visit.expect_no_traceback()


@pytest.mark.slow
def test_a_reload_asks_before_a_file_is_closed(visit, tmp_path):
    asked = []

    def stay(dialog):
        asked.append(dialog.type)
        dialog.dismiss()
        visit.page.remove_listener("dialog", stay)

    visit.open("/data?data=iris_2f")
    visit.page.get_by_role("heading", name="Data", exact=True).click()
    visit.page.on("dialog", stay)
    visit.page.reload()  # an example comes again by itself
    assert asked == []
    visit.settle()
    path = tmp_path / "sizes.csv"
    path.write_text("size,kind\n" + "".join(f"{i},{'big' if i > 20 else 'small'}\n" for i in range(40)))
    visit.page.get_by_text("Open other data").click()
    visit.page.locator("input[type=file]").first.set_input_files(path)
    expect(visit.page.get_by_text("sizes.csv").first).to_be_visible()
    visit.settle()
    expect_equal(lambda: visit.page.evaluate("window.onbeforeunload !== null"), True)
    visit.page.get_by_role("heading", name="Data", exact=True).click()  # a browser asks only who has done something
    with visit.page.expect_event("dialog"):
        visit.page.evaluate("setTimeout(() => location.reload(), 0)")
    assert asked == ["beforeunload"]
    expect(visit.page.get_by_text("sizes.csv").first).to_be_visible()
