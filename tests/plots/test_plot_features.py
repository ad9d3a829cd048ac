"""Figures of weights, weight pictures and densities."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from proset.data.table import ImageGrid
from proset.explain.structure.densities import FeatureDensities, FeatureDensity
from proset.explain.structure.features import FeatureWeights
from proset.plots.densities import densities_words, plot_densities
from proset.plots.panels import panel_at, panels, single_values, value_labels
from proset.plots.weight_picture import plot_weight_picture
from proset.plots.weights import plot_feature_weights, plot_weights

EVIL = "<b>%{x}</b>"


def found(*, grid=None):
    index = pd.MultiIndex.from_tuples([("ward", "ward = n"), ("ward", "ward = s"), (EVIL, EVIL)])
    return FeatureWeights(
        weights=pd.DataFrame({1: [2.0, 1.0], 2: [0.0, 0.5]}, index=["ward", EVIL]),
        pieces=pd.DataFrame({1: [1.6, 1.2, 1.0], 2: [0.0, 0.0, 0.5]}, index=index.set_names(["feature", "piece"])),
        dropped=pd.DataFrame({"why": ["not used"], "words": ["The model does without 'age'."]}, index=["age"]),
        grid=grid,
    )


def test_pieces_open_below_their_feature():
    closed = plot_weights(found())
    assert list(closed.data[0].y) == ["ward", "&lt;b&gt;%&#123;x}&lt;/b&gt;"]
    opened = plot_weights(found(), levels=True)
    assert list(opened.data[0].y)[:3] == ["ward", "· ward = n", "· ward = s"]
    assert list(opened.data[0].x)[:3] == [2.0, 1.6, 1.2]


def test_pixels_without_weight_are_told_apart():
    figure = plot_weight_picture(found(grid=ImageGrid(1, 3, ("ward", "age", EVIL))))
    grey, weights = figure.data[0], figure.data[1]
    assert np.isnan(weights.z[0, 1])
    assert weights.z[0, 0] == 2.0
    assert grey.z[0, 1] == 0.0
    assert list(grey.customdata[0, 1]) == ["age", "not used"]
    assert EVIL not in figure.to_json()
    with pytest.raises(ValueError, match="no grid"):
        plot_weight_picture(found())


def test_of_several_batches_weights_of_next_to_nothing_have_no_number():
    frame = pd.DataFrame({1: [2.0, 0.01], 2: [0.03, 1.0]}, index=["ward", "age"])
    assert [list(trace.text) for trace in plot_feature_weights(frame).data] == [["2.00", ""], ["", "1.00"]]
    assert list(plot_feature_weights(frame[[1]]).data[0].text) == ["2.00", "0.01"]


def test_small_weights_are_told_apart_and_none_reads_as_0():
    frame = pd.DataFrame({1: [0.0274, 0.0128, 0.0001]}, index=["PT_02", "PT_05", "TT_02"])
    assert list(plot_feature_weights(frame).data[0].text) == ["0.027", "0.013", "< 0.001"]


def density(**values):
    usual = {
        "name": EVIL,
        "kind": "number",
        "places": (0.0, 1.0, 2.0),
        "samples": pd.DataFrame({"a": [0.1, 0.8, 0.1], "b": [0.1, 0.1, 0.8]}),
        "prototypes": pd.DataFrame({"row": [4], "batch": [1], "class": ["b"], "weight": [2.0], "place": [1.5]}),
    }
    return FeatureDensity(**(usual | values))


def test_curves_have_one_legend_entry_per_class_and_prototypes_below():
    figure = plot_densities(FeatureDensities((density(), density(name="age")), ("a", "b"), 10))
    assert [trace.name for trace in figure.data if trace.showlegend] == ["a", "b"]
    marks = [trace for trace in figure.data if trace.mode == "markers"]
    assert len(marks) == 2
    assert marks[0].customdata[0] == [4, 1]
    assert max(marks[0].y) < 0
    assert EVIL not in figure.to_json()


def test_the_numbers_of_a_panel_have_room_beside_the_one_before():
    one = density(kind="values", places=("u", "v", "w"))
    figure = plot_densities(FeatureDensities((one, one, one), ("a", "b"), 10))
    ends = [axis.domain for axis in (figure.layout.xaxis, figure.layout.xaxis2, figure.layout.xaxis3)]
    assert min(after[0] - before[1] for before, after in pairwise(ends)) > 0.1
    # Three words of twelve letters stand side by side below a panel that is alone, and on one another in a third.
    long = density(kind="values", places=("travel rarely", "travel often", "no travels"))
    angles = [plot_densities(FeatureDensities((long,) * count, ("a", "b"), 10)).layout.xaxis for count in (1, 3)]
    assert [axis.tickangle for axis in angles] == [0, -35]


@pytest.mark.parametrize(
    ("classes", "kinds", "said"),
    [
        ("ab", ["number"], "Curves: the rows of each class. Marks below curves: prototypes."),
        ("abcdef", ["number"], "Curves: the rows of each class."),
        ("ab", ["values"], "Bars: the rows of each class."),
        ("abcdef", ["number", "values"], "Curves and bars: the rows of each class."),
    ],
)
def test_the_words_name_only_what_is_drawn(classes, kinds, said):
    usual = {"values": {"places": ("u", "v", "w")}}
    figure = plot_densities(
        FeatureDensities(tuple(density(kind=kind, **usual.get(kind, {})) for kind in kinds), tuple(classes), 10)
    )
    assert densities_words(figure) == said


def test_what_is_not_drawn_is_said():
    one = density(kind="values", places=tuple("abcdefghijk"), samples=pd.DataFrame({"a": [1 / 11] * 11}), missing=3)
    figure = plot_densities(FeatureDensities((one,), ("a", "b"), 10))
    assert len(figure.data[0].x) == 8
    assert "3 values of" in figure.layout.meta
    assert "3 rows without" in figure.layout.meta


def test_a_note_is_plain_text():
    """The page and the report escape it themselves; escaped twice it would show as entities."""
    one = density(name="<b>dose</b>", missing=3)
    assert "'<b>dose</b>'" in plot_densities(FeatureDensities((one,), ("a", "b"), 10)).layout.meta


def test_an_empty_figure_does_not_fail():
    assert not plot_densities(FeatureDensities((), ("a",), 0)).data


def test_weights_of_many_batches_are_one_bar_each():
    weights = pd.DataFrame({batch: [1.0, 0.1 * batch] for batch in range(1, 8)}, index=["radius", "texture"])
    six, seven = plot_feature_weights(weights.drop(columns=7)), plot_feature_weights(weights)
    assert len(six.data) == 6
    (bars,) = seven.data
    assert list(bars.x) == [1.0, pytest.approx(0.7)]
    assert seven.layout.xaxis.title.text.endswith("largest of 7 batches")


def test_values_that_are_too_long_to_stand_side_by_side_are_slanted():
    """Beside each other they were cut down to three letters and printed over each other."""
    roles = ["Sales Representative", "Research Scientist", "Research Director", "Manager", "Manufacturing Director"]
    labels = value_labels(roles)
    assert labels == ["Sales Repre…", "Research Sc…", "Research Di…", "Manager", "Manufacturi…"]
    figure, _ = panels(["role", "sex"], panel=200, gap=50)
    single_values(figure, panel_at(0, 2), labels)
    single_values(figure, panel_at(1, 2), value_labels(["male", "female"]))
    few, _ = panels(["travel", "level", "sex"], panel=200, gap=50)
    single_values(few, panel_at(0, 3), value_labels(["Travel_Rarely", "Travel_Frequently", "Non-Travel"]))
    assert few.layout.xaxis.tickangle == -35  # in a narrow window they would lie over one another
    # As wide as the ticks of the next one, which are per cents.
    assert few.layout.xaxis2.domain[0] - few.layout.xaxis.domain[1] > 0.09
    assert [axis.tickangle for axis in figure.select_xaxes()] == [-35, 0]
