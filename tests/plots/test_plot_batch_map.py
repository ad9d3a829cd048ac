import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from contrast import contrast
from plotly.utils import PlotlyJSONEncoder

from proset import ClassifierModel
from proset.explain.maps.map import BatchMap, batch_map
from proset.explain.maps.map_plane import MapPlane
from proset.explain.shares import added_percents
from proset.plots import style
from proset.plots.batch_map import draft_batch_map, plot_batch_map
from proset.plots.map_marks import FADED, ByValue, mark_sizes
from proset.plots.traces import in_words


@pytest.fixture
def mapping():
    points = pd.DataFrame(
        {
            "x": np.arange(6.0),
            "y": np.arange(6.0) ** 2,
            "part": ["train", "train", "train", "held_out", "held_out", "unlabelled"],
            "actual": ["a", "b<i>", "a", "a", "b<i>", None],
            "predicted": ["a", "b<i>", "a", "b<i>", "b<i>", "a"],
            "correct": pd.array([True, True, True, False, True, None], dtype="boolean"),
            "confidence": [0.9, 0.8, 0.7, 0.6, 0.95, 0.5],
            "quantile": [0.5] * 6,
        },
        index=pd.Index([1, 2, 3, 4, 5, 6], name="row"),
    )
    prototypes = pd.DataFrame(
        {"batch": 1, "row": [1, 2], "class": ["a", "b<i>"], "weight": [4.0, 1.0], "x": [0.0, 1.0], "y": [0.0, 1.0]}
    )
    details = pd.DataFrame({"id": list("uvwxyz"), "width (cm)": [1.5, 2.0, np.nan, 4.0, 5.0, 6.0]}, index=points.index)
    loadings = pd.DataFrame({"axis 1": [1.0], "axis 2": [0.5]}, index=["width (cm)"])
    return BatchMap(points, prototypes, (0.7, 0.2), 2, None, loadings, details, ("a", "b<i>"))


def samples(figure):
    marks = [t for t in figure.data if t.type == "scatter" and t.customdata is not None]
    return [t for t in marks if np.ndim(t.marker.size) == 0 and t.marker.size == style.SAMPLE_SIZE]


def marks(figure, name):
    return [trace for trace in figure.data if trace.name == name and trace.customdata is not None]


def drawn_rows(figure):
    return sorted(entry[0] for trace in samples(figure) for entry in trace.customdata)


@pytest.mark.parametrize("part", ["train", "held_out", "all"])
def test_a_draft_is_the_figure_before_plotly_has_checked_it(mapping, part):
    selected = int(mapping.points.index[3])
    said = in_words(draft_batch_map(mapping, part=part, selected=selected))
    checked = in_words(plot_batch_map(mapping, part=part, selected=selected))
    assert json.dumps(said, cls=PlotlyJSONEncoder, sort_keys=True) == json.dumps(
        checked, cls=PlotlyJSONEncoder, sort_keys=True
    )


@pytest.mark.parametrize(("shares", "said"), [((0.7, 0.2), True), ((0.0, 0.0), False)])
def test_axes_name_their_share_of_the_spread_unless_one_prototype_has_none(mapping, shares, said):
    figure = plot_batch_map(replace(mapping, axis_shares=shares))
    assert all(("spread" in axis.title.text) is said for axis in (figure.layout.xaxis, figure.layout.yaxis))


def test_every_point_carries_its_row_id_first(mapping):
    figure = plot_batch_map(mapping, part="all", selected=4)
    for trace in figure.data:
        if trace.customdata is not None:
            assert len(trace.customdata) == len(trace.x)
            assert all(type(entry[0]) is int for entry in trace.customdata)
            for entry, x in zip(trace.customdata, trace.x, strict=True):
                assert mapping.points.loc[entry[0], "x"] == x


@pytest.mark.parametrize(("part", "rows"), [("train", [1, 2, 3]), ("held_out", [4, 5]), ("all", [1, 2, 3, 4, 5, 6])])
def test_part_chooses_the_rows(mapping, part, rows):
    assert drawn_rows(plot_batch_map(mapping, part=part)) == rows


def test_prototypes_are_larger_than_rows_and_sized_by_weight(mapping):
    first, second = plot_batch_map(mapping).data[:2]
    assert list(first.marker.size) == [style.PROTOTYPE_SIZE[1]]
    assert list(second.marker.size) == [style.PROTOTYPE_SIZE[1] / 2]
    assert min(*first.marker.size, *second.marker.size) > style.SAMPLE_SIZE


def test_impacts_size_the_prototypes_instead(mapping):
    figure = plot_batch_map(mapping, impacts=pd.Series({2: 0.8, 1: 0.0}))
    assert list(figure.data[0].marker.size) == [style.PROTOTYPE_SIZE[0]]
    assert list(figure.data[1].marker.size) == [style.PROTOTYPE_SIZE[1]]
    assert list(figure.data[1].customdata[0][:3]) == [2, "1", "0.8"]


def test_misclassified_rows_are_ringed_and_the_ring_lets_the_mouse_through(mapping):
    rings = marks(plot_batch_map(mapping), "misclassified")
    assert [trace.marker.color for trace in rings] == [style.GROUND, style.WRONG]
    for ring in rings:
        assert list(ring.x) == [3.0]
        assert ring.hoverinfo == "skip"


def test_the_legend_names_what_is_drawn(mapping):
    def named(**options):
        return [trace.name for trace in plot_batch_map(mapping, **options).data if trace.showlegend is not False]

    assert named(part="train") == ["a", "b&lt;i&gt;", "prototype (size: weight)", "training case (hollow)"]
    assert named(part="held_out", selected=4)[2:] == ["prototype (size: weight)", "misclassified", "selected case"]
    assert named(part="held_out", colour="correct")[-2:] == ["right", "wrong"]
    assert "reference point" in named(reference=3)


def test_classes_and_marks_have_a_line_of_the_legend_each_with_room_for_both(mapping):
    few = plot_batch_map(mapping, part="held_out", reference=3)
    own = {trace.name for trace in few.data if trace.showlegend is not False and trace.legend == "legend2"}
    assert own == {"prototype (size: weight)", "misclassified", "reference point"}
    assert few.layout.legend2.y == 1
    assert few.layout.legend2.yref == "container"
    long = tuple(f"{letter} with a rather long name" for letter in "abcdef")
    points = mapping.points.assign(actual=long, part="held_out")
    many = plot_batch_map(replace(mapping, classes=long, points=points), reference=3)
    assert many.layout.margin.t > few.layout.margin.t > 40
    heights = [figure.layout.height - figure.layout.margin.t for figure in (few, many)]
    assert heights[0] == heights[1]


def test_no_ring_without_misclassified_rows(mapping):
    figure = plot_batch_map(mapping, part="train")
    assert "misclassified" not in {trace.name for trace in figure.data}


def test_selected_case_is_marked_even_if_its_part_is_not_drawn(mapping):
    figure = plot_batch_map(mapping, part="train", selected=5)
    diamonds = marks(figure, "selected case")
    assert {trace.marker.symbol for trace in diamonds} == {"diamond-open"}
    assert all(list(trace.x) == [4.0] for trace in diamonds)
    assert 5 in drawn_rows(figure)


def test_unknown_selection_draws_no_diamond(mapping):
    assert "selected case" not in {trace.name for trace in plot_batch_map(mapping, selected=99).data}


def test_hover_shows_original_values(mapping):
    trace = samples(plot_batch_map(mapping, part="train"))[0]
    assert list(trace.customdata[1][-2:]) == ["w", "missing"]
    assert "width (cm): %{customdata[6]}" in trace.hovertemplate


def test_a_class_name_is_never_markup(mapping):
    text = plot_batch_map(mapping, part="all").to_json()
    assert "b<i>" not in json.loads(text)["data"][1]["hovertemplate"]
    assert "b&lt;i&gt;" in {trace["name"] for trace in json.loads(text)["data"]}


def test_colours_and_legend_per_class(mapping):
    figure = plot_batch_map(mapping, part="all")
    colours = style.class_colours(mapping.classes)
    for trace in samples(figure)[:4]:
        assert trace.marker.color == colours[trace.legendgroup.removeprefix("class ")]
    entries = [trace.name for trace in figure.data if trace.hoverinfo == "skip" and trace.showlegend]
    assert entries == ["a", "b&lt;i&gt;", "no label"]


def test_sampling_is_noted(mapping):
    figure = plot_batch_map(mapping, part="all", limit=3)
    assert len(drawn_rows(figure)) == 3
    assert 4 in drawn_rows(figure)
    assert "3 of 6 rows" in figure.layout.meta
    assert plot_batch_map(mapping).layout.meta is None


def test_axes_say_how_much_they_show(mapping):
    layout = plot_batch_map(mapping).layout
    assert "70.0 %" in layout.xaxis.title.text
    assert "20.0 %" in layout.yaxis.title.text


def test_an_empty_map_says_why(mapping):
    empty = replace(
        mapping, points=mapping.points.iloc[:0], prototypes=mapping.prototypes.iloc[:0], message="No map: why."
    )
    figure = plot_batch_map(empty)
    assert not figure.data
    assert figure.layout.annotations[0].text == "No map: why."


def test_mark_sizes_have_areas_in_proportion():
    sizes = mark_sizes(np.array([1.0, 4.0]))
    assert (sizes[1] / sizes[0]) ** 2 == pytest.approx(4.0)
    assert mark_sizes(np.zeros(2)).tolist() == [style.PROTOTYPE_SIZE[0]] * 2


def test_training_and_held_out_rows_look_different(mapping):
    symbols = {}
    for trace in samples(plot_batch_map(mapping, part="all")):
        for entry in trace.customdata:
            symbols[entry[0]] = trace.marker.symbol
    for row, part in mapping.points["part"].items():
        assert symbols[row].endswith("-open") == (part != "held_out")


def test_a_click_does_not_undo_the_fade(mapping):
    """Plotly gives every mark that was not clicked the brightness of its trace: pale ones are traces of their own."""
    figure = plot_batch_map(mapping, part="all", bright={4})
    for trace in samples(figure):
        pale = {entry[0] for entry in trace.customdata} != {4}
        assert trace.marker.opacity == trace.unselected.marker.opacity == (FADED if pale else style.SAMPLE_OPACITY)
    assert drawn_rows(figure) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("bright", [None, {4}])
def test_ten_digits_are_drawn_as_numerals(mapping, bright):
    digits = tuple("0123456789")
    points = mapping.points.assign(actual=list("018999"), predicted=list("018999"))
    figure = plot_batch_map(replace(mapping, points=points, classes=digits), part="all", bright=bright)
    texts = [trace for trace in figure.data if trace.mode == "text" and trace.customdata is not None]
    assert {text for trace in texts for text in trace.text} == set("0189")
    for trace in texts:
        assert trace.textfont.color == trace.unselected.textfont.color
        if trace.textfont.color.startswith("#"):  # pale ones are pale on purpose
            assert contrast(trace.textfont.color, style.GROUND) >= 4.5
            dark = style.on_dark(trace.textfont.color)
            assert dark == style.on_dark(style.class_colours(digits)[trace.text[0]])
            assert contrast(dark, style.on_dark(style.GROUND)) >= 4.5
    if bright is None:
        assert {(t.text[0], t.textfont.style) for t in texts} >= {("9", None), ("0", "italic")}
        assert [t.name for t in figure.data if t.legend == "legend2"][-1] == "training case (thin)"
    # The legend still has a mark for each, in its colour.
    entries = [t for t in figure.data if t.name == "9" and t.showlegend]
    assert len(entries) == 1


def test_marks_may_follow_a_number(mapping):
    values = pd.Series(np.linspace(0, 1, 6), index=mapping.points.index)
    figure = plot_batch_map(mapping, part="all", colour=ByValue(values, "novelty"))
    for trace in samples(figure)[:-1]:
        assert trace.marker.coloraxis == "coloraxis"
        assert list(trace.marker.color) == values.loc[[entry[0] for entry in trace.customdata]].tolist()
        assert "novelty" in trace.hovertemplate
    assert figure.layout.coloraxis.colorbar.title.text == "novelty"
    assert figure.layout.coloraxis.colorscale == style.RAMP


def test_right_and_wrong_have_colours_of_their_own(mapping):
    figure = plot_batch_map(mapping, part="held_out", colour="correct")
    colours = {e[0]: c for t in samples(figure) for e, c in zip(t.customdata, t.marker.color, strict=True)}
    assert colours == {4: style.WRONG, 5: style.NEUTRAL}


def test_lines_lead_to_the_prototypes_with_most_impact(mapping):
    figure = plot_batch_map(mapping, selected=4, impacts=pd.Series({1: 0.2, 2: 0.8}))
    lines = [trace for trace in figure.data if trace.mode == "lines"]
    assert [list(trace.x) for trace in lines] == [[3.0, 1.0], [3.0, 0.0]]
    assert lines[0].line.width > lines[1].line.width
    assert [list(t.text) for t in figure.data if t.mode == "markers+text"] == [["2", "1"]]
    # Beside marks as large as those of the prototypes, on the side to which no line leads.
    (numbers,) = (trace for trace in figure.data if trace.mode == "markers+text")
    prototypes = [trace for trace in figure.data if "Prototype" in (trace.hovertemplate or "")]
    sizes = {e[0]: s for t in prototypes for e, s in zip(t.customdata, t.marker.size, strict=True)}
    assert list(numbers.marker.size) == [sizes[2], sizes[1]]
    assert set(numbers.textposition) <= {"top center", "bottom center"}
    assert numbers.marker.opacity == 0.0
    assert not [trace for trace in plot_batch_map(mapping, selected=4).data if trace.mode == "lines"]


def test_numbers_of_prototypes_are_not_written_over_one_another(mapping):
    close = mapping.prototypes.assign(x=[0.0, 0.01], y=[0.0, 0.0])
    impacts = pd.Series({1: 0.2, 2: 0.8})
    figure = plot_batch_map(replace(mapping, prototypes=close), selected=4, impacts=impacts)
    assert [list(t.text) for t in figure.data if t.mode == "markers+text"] == [["2"]]
    above = mapping.prototypes.assign(x=[0.0, 0.01], y=[0.0, 2.0])
    figure = plot_batch_map(replace(mapping, prototypes=above), selected=4, impacts=impacts)
    assert [list(t.text) for t in figure.data if t.mode == "markers+text"] == [["2", "1"]]


def test_both_axes_have_one_scale_unless_the_map_were_a_strip(mapping):
    plane = MapPlane(np.array([0, 1]), np.ones(2), np.zeros(2), np.eye(2), ratio=0.5)
    layout = plot_batch_map(replace(mapping, plane=plane)).layout
    assert (layout.yaxis.scaleanchor, layout.yaxis.scaleratio) == ("x", 0.5)
    strip = plot_batch_map(replace(mapping, plane=replace(plane, ratio=100.0)))
    assert strip.layout.yaxis.scaleanchor is None
    assert "different scales" in strip.layout.meta


def test_a_flat_map_of_equal_scales_is_lower(mapping):
    plane = MapPlane(np.array([0, 1]), np.ones(2), np.zeros(2), np.eye(2), ratio=1.0)
    points = mapping.points.assign(
        x=np.linspace(0.0, 1.0, len(mapping.points)), y=np.linspace(0.0, 1.0, len(mapping.points))
    )
    square, flat = (
        plot_batch_map(
            replace(
                mapping,
                plane=replace(plane, ratio=ratio),
                points=points,
                prototypes=mapping.prototypes.assign(x=0.0, y=0.0),
            ),
            part="all",
        ).layout
        for ratio in (1.0, 0.4)
    )
    assert flat.height < square.height
    assert flat.height - flat.margin.t - flat.margin.b >= 250
    assert (flat.yaxis.scaleanchor, flat.yaxis.scaleratio) == ("x", 0.4)


def test_beyond_the_limit_the_density_of_all_lies_behind(mapping):
    assert plot_batch_map(mapping, part="all", limit=3).data[0].type == "heatmap"
    assert plot_batch_map(mapping, part="all", limit=3).layout.meta.endswith("the density of all.")
    assert plot_batch_map(mapping, part="all").data[0].type == "scatter"


def test_a_case_that_is_no_row_has_its_place(mapping):
    spots = [t for t in plot_batch_map(mapping, spot=(1.5, 2.0)).data if t.name == "selected case (not in the table)"]
    assert [(list(t.x), list(t.y)) for t in spots] == [([1.5], [2.0])]


def test_shares_at_the_axes_add_up_to_what_the_page_says(mapping):
    layout = plot_batch_map(replace(mapping, axis_shares=(0.4514, 0.2193))).layout
    assert "45.1 %" in layout.xaxis.title.text
    assert "22.0 %" in layout.yaxis.title.text
    assert added_percents((0.4514, 0.2193))[1] == "67.1 %"


def test_a_map_of_a_model_alone_shows_its_prototypes():
    X = [[0.0, 0.0], [0.1, 0.3], [0.2, 0.1], [1.0, 1.2], [1.1, 0.9], [1.2, 1.0]]
    model = ClassifierModel().fit(X, list("aaabbb"))
    figure = plot_batch_map(batch_map(model))
    assert sum(len(t.x) for t in figure.data if t.customdata is not None) == model.set_manager_.get_num_prototypes()
    assert samples(plot_batch_map(batch_map(model, cases=X, y=list("aaabbb"))))
