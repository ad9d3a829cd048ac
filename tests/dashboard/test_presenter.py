"""The switch that makes everything larger for an audience."""

from __future__ import annotations

import json
import math

import pytest
from streamlit.testing.v1.element_tree import Dataframe

from dashboard import cache
from dashboard.components import tables


def heights(at) -> list[float]:
    """Heights of the figures of a page."""
    return [json.loads(chart.proto.spec)["layout"]["height"] for chart in at.get("plotly_chart")]


def sizes_of_text(at) -> list[str]:
    """What the page says of the size of all text."""
    return [element.body for element in at.get("html") if element.body.startswith("<style>html { font-size")]


def test_figures_and_text_grow_on_every_page_until_it_is_switched_off(open_app, iris_study):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app("features", data="iris_2f", fit="own")
    usual = heights(at)
    assert usual
    assert sizes_of_text(at) == []
    at.toggle(key="frame.presenter").set_value(True).run()
    assert not at.exception
    assert heights(at) == [1.25 * height for height in usual]
    at.go("data")
    at.go("features")
    assert at.toggle(key="frame.presenter").value is True
    assert heights(at) == [1.25 * height for height in usual]
    assert "125%" in "".join(sizes_of_text(at))
    at.toggle(key="frame.presenter").set_value(False).run()
    assert heights(at) == usual
    assert sizes_of_text(at) == []


@pytest.mark.parametrize("page", ["quality", "prototypes"])
def test_tables_grow_with_their_text(open_app, iris_study, page, monkeypatch):
    """Else a list would end before its last line, and a heading within its word."""
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app(page, data="iris_2f", fit="own")

    def widths() -> list[list[int]]:
        # The table by group keeps its widths: its place is narrow, and wider columns would hide more of them.
        looks = [json.loads(it.proto.columns) for it in at.dataframe if '"Share"' not in it.proto.columns]
        return [[look["width"] for look in one.values() if isinstance(look.get("width"), int)] for one in looks]

    def depth(part) -> float:
        """How deep the deepest table lies: deeper, a browser draws it anew; else its text would stay as it was."""
        inner = [depth(child) for child in getattr(part, "children", {}).values()]
        return 1 + max([0.0 if isinstance(part, Dataframe) else -math.inf, *inner])

    usual, deep = widths(), depth(at.main)
    assert any(usual)
    at.toggle(key="frame.presenter").set_value(True).run()
    assert depth(at.main) == deep + 1
    assert widths() == [[round(1.25 * width) for width in one] for one in usual]
    lines = tables.height(4)
    monkeypatch.setattr(tables, "page_look", lambda: {"dark": False, "larger": 1.25})
    assert 1.24 * lines < tables.height(4) <= 1.25 * lines
