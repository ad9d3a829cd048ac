"""Classes are edited in a table that only a browser can type into, and a click on a line shows its column."""

from __future__ import annotations

import pytest
from patience import text_with
from playwright.sync_api import TimeoutError, expect

pytestmark = pytest.mark.e2e

ROW = 35
PATIENCE = 10
WORDS = ["mild"] * 20 + ["severe"] * 20 + ["middling"] * 20


def test_a_class_is_named_set_aside_and_a_column_is_chosen_by_a_click(visit, tmp_path):
    page = visit.page
    path = tmp_path / "kinds.csv"
    path.write_text("x,w,kind\n" + "".join(f"{i * 7 % 60}.5,{i * 11 % 60}.25,{word}\n" for i, word in enumerate(WORDS)))
    visit.open()
    page.locator("input[type=file]").first.set_input_files(path)
    expect(page.get_by_text("Target and split")).to_be_visible(timeout=30_000)
    visit.settle()
    page.get_by_text("Name, join, set aside or order the classes").click()
    expect(page.locator("details[open]").filter(has_text="Name, join, set aside or order the classes")).to_be_visible()
    editor = page.get_by_test_id("stDataFrame").nth(1)
    expect(editor).to_be_visible()
    page.wait_for_timeout(500)  # a click while the page still moves would open another cell

    def click(table, share: float, row: int) -> None:
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        page.mouse.click(box["x"] + box["width"] * share, box["y"] + ROW * (row + 0.5))

    cell = page.locator("#portal textarea")
    for _ in range(PATIENCE):  # a key that comes before the table has taken the click is lost
        click(editor, 0.5, 1)  # the name of the first class: middling
        page.keyboard.press("Enter")  # opens the cell
        try:
            cell.wait_for(timeout=2_000)
            break
        except TimeoutError:
            continue
    cell.fill("medium")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Back to the classes as they are in the data")).to_be_visible()
    visit.settle()
    click(editor, 0.735, 2)  # whether the second one is used: mild
    expect(page.get_by_text("20 rows have no class: not learned from, only estimated.")).to_be_visible()
    visit.settle()

    profiles = page.get_by_test_id("stDataFrame").nth(3)
    profiles.scroll_into_view_if_needed()
    chosen = page.get_by_role("combobox", name="Column", exact=True)
    other = {"x": "w", "w": "x"}[chosen.input_value()]
    box = profiles.bounding_box()
    page.mouse.click(box["x"] + 17, box["y"] + ROW * 2.5)
    expect(chosen).to_have_value(other)
    visit.settle()
    visit.fit()
    visit.go("Quality")
    said = text_with(visit.text, ["medium"])
    assert "medium" in said
    assert "middling" not in said
    visit.expect_no_traceback()
