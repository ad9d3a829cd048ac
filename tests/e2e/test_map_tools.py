"""What only a browser shows of figures: lasso, fading under clicks, where tools stand, how often they are drawn."""

from __future__ import annotations

import math
import re
from pathlib import Path

import plotly
import pytest
from patience import expect_equal, text_with
from playwright.sync_api import expect
from plotly.io import to_json

from dashboard.components.clickable import draw_once
from proset.explain.structure.densities import feature_densities
from proset.plots.densities import plot_densities
from proset.plots.traces import in_words
from proset.study import fit_sample

pytestmark = pytest.mark.e2e

# How strongly each small mark is painted, by row, after whatever Plotly has made of a selection.
STRENGTHS = """
() => [...document.querySelectorAll('.js-plotly-plot .scatterlayer .trace')].flatMap(group => {
  const points = group.__data__?.[0]?.trace;
  if (!points?.customdata || points.marker.size !== 6 || points.marker.opacity === 0) return [];
  return [...group.querySelectorAll('path.point')].map((path, i) => [
    points.customdata[i][0], Number(getComputedStyle(path).opacity)]);
})
"""
BOXES = """
() => ['.modebar', '.legend', '.cbfills', '.cbaxis', '.cbtitle']
  .map(name => document.querySelector(`.js-plotly-plot ${name}`).getBoundingClientRect().toJSON())
"""
# Which figures were drawn, by their first axis title, and which of them once more.
DRAWN = """
() => {
  window.prosetDrawn = {};
  const known = new Set();
  const look = () => document.querySelectorAll('.js-plotly-plot').forEach(figure => {
    if (!figure.on || known.has(figure)) return;
    known.add(figure);
    const name = figure.layout.xaxis?.title?.text ?? 'untitled';
    window.prosetDrawn[name] ??= 0;
    figure.on('plotly_beforeplot', () => { window.prosetDrawn[name] += 1; });
  });
  new MutationObserver(look).observe(document, {subtree: true, childList: true, attributes: true});
}
"""
# A figure is shown as Streamlit shows it; which axes end before what is drawn along them.
HANDED_TWICE = """
async words => {
  const figure = document.body.appendChild(document.createElement('div'));
  const [first, again] = [JSON.parse(words), JSON.parse(words)];
  again.layout.width = figure.clientWidth;
  await Promise.all([Plotly.newPlot(figure, first), Plotly.react(figure, again)]);
  return Object.values(figure._fullLayout).filter(axis => axis?.autorange && axis._id).flatMap(axis => {
    const ends = figure._fullData.flatMap(trace => trace._extremes?.[axis._id] ?? []);
    const values = ends.flatMap(end => [...end.min, ...end.max]).map(end => end.val);
    const [low, high] = [...axis.range].sort((a, b) => a - b);
    return values.some(value => value < low || value > high) ? [[axis._id, low, high, values]] : [];
  });
}
"""
LATER = 500  # milliseconds, after which whatever is drawn a second time has been


def overlap(first, second):
    """Whether two boxes on the screen share any place."""
    apart = first["right"] <= second["left"] or second["right"] <= first["left"]
    return not (apart or first["bottom"] <= second["top"] or second["bottom"] <= first["top"])


@pytest.mark.slow
def test_a_loop_makes_a_list_and_a_click_leaves_the_others_pale(visit):
    visit.open("/map?data=iris_2f&fit=own&lines=0")
    expect(visit.page.get_by_text("held-out rows,").first).to_be_visible()
    visit.settle()
    box = visit.at_rest(visit.page.locator(".nsewdrag").first.bounding_box)
    x, y, radius = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["height"] / 3
    inside = {m["row"] for m in visit.marks() if math.hypot(m["x"] - x, m["y"] - y) < radius * 0.97}
    beyond = {m["row"] for m in visit.marks() if math.hypot(m["x"] - x, m["y"] - y) > radius * 1.03}
    visit.page.mouse.move(x, y)
    visit.page.locator('.modebar-btn[data-title="Lasso Select"]').click()
    visit.page.mouse.move(x + radius, y)
    visit.page.mouse.down()
    for step in range(1, 61):
        visit.page.mouse.move(x + radius * math.cos(step * math.tau / 60), y + radius * math.sin(step * math.tau / 60))
    visit.page.mouse.up()
    expect(visit.page.get_by_text("picked on the map").first).to_be_visible()
    visit.settle()
    expect(visit.page).to_have_url(re.compile("picked%3A"))
    picked = {int(row) for row in visit.address.split("picked%3A")[1].split("&")[0].split("%2C")}
    held_out = {row for row, _ in visit.page.evaluate(STRENGTHS)}
    assert inside & held_out <= picked
    assert not picked & beyond

    expect_equal(lambda: {row for row, strength in visit.page.evaluate(STRENGTHS) if strength > 0.5}, picked)
    before = dict(visit.page.evaluate(STRENGTHS))
    visit.click_mark([row for row in beyond if row in held_out])
    visit.page.wait_for_timeout(300)  # that nothing fades is seen only after a while
    expect_equal(lambda: dict(visit.page.evaluate(STRENGTHS)), before)

    visit.go("Case")
    said = f"{len(picked)} cases picked on the map"
    assert said in text_with(visit.text, [said])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "address",
    ["/map?data=iris_2f&fit=own&colour=familiarity&part=all", "/surface?data=iris_2f&fit=own&class=3"],
)
def test_the_tool_bar_covers_neither_legend_nor_colour_bar(visit, address):
    visit.open(address)
    expect(visit.page.locator(".js-plotly-plot .nsewdrag").first).to_be_visible()
    visit.settle()
    spot = visit.page.locator(".nsewdrag").first.bounding_box()
    visit.page.mouse.move(spot["x"] + 30, spot["y"] + 30)
    tools, *others = visit.at_rest(lambda: visit.page.evaluate(BOXES))
    assert tools["height"] > tools["width"]
    assert not any(overlap(tools, other) for other in others)


def test_axes_reach_as_far_as_marks_in_a_figure_that_is_handed_over_before_it_is_drawn(visit):
    """Streamlit does that with each figure, sooner or later than Plotly has made room for names and drawn it anew."""
    said = draw_once(in_words(plot_densities(feature_densities(fit_sample("cancer")))))
    visit.page.goto("about:blank")
    visit.page.add_script_tag(path=Path(plotly.__file__).parent / "package_data" / "plotly.min.js")
    assert visit.page.evaluate(HANDED_TWICE, to_json(said, validate=False)) == []


@pytest.mark.exhaustive
def test_each_figure_is_drawn_once(visit):
    visit.page.add_init_script(f"({DRAWN.strip()})()")
    visit.open("/fit?data=cancer&fit=1")
    expect(visit.page.get_by_text("model fitted").first).to_be_visible()
    for name in ("Map", "Surface", "Features", "Prototypes"):
        visit.go(name)
        expect(visit.page.locator(".js-plotly-plot").first).to_be_visible()
        visit.page.wait_for_timeout(LATER)
    drawn = visit.page.evaluate("() => window.prosetDrawn")
    assert len(drawn) >= 4
    assert set(drawn.values()) == {0}, drawn
