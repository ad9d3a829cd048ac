"""The switch that makes everything larger for an audience."""

from __future__ import annotations

import json

from dashboard import cache


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
