import numpy as np
import pandas as pd
import pytest

from proset.plots import style
from proset.plots.classes import plot_class_balance
from proset.plots.confusion import plot_confusion
from proset.plots.weights import plot_feature_weights


@pytest.fixture
def confusion():
    return pd.DataFrame([[40, 10, 0], [0, 30, 0], [5, 0, 15]], index=["a", "b", "<c>"], columns=["a", "b", "<c>"])


def test_every_cell_with_rows_is_one_point(confusion):
    figure = plot_confusion(confusion)
    cells = {tuple(entry[:2]): entry[2] for trace in figure.data for entry in trace.customdata}
    expected = {
        (actual, predicted): confusion.loc[actual, predicted]
        for actual in confusion.index
        for predicted in confusion.columns
        if confusion.loc[actual, predicted]
    }
    assert cells == expected


def test_right_and_wrong_are_told_apart_and_sized_by_share(confusion):
    right, wrong = plot_confusion(confusion).data
    assert (right.name, wrong.name) == ("right", "wrong")
    assert all(entry[0] == entry[1] for entry in right.customdata)
    assert all(entry[0] != entry[1] for entry in wrong.customdata)
    assert right.marker.color != wrong.marker.color
    assert [entry[3] for entry in wrong.customdata] == [20.0, 25.0]
    assert (wrong.marker.size[0] / right.marker.size[1]) ** 2 == pytest.approx(0.2)


def test_actual_classes_run_down_and_predicted_ones_across(confusion):
    figure = plot_confusion(confusion)
    wrong = figure.data[1]
    assert list(zip(wrong.x, wrong.y, strict=True)) == [(1, 0), (0, 2)]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]
    assert list(figure.layout.xaxis.ticktext) == ["a", "b", "&lt;c&gt;"]


def test_a_class_without_held_out_rows_draws_no_cell():
    figure = plot_confusion(pd.DataFrame([[3, 0], [0, 0]], index=["a", "b"], columns=["a", "b"]))
    assert len(figure.data[0].x) == 1
    assert len(figure.data[1].x) == 0


def test_feature_weights_one_trace_per_batch():
    weights = pd.DataFrame({1: [2.0, 0.5, 0.0], 2: [0.0, 0.7, 3.0]}, index=["f", "g", "h"])
    figure = plot_feature_weights(weights)
    assert [trace.name for trace in figure.data] == ["batch 1", "batch 2"]
    assert list(figure.data[0].y) == ["h", "f", "g"]
    assert list(figure.data[0].x) == [0.0, 2.0, 0.5]
    assert list(figure.data[1].x) == [3.0, 0.0, 0.7]
    assert figure.layout.yaxis.autorange == "reversed"
    assert figure.layout.meta is None


def test_feature_weights_are_cut_to_the_heaviest():
    weights = pd.DataFrame({1: np.arange(1.0, 31.0)}, index=[f"f{i}" for i in range(30)])
    figure = plot_feature_weights(weights, limit=20)
    assert list(figure.data[0].y)[:2] == ["f29", "f28"]
    assert len(figure.data[0].y) == 20
    assert figure.layout.meta == "10 more features of less weight are not shown."


def test_names_that_are_cut_to_the_same_label_keep_their_own_bar():
    weights = pd.DataFrame({1: [2.0, 1.0]}, index=["x" * 60 + "1", "x" * 60 + "2"])
    trace = plot_feature_weights(weights).data[0]
    assert len(set(trace.y)) == 2
    assert [entry[0][-1] for entry in trace.customdata] == ["1", "2"]


@pytest.mark.parametrize("weights", [pd.DataFrame(index=pd.Index([], dtype="str")), pd.DataFrame({1: []}, dtype=float)])
def test_no_active_features_draw_an_empty_figure(weights):
    assert sum(len(trace.x) for trace in plot_feature_weights(weights).data) == 0


def test_class_balance():
    counts = pd.DataFrame({"training": [70, 20], "held out": [30, 10]}, index=["yes", "<no>"])
    figure = plot_class_balance(counts)
    assert [list(trace.x) for trace in figure.data] == [[70, 20], [30, 10]]
    assert list(figure.data[0].marker.color) == list(style.class_colours(["yes", "<no>"]).values())
    assert figure.data[0].marker.pattern.shape != figure.data[1].marker.pattern.shape
    assert list(figure.layout.yaxis.ticktext) == ["yes", "&lt;no&gt;"]
    assert figure.data[1].customdata[0][1] == "75.0 %"
    assert figure.layout.legend.traceorder == "normal"
