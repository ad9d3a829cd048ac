"""Figures of a comparison."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from proset.compare import ComparePlan, compare, metric_table
from proset.compare.verdict import half_width
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.explain import surface
from proset.plots import style
from proset.plots.compare_agreement import plot_agreement, plot_overlap
from proset.plots.compare_drift import plot_drift_signs
from proset.plots.compare_features import plot_feature_shares
from proset.plots.compare_map import plot_distance_map
from proset.plots.compare_measures import plot_measures
from proset.plots.compare_size import plot_error_over_size
from proset.plots.compare_surfaces import plot_surfaces
from proset.study import fit_study

HOSTILE = "<img src=x onerror=alert(1)> %{x}"


def path(title, sizes, losses, *, own=None):
    """The lines of one system as `size_paths` has them."""
    steps = [(size, loss, False) for size, loss in zip(sizes, losses, strict=True)]
    lines = steps + ([(*own, True)] if own else [])
    return pd.DataFrame(
        [
            {
                "title": title, "knob": "own settings" if mine else "k", "value": np.nan if mine else float(i),
                "n_prototypes": size, "n_features": 3.0, "loss_mean": loss, "loss_sd": 0.1, "own": mine,
            }
            for i, (size, loss, mine) in enumerate(lines)
        ]
    )  # fmt: skip


class TestErrorOverSize:
    def test_a_line_joins_what_no_smaller_one_beats_and_what_is_compared_is_ringed(self):
        found = path("kNN", [90.0, 10.0, 40.0], [0.3, 0.2, 0.1], own=(60.0, 0.15))
        figure = plot_error_over_size(found, threshold=0.2)
        marks, own, line, ring = figure.data[:4]
        assert list(marks.x) == [10.0, 40.0, 90.0]
        assert list(marks.y) == [0.2, 0.1, 0.3]
        assert (list(line.x), list(line.y)) == ([10.0, 40.0], [0.2, 0.1])  # 90 are beaten by 40
        assert (list(own.x), list(ring.x), ring.marker.symbol) == ([60.0], [60.0], "circle-open")
        assert [trace.name for trace in figure.data if trace.showlegend is not False] == ["kNN", "as compared"]
        assert figure.layout.shapes[0].y0 == 0.2

    def test_the_line_begins_with_the_best_of_a_size_and_passes_through_what_is_compared(self):
        alike = plot_error_over_size(path("kNN", [90.0, 90.0, 90.0], [0.3, 0.1, 0.2], own=(90.0, 0.15)))
        assert not [trace for trace in alike.data if trace.mode == "lines"]  # no mark is smaller than another
        between = plot_error_over_size(path("proset", [10.0, 90.0], [0.3, 0.1], own=(40.0, 0.2)))
        (line,) = [trace for trace in between.data if trace.mode == "lines"]
        assert (list(line.x), list(line.y)) == ([10.0, 40.0, 90.0], [0.3, 0.2, 0.1])

    def test_systems_without_such_a_size_are_named_and_the_others_keep_their_colours(self):
        found = pd.concat([path("XGBoost", [np.nan], [0.2]), path("proset", [5.0], [0.1], own=(5.0, 0.1))])
        figure = plot_error_over_size(found, systems=["proset", "kNN", "XGBoost"])
        assert "so not shown: kNN, XGBoost." in figure.layout.meta
        alone = plot_error_over_size(path("XGBoost", [2.0], [0.2]), systems=["proset", "kNN", "XGBoost"])
        both = plot_error_over_size(found, by="n_features", systems=["proset", "kNN", "XGBoost"])
        assert alone.data[0].line.color == both.data[-3].line.color or "XGBoost" in {t.name for t in both.data}

    def test_points_far_above_are_out_of_the_first_view_and_counted(self):
        figure = plot_error_over_size(path("kNN", [10.0, 40.0], [7.0, 0.2], own=(40.0, 0.2)), threshold=0.25)
        assert figure.layout.yaxis.range[1] < 1.0
        assert figure.layout.meta == "1 point above the first view; zoom out to see it."
        assert plot_error_over_size(path("kNN", [10.0], [0.21], own=(40.0, 0.2))).layout.yaxis.range is None

    def test_a_model_of_size_nought_and_no_system_at_all_can_be_drawn(self):
        assert plot_error_over_size(path("proset", [0.0], [0.7])).data[0].x[0] > 0.0
        assert len(plot_error_over_size(path("XGBoost", [np.nan], [0.2])).data) == 0


class TestSquares:
    def test_the_most_used_features_come_first_and_the_rest_is_counted(self):
        shares = pd.DataFrame({"a": [0.1, 0.9, 0.0], "b": [0.3, 0.4, 0.3]}, index=["x", "y", "z"])
        figure = plot_feature_shares(shares, limit=1)
        assert list(figure.layout.yaxis.ticktext) == ["y"]
        assert figure.layout.meta == "2 more features of less weight are not shown."

    def test_a_system_without_weights_has_an_empty_column(self):
        shares = pd.DataFrame({"a": [1.0, 0.0], "b": [np.nan, np.nan]}, index=["x", "y"])
        figure = plot_feature_shares(shares)
        assert {0} == set(figure.data[0].x)
        assert [line[3] for line in figure.data[0].customdata] == ["100 % of its weight", "not used"]

    def test_nothing_stands_where_a_system_meets_itself(self):
        pairs = pd.DataFrame([[1.0, 0.4], [0.4, 1.0]], index=["a", "b"], columns=["a", "b"])
        assert [line[0] for line in plot_agreement(pairs).data[0].customdata] == [1, 2]
        missing = pairs.where(pairs > 0.5)
        assert len(plot_overlap(missing).data[0].x) == 0

    def test_what_strangers_wrote_is_no_markup(self):
        shares = pd.DataFrame({HOSTILE: [1.0]}, index=[HOSTILE])
        drawn = plot_feature_shares(shares).to_json()
        assert "<img" not in drawn
        assert "%{x}" not in drawn


def test_drift_bars_begin_at_guessing_and_a_sign_that_points_the_wrong_way_looks_other():
    found = pd.DataFrame({"label": ["a", "b", "c"], "auc": [0.4, 0.9, np.nan], "said": ["x", HOSTILE, "z"]})
    bars = plot_drift_signs(found).data[0]
    assert list(bars.x) == pytest.approx([0.4, -0.1])
    assert bars.base == 0.5
    assert list(bars.marker.pattern.shape) == ["", "/"]
    assert bars.marker.pattern.fillmode == "overlay"
    assert "<img" not in str(bars.customdata)


def test_drift_bars_beside_each_other_can_have_one_axis():
    found = pd.DataFrame({"label": ["a"], "auc": [0.9], "said": ["x"]})
    low = plot_drift_signs(found.assign(auc=0.3)).layout.xaxis.range
    assert plot_drift_signs(found, lowest=0.3).layout.xaxis.range == low
    assert plot_drift_signs(found).layout.xaxis.range != low
    assert plot_drift_signs(found, lowest=float("nan")).layout.xaxis.range == plot_drift_signs(found).layout.xaxis.range


class TestDistanceMap:
    rows = pd.DataFrame(
        {"x": [0.0, 1.0], "y": [1.0, 0.0], "actual": ["a", HOSTILE], "predicted": ["b", HOSTILE]}, index=[7, 9]
    )

    def test_rows_can_be_picked_and_points_that_are_no_rows_cannot(self):
        prototypes = pd.DataFrame(
            {"x": [0.0, 0.5], "y": [0.0, 0.5], "class": ["a", "a"], "row": [7, 9], "made": [False, True]}
        )
        figure = plot_distance_map(self.rows, prototypes, ["a", HOSTILE], selected=9)
        picked = [trace.customdata[0][0] for trace in figure.data if trace.customdata is not None]
        assert picked == [7, 7, 9]
        assert figure.data[-1].name == "selected case"
        assert "<img" not in figure.to_json()
        assert figure.layout.yaxis.scaleanchor == "x"

    def test_a_system_without_prototypes_has_no_large_marks(self):
        none = pd.DataFrame({"x": [], "y": [], "class": [], "row": [], "made": []})
        names = [trace.name for trace in plot_distance_map(self.rows, none, ["a", HOSTILE]).data]
        assert "prototype" not in names
        assert "misclassified" in names


class TestSurfaces:
    def test_they_share_one_legend_one_scale_and_their_axes(self, iris_study):
        one = surface(iris_study, n_points=6)
        figure = plot_surfaces([("a", one), ("b", one), ("c", one), ("d", one), ("e", one)], show="probability")
        maps = [trace for trace in figure.data if trace.type == "heatmap" and trace.name.startswith("probability")]
        assert len(maps) == 5
        # What a system knows too little of is grey on each of them, with one entry in the legend.
        assert sum("less familiar than" in trace.name for trace in figure.data if trace.type == "heatmap") == 5
        assert [trace.showscale is not False for trace in maps] == [True, *[False] * 4]
        assert {(trace.zmin, trace.zmax) for trace in maps} == {(0.0, 1.0)}
        names = [trace.name for trace in figure.data if trace.showlegend is not False and trace.type == "scatter"]
        assert len(names) == len(set(names))
        axes = [figure.layout[name] for name in figure.layout if name.startswith("xaxis")]
        assert len({tuple(axis.range) for axis in axes}) == 1
        assert len(axes) == 5
        assert {axis.matches for axis in axes} - {None} == {axes[-1].matches or axes[0].matches}

    @pytest.mark.slow
    def test_a_long_title_stands_once_below_a_line_of_surfaces(self, iris_study):
        one = surface(iris_study, n_points=6)
        long = replace(one, x_axis=replace(one.x_axis, name="length of the sepal in millimetres"))

        def titles(shown, count):
            figure = plot_surfaces([(f"{i}", shown) for i in range(count)])
            axes = [figure.layout[name] for name in figure.layout if name.startswith("xaxis")]
            return [axis.title.text for axis in axes if axis.title.text]

        assert len(titles(replace(one, x_axis=replace(one.x_axis, name="length")), 6)) == 3
        assert titles(long, 6) == titles(long, 3) == titles(long, 2) == [long.x_axis.name]
        assert titles(long, 5) == [long.x_axis.name] * 2  # the last of the upper line has none below

    def test_marks_that_are_right_come_first_so_that_the_legend_looks_like_them(self, iris_study):
        one = surface(iris_study, n_points=6)
        flags = [i % 2 == 1 for i in range(len(one.samples))]
        samples = one.samples.assign(correct=flags)
        figure = plot_surfaces([("a", replace(one, samples=samples))])
        drawn = [trace for trace in figure.data if trace.name in one.classes and trace.customdata is not None]
        wrong = [[not samples.loc[row, "correct"] for row, *_ in trace.customdata] for trace in drawn]
        assert any(map(any, wrong))
        assert all(line == sorted(line) for line in wrong)

    def test_every_colour_has_its_entry_in_the_legend_though_no_case_of_the_class_is_near(self, iris_study):
        one = surface(iris_study, n_points=6)
        alone = replace(one, samples=one.samples[one.samples["actual"] == one.classes[0]])
        figure = plot_surfaces([("a", alone), ("b", alone)], show="class")
        entries = [trace for trace in figure.data if trace.showlegend is not False and trace.type == "scatter"]
        colours = [trace for trace in entries if trace.name in one.classes]
        assert sorted(trace.name for trace in colours) == sorted(one.classes)
        ranks = {trace.name: trace.legendrank for trace in colours}
        assert sorted(ranks, key=ranks.get) == list(one.classes)

    def test_what_is_not_drawn_is_said_of_whose_surface_it_is(self, iris_study):
        one = surface(iris_study, n_points=6)
        far = replace(one, samples=one.samples.assign(similarity=0.0))
        same = plot_surfaces([("a", far), ("b", far)]).layout.meta
        assert same.startswith(f"All {len(far.samples)} cases")
        other = plot_surfaces([("a", one), ("b", far), ("c", far)]).layout.meta
        assert other == f"b, c: {same}"

    def test_classes_whose_names_are_shortened_to_the_same_have_an_entry_each(self, iris_study):
        names = {"setosa": "x" * 60, "versicolor": "x" * 59 + "z", "virginica": "y"}
        frame = iris_study.table.frame.copy()
        frame["species"] = frame["species"].map(names)
        table = read_table(frame.to_csv(index=False).encode())
        long = surface(fit_study(table, guess_roles(table, target="species").roles))
        figure = plot_surfaces([("a", long), ("b", long)])
        groups = [trace.legendgroup for trace in figure.data if trace.legendgroup and trace.showlegend is not False]
        assert sorted(groups) == sorted([*(f"class {name}" for name in names.values()), "misclassified", "veil"])

    def test_a_click_finds_its_row_in_each_of_them(self, iris_study):
        one = surface(iris_study, n_points=6)
        figure = plot_surfaces([("a", one), (HOSTILE, one)], selected=int(one.samples.index[0]))
        places = {(trace.xaxis, trace.yaxis) for trace in figure.data if trace.customdata is not None}
        assert len(places) == 2
        assert "<img" not in figure.to_json()


class TestMeasures:
    def test_dots_are_the_means_with_intervals_and_the_current_model_has_the_accent(self, iris_study):
        table = metric_table(compare(iris_study, ComparePlan(("proset", "knn"), n_folds=3, sizes=False, drift=False)))
        figure = plot_measures(table, current="proset")
        frame = table.frame.sort_values("log_loss_mean")
        for trace, name in zip(figure.data, ("log_loss", "balanced_accuracy"), strict=True):
            assert list(trace.x) == pytest.approx(frame[f"{name}_mean"].tolist())
            half = [half_width(sd, 3) for sd in frame[f"{name}_sd"]]
            assert np.all(np.asarray(trace.error_x.array) <= np.asarray(half) + 1e-12)
            assert [c == style.MODEL for c in trace.marker.color] == [key == "proset" for key in frame.index]
        assert list(figure.data[0].error_x.array) == pytest.approx([half_width(sd, 3) for sd in frame["log_loss_sd"]])
        assert max(np.asarray(figure.data[1].x) + figure.data[1].error_x.array) <= 1.0

    def test_no_line_of_sizes_comes_from_outside_the_frame(self):
        line = {"title": "proset", "knob": "batches", "value": 1.0, "n_features": 4.0, "loss_sd": 0.01}
        steps = [
            {**line, "n_prototypes": float(n), "loss_mean": loss, "own": n == 8}
            for n, loss in ((1, 5.0), (2, 3.0), (4, 0.22), (8, 0.2))
        ]
        figure = plot_error_over_size(pd.DataFrame(steps))
        low, high = figure.layout.yaxis.range
        lines = [trace for trace in figure.data if trace.mode == "lines"]
        assert lines
        for trace in lines:
            assert list(trace.y) == [0.22, 0.2]
            assert all(low <= y <= high for y in trace.y)
        assert "2 points above the first view" in figure.layout.meta
