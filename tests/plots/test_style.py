import re
from itertools import combinations
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from contrast import contrast, oklab

from proset.plots import style
from proset.plots.page_look import for_page

PAGES = {"light": "#FFFFFF", "dark": style.ON_DARK[style.GROUND]}


def on(page, colour):
    """A colour as it is on a light or on a dark page."""
    return style.on_dark(colour) if page == "dark" else colour


def test_colour_belongs_to_the_place_of_a_class():
    names = [f"class {i}" for i in range(10)]
    colours = style.class_colours(names)
    assert list(colours) == names
    assert len(set(colours.values())) == 10
    assert style.class_colours(names[:2]) == {name: colours[name] for name in names[:2]}


def test_ninety_classes_differ_in_colour_or_symbol():
    looks = style.class_looks([str(i) for i in range(90)])
    assert len({(look.colour, look.symbol) for look in looks}) == 90


def test_symbols_leave_star_and_diamond_to_reference_and_selection():
    assert not {style.REFERENCE_SYMBOL, "diamond"} & set(style.CLASS_SYMBOLS)


@pytest.mark.parametrize("page", PAGES)
def test_every_mark_is_seen_and_every_text_can_be_read(page):
    for colour in (*style.CLASS_COLOURS, style.NEUTRAL, style.WRONG, style.MODEL):
        assert contrast(on(page, colour), PAGES[page]) >= 3.0, colour
    for colour in (style.INK, style.NEUTRAL, style.WRONG, style.MODEL):
        assert contrast(on(page, colour), PAGES[page]) >= 4.5, colour


@pytest.mark.parametrize("page", PAGES)
def test_what_is_no_class_has_no_hue_of_one(page):
    classes = [oklab(on(page, colour)) for colour in style.CLASS_COLOURS]
    for colour in (style.NEUTRAL, style.INK, style.WRONG, style.MODEL):
        assert min(np.linalg.norm(oklab(on(page, colour)) - own) for own in classes) > 0.07, colour
    assert min(np.linalg.norm(one - other) for one, other in combinations(classes, 2)) > 0.06
    assert min(np.linalg.norm(one - other) for one, other in combinations(classes[:5], 2)) > 0.1


def test_finish_lets_the_page_show_through():
    figure = style.finish(go.Figure(), x_title="width (cm)")
    assert figure.layout.plot_bgcolor == figure.layout.paper_bgcolor == style.TRANSPARENT
    assert figure.layout.font.color is None
    assert figure.layout.xaxis.title.text == "width (cm)"
    assert figure.layout.xaxis.tickfont.size == 13


@pytest.fixture
def drawn():
    marks = go.Scatter(
        x=[1, 2],
        y=["#0072B2", "#FEFEFE"],  # words of a table that look like colours
        mode="markers+text",
        text=["a", "b"],
        marker={
            "size": [8.0, 10.0],
            "color": [style.INK, style.tinted(style.WRONG, 0.5)],
            "line": {"width": 2, "color": "#FFFFFF"},
        },
        customdata=[[10, 20], [30, 40]],
    )
    heat = go.Heatmap(z=[[1, 2]], colorscale=[list(stop) for stop in style.RAMP], colorbar={"thickness": 12})
    figure = style.finish(go.Figure([marks, heat]), x_title="a")
    return figure.add_annotation(x=1, y=1, text="#0072B2", font={"size": 12, "color": style.NEUTRAL})


def test_a_dark_page_exchanges_the_colours_of_the_grammar_and_nothing_else(drawn):
    marks, heat = for_page(drawn, dark=True).data
    assert list(marks.marker.color) == [style.on_dark(style.INK), style.tinted(style.ON_DARK[style.WRONG], 0.5)]
    assert marks.marker.line.color == "#FFFFFF"
    assert list(marks.y) == ["#0072B2", "#FEFEFE"]
    assert [stop[1] for stop in heat.colorscale] == [style.on_dark(colour) for _, colour in style.RAMP]
    (note,) = drawn.layout.annotations
    assert (note.text, note.font.color) == ("#0072B2", style.on_dark(style.NEUTRAL))
    assert drawn.layout.font.color == style.on_dark(style.INK)


def test_a_light_page_keeps_colours_and_sizes(drawn):
    before = drawn.to_dict()
    after = for_page(drawn).to_dict()
    assert after["data"] == before["data"]
    assert "template" not in after["layout"]
    assert holds(after["layout"], {**before["layout"], "template": {}})


def holds(said: dict, former: dict) -> bool:
    """Tell whether everything that was said is said still."""
    return all(
        holds(said[name], value) if isinstance(value, dict) else said[name] == value
        for name, value in former.items()
        if value != {}
    )


def test_what_a_figure_leaves_open_is_said_without_a_template(drawn):
    layout = for_page(drawn).layout
    assert layout.font.color == style.INK
    assert (layout.xaxis.linecolor, layout.yaxis.title.font.size) == (style.NEUTRAL, style.TEXT_SIZE)


def test_everything_measured_in_pixels_grows_for_an_audience(drawn):
    former = go.Figure(drawn)
    marks, heat = for_page(drawn, larger=1.25).data
    assert list(marks.marker.size) == [10.0, 12.5]
    assert (marks.marker.line.width, heat.colorbar.thickness) == (2.5, 15.0)
    assert list(marks.customdata[0]) == [10, 20]
    layout = drawn.layout
    assert layout.height == 1.25 * former.layout.height
    assert (layout.font.size, layout.xaxis.tickfont.size) == (17.5, 16.25)
    assert layout.annotations[0].font.size == 15.0
    assert (layout.margin.t, layout.annotations[0].x) == (1.25 * former.layout.margin.t, 1)


def test_a_per_cent_on_an_axis_has_the_space_that_it_has_in_texts():
    bar = style.colour_bar("familiarity")
    said = [bar["labelalias"][f"{n}%"] for n in (0, 25, 12.5, 100)]
    assert said == ["0\u00a0%", "25\u00a0%", "12.5\u00a0%", "100\u00a0%"]
    assert "labelalias" not in style.colour_bar("median", shares=False)
    plots = Path(style.__file__).parent
    bare = re.compile(r"""tickformat\W{1,4}[.~\d]*%""")
    assert [path.name for path in plots.glob("*.py") if bare.search(path.read_text(encoding="utf-8"))] == []


def test_ticks_are_written_in_full_as_in_texts():
    figure = style.finish(go.Figure(go.Scatter(x=[20_000], y=[1]), layout={"xaxis2": {}}))
    assert [figure.layout[name].minexponent for name in ("xaxis", "yaxis", "xaxis2")] == [9, 9, 9]
    assert style.colour_bar("median", shares=False)["minexponent"] == 9
