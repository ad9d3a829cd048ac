"""The figure of the front: every point is there and can be clicked, the named ones are marked."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from proset.plots import front, style
from proset.plots.front import plot_curves, plot_front
from proset.selection import JointRecord, front_point, landmarks
from proset.selection.front import JOINED
from proset.study import Study


def labels_of(figure, *, hovering=True):
    """Labels of all points that show a box."""
    return [
        int(item[0])
        for trace in figure.data
        if trace.customdata is not None and (trace.hoverinfo != "skip") is hovering
        for item in trace.customdata
    ]


def test_every_point_is_there_once(jointly: Study) -> None:
    record = jointly.search
    assert sorted(labels_of(plot_front(record))) == [JOINED, *record.points.index]


def test_the_three_marks_stand_on_their_points(jointly: Study) -> None:
    record, figure = jointly.search, plot_front(jointly.search)
    for name, point in landmarks(record).by_name.items():
        marks = [trace for trace in figure.data if trace.name == name and trace.x[0] is not None]
        assert marks
        for mark in marks:
            assert mark.y[0] == point.log_loss
            assert int(mark.customdata[0][0]) == point.label


def test_the_front_is_what_nothing_beats(jointly: Study) -> None:
    record, figure = jointly.search, plot_front(jointly.search)
    line = next(trace for trace in figure.data if trace.name == "front")
    points = record.points[record.points["on_front"]].sort_values("n_prototypes")
    falling = points[points["mean"] < points["mean"].shift().cummin().fillna(np.inf)]
    assert list(line.y) == list(falling["mean"]) == sorted(line.y, reverse=True)
    assert list(line.x) == sorted(line.x)


def test_a_point_of_fewer_features_alone_makes_no_front_rise(jointly: Study) -> None:
    some = front_point(jointly.search, jointly.search.points.index[-1])
    places = [(20.0, 0.85, True), (21.0, 0.88, True), (25.0, 0.80, True), (22.0, 0.82, False), (30.0, 0.80, True)]
    points = [replace(some, n_prototypes=size, log_loss=loss, on_front=front) for size, loss, front in places]
    assert [point.log_loss for point in front._falling(points)] == [0.85, 0.80]


def test_the_refined_model_is_within_the_picture(jointly: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    best = jointly.search.points["mean"].min()
    monkeypatch.setattr(front, "_refined", lambda _: [SimpleNamespace(n_prototypes=5.0, log_loss=best - 0.5)])
    monkeypatch.setattr(front, "_FAR", 0.0)
    figure = plot_front(jointly.search)
    assert figure.layout.yaxis.range[0] < best - 0.5


def test_pairs_that_were_dropped_are_named_with_their_folds(jointly: Study) -> None:
    record = jointly.search
    dropped = set(range(record.plan.n_pairs)) - set(record.tried)
    names = {trace.name for trace in plot_front(record).data}
    assert bool(dropped) == any(str(name).startswith("dropped after") for name in names)
    # Which pairs would not have gone on is known where only the last look is missing.
    early = replace(record, refined=None, joined=None).take_best_so_far()
    assert early.unfinished
    assert {trace.name for trace in plot_front(early).data if "fold" in str(trace.name)} == {
        name for name in names if "fold" in str(name)
    }


def test_a_search_under_way_has_a_figure_and_says_nothing_of_dropping(stopped_search: JointRecord) -> None:
    figure = plot_front(stopped_search)
    assert sorted(labels_of(figure)) == list(stopped_search.points.index)
    assert not any(str(trace.name).startswith("dropped") for trace in figure.data)
    assert "on some folds only" in {trace.name for trace in figure.data}


def test_the_best_of_a_search_that_was_stopped_says_nothing_of_dropping(stopped_search: JointRecord) -> None:
    names = {str(trace.name) for trace in plot_front(stopped_search.take_best_so_far()).data}
    assert not any(name.startswith("dropped") for name in names)


def test_the_scale_of_features_names_no_number_twice(jointly: Study) -> None:
    bars = [trace.marker.colorbar for trace in plot_front(jointly.search).data if trace.name == "tried on all folds"]
    assert [float(bar.dtick).is_integer() and bar.dtick >= 1 for bar in bars] == [True]


def test_no_prototypes_have_a_place_on_the_logarithmic_axis(jointly: Study) -> None:
    figure = plot_front(jointly.search.with_point(0, 0))
    axis = figure.layout.xaxis
    assert axis.type == "log"
    assert axis.ticktext[0] == "none"
    assert 10 ** axis.range[0] < axis.tickvals[0] < 10 ** axis.range[1]


def test_points_far_above_are_left_out_and_counted(jointly: Study) -> None:
    figure = plot_front(jointly.search)
    shown, highest = figure.layout.yaxis.range, jointly.search.points["mean"].max()
    assert (shown is None) == (figure.layout.meta is None)
    if shown is not None:
        assert shown[1] < highest
        assert f"{highest:.2f}" in figure.layout.meta


def test_the_curves_are_those_of_the_pairs_on_all_folds(jointly: Study) -> None:
    record, figure = jointly.search, plot_curves(jointly.search)
    lines = [trace for trace in figure.data if "lines" in trace.mode]
    assert len(lines) == len(record.tried)


def test_the_way_to_the_refined_model_begins_at_the_diamond(jointly: Study) -> None:
    record = jointly.search
    assert isinstance(record, JointRecord)
    assert record.refined is not None
    losses = np.where(np.arange(len(record.plan.refinements())) == 1, 0.9, 1.0) * 0.5
    sizes = np.where(np.arange(len(losses)) == 1, 0.1, 5.0)  # fewer than every other point
    folds = (1, record.plan.n_folds)
    scores = replace(
        record.refined, log_loss=np.tile(losses[:, None], folds), n_prototypes=np.tile(sizes[:, None], folds)
    )
    refined = replace(record, refined=scores)
    figure = plot_front(refined)
    way = next(trace for trace in figure.data if trace.name == "chosen, refined")
    chosen = landmarks(refined).chosen
    assert (way.x[0], way.y[0]) == (chosen.n_prototypes, chosen.log_loss)
    assert (way.x[1], way.y[1]) == (0.5, 0.45)  # where a logarithmic axis shows the least
    assert figure.layout.xaxis.range[0] < np.log10(0.5)
    assert not any(trace.name == "chosen, refined" for trace in plot_front(replace(record, refined=None)).data)


@pytest.mark.parametrize("taken", [False, True])
def test_joined_votes_are_a_point_of_their_own_at_the_end_of_a_way_from_the_rules_choice(
    jointly: Study, taken: bool
) -> None:
    assert isinstance(jointly.search, JointRecord)
    record = jointly.search.with_joined() if taken else jointly.search
    point, rule = front_point(record, JOINED), landmarks(record).rule
    figure = plot_front(record)
    mark = next(trace for trace in figure.data if trace.name in ("joined votes", "joined votes, chosen"))
    assert (mark.x[0], mark.y[0]) == (max(point.n_prototypes, 0.5), point.log_loss)
    assert mark.customdata[0][0] == JOINED
    assert (mark.marker.color == style.INK) is taken
    ways = [trace for trace in figure.data if trace.mode == "lines" and trace.line.dash == "dot"]
    assert [(way.x[0], way.x[1]) for way in ways] == [(rule.n_prototypes, mark.x[0])]
    low, high = figure.layout.xaxis.range
    assert low < np.log10(mark.x[0]) < high
    alone = plot_front(replace(jointly.search, joined=None))
    assert "joined votes" not in {trace.name for trace in alone.data}
