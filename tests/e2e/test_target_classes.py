"""Classes are edited in a table that only a browser can type into."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from patience import text_with
from playwright.sync_api import Locator, Page, TimeoutError, expect

pytestmark = pytest.mark.e2e

ROW = 35
ATTEMPTS = 8
RESTS = 20
CLASSES = "Name, join, set aside or order the classes"
MS = 15_000
WORDS = ["mild"] * 20 + ["severe"] * 20 + ["middling"] * 20


def resting(item: Locator) -> dict[str, float]:
    """Return where something is once it stays there: what is drawn late above it would move it under the mouse."""
    item.wait_for(timeout=MS)
    former = item.bounding_box()
    for _ in range(RESTS):
        item.page.wait_for_timeout(300)
        box = item.bounding_box()
        if box == former:
            break
        former = box
    return former


def unfold(page: Page, label: str) -> None:
    """Open a part of the page that is folded, unless it is open."""
    part = page.locator("details").filter(has_text=label)
    if part.get_attribute("open", timeout=MS) is None:
        resting(part)
        part.locator("summary").click(timeout=MS)
    expect(page.locator("details[open]").filter(has_text=label)).to_be_visible(timeout=MS)


def at(table: Locator, share: float, row: int) -> tuple[float, float]:
    """The place of a cell on the screen: a share of the table's width, the middle of a row (0 is the head)."""
    table.scroll_into_view_if_needed(timeout=MS)
    box = resting(table)
    return box["x"] + box["width"] * share, box["y"] + ROW * (row + 0.5)


def until_seen(act: Callable[[], None], check: Callable[[], None]) -> None:
    """Act on a table until the page shows the effect.

    Tables are drawn on a canvas: nothing tells that one has taken a click, a key that comes before is lost, and the box
    to type into opens up to seconds later, maybe in the midst of the next attempt, whose click closes it. So it is the
    whole that is tried again, not its steps, and with time enough for what is on its way.
    """
    for _ in range(ATTEMPTS):
        with suppress(TimeoutError, AssertionError):
            act()
            check()
            return
    check()


def type_here(page: Page, table: Locator, text: str) -> None:
    """Open the cell of the first class's name, and type."""
    unfold(page, CLASSES)
    page.mouse.click(*at(table, 0.5, 1))
    page.keyboard.press("Enter")
    cell = page.locator("#portal textarea")
    cell.fill(text, timeout=MS)
    cell.press("Enter", timeout=MS)


@pytest.mark.exhaustive
def test_a_class_is_named_and_set_aside_and_another_column_is_shown(visit, tmp_path):
    page = visit.page
    path = tmp_path / "kinds.csv"
    path.write_text("x,w,kind\n" + "".join(f"{i * 7 % 60}.5,{i * 11 % 60}.25,{word}\n" for i, word in enumerate(WORDS)))
    visit.open()
    page.locator("input[type=file]").first.set_input_files(path)
    expect(page.get_by_text("Which rows are held out")).to_be_visible()
    visit.settle()
    editor = page.locator("details").filter(has_text=CLASSES).get_by_test_id("stDataFrame")
    renamed = page.get_by_role("button", name="Back to the classes as they are in the data")
    until_seen(  # the name of the first class: middling
        lambda: type_here(page, editor, "medium"), lambda: expect(renamed).to_be_visible(timeout=MS)
    )
    visit.settle()
    aside = page.get_by_text("20 rows have no class: not learned from, only estimated.")
    until_seen(  # whether the second one is used: mild
        lambda: page.mouse.click(*at(editor, 0.735, 2)), lambda: expect(aside).to_be_visible(timeout=MS)
    )
    visit.settle()

    chosen = page.get_by_role("combobox", name="Column", exact=True)
    other = {"x": "w", "w": "x"}[chosen.input_value()]
    visit.choose("Column", other, exact=True)
    expect(page.get_by_role("figure", name=f"Distribution of {other} by class.")).to_be_visible()
    visit.fit()
    visit.go("Quality")
    said = text_with(visit.text, ["medium"])
    assert "medium" in said
    assert "middling" not in said
    visit.expect_no_traceback()
