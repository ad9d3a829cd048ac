"""What only a narrow window shows."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.e2e

READABLE = 400  # pixels; beside its table the surface was under 200 wide


def test_a_surface_stays_wide_enough_to_read(visit):
    visit.page.set_viewport_size({"width": 800, "height": 900})
    visit.open("/surface?data=iris_2f&fit=own")
    expect(visit.page.locator(".js-plotly-plot .nsewdrag").first).to_be_attached()
    visit.settle()
    assert visit.at_rest(visit.page.locator(".js-plotly-plot").first.bounding_box)["width"] > READABLE
