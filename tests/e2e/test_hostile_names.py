"""Columns and classes called like this program's own: every page of a table full of them can be read."""

from __future__ import annotations

import numpy as np
import pytest
from patience import text_with
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e

IDENTIFIER = "member"
COLUMNS = (IDENTIFIER, "row", "class", "p class u", "weight", "actual", "case", "batch")
CLASSES = ("row", "p class u")


# How far the numbers of a line reach beyond the group it stands in, where the next begins.
BEYOND = """
() => Math.max(...[...document.querySelectorAll('.st-key-case-voices .case-voice > *')].map(part =>
  part.getBoundingClientRect().right - part.closest("[data-testid='stVerticalBlock']").getBoundingClientRect().right))
"""


def table(n: int = 150) -> str:
    """Numbers under names of ours, a target whose classes are names of ours, too, and rows with long names."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, len(COLUMNS) - 2)).round(3)
    kinds = np.where(values[:, 0] + 0.7 * rng.normal(size=n) > 0.0, *CLASSES)
    names = [f"{1000 + 37 * number}-of-the-club" for number in range(n)]
    lines = [",".join([name, *map(str, line), kind]) for name, line, kind in zip(names, values, kinds, strict=True)]
    return "\n".join([",".join(COLUMNS), *lines]) + "\n"


@pytest.mark.exhaustive
def test_every_page_of_a_table_with_our_names(visit, tmp_path):
    path = tmp_path / "names.csv"
    path.write_text(table())
    visit.open()
    visit.page.locator("input[type=file]").first.set_input_files(path)
    expect(visit.page.get_by_text("How the file was read")).to_be_visible()
    visit.settle()
    visit.choose("Target: the column to estimate", "batch")
    visit.fit()
    visit.expect_no_traceback()
    visit.go("Map")
    expect(visit.page.get_by_text("Misclassified cases")).to_be_visible()
    visit.expect_no_traceback()
    visit.go("Case")
    visit.press("Next misclassified")
    expect(visit.page.locator(".case-voice.near").first).to_be_visible()
    assert visit.at_rest(lambda: visit.page.evaluate(BEYOND)) <= 0.0
    visit.page.get_by_role("tab", name="How it adds up").click()
    expect(visit.page.get_by_text("The contributions add up to the estimate.")).to_be_visible()
    visit.expect_no_traceback()
    said = text_with(visit.text, ["Nearest of each class", *CLASSES])
    assert "Nearest of each class" in said
    assert all(name in said for name in CLASSES)
