"""Columns and classes called like this program's own: every page of a table full of them can be read."""

from __future__ import annotations

import numpy as np
import pytest
from patience import text_with
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e

COLUMNS = ("row", "class", "p class u", "weight", "actual", "case", "batch")
CLASSES = ("row", "p class u")


def table(n: int = 150) -> str:
    """Numbers under names of ours, and a target whose classes are names of ours, too."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, len(COLUMNS) - 1)).round(3)
    kinds = np.where(values[:, 0] + 0.7 * rng.normal(size=n) > 0.0, *CLASSES)
    lines = [",".join([*map(str, line), kind]) for line, kind in zip(values, kinds, strict=True)]
    return "\n".join([",".join(COLUMNS), *lines]) + "\n"


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
    visit.page.get_by_role("tab", name="How it adds up").click()
    expect(visit.page.get_by_text("The contributions add up to the estimate.")).to_be_visible()
    visit.expect_no_traceback()
    said = text_with(visit.text, ["Nearest known cases", *CLASSES])
    assert "Nearest known cases" in said
    assert all(name in said for name in CLASSES)
