from dataclasses import replace

import numpy as np
import pytest

from proset.plots.selection import plot_stage_1, plot_stage_2
from proset.selection.plan import SearchPlan
from proset.selection.record import SearchRecord
from proset.selection.scores import FoldScores

GRID = SearchPlan(lambda_v=(1e-4, 1e-1), n_trials=4, n_folds=2, max_batches=3, second_look=True)
PAIRS = SearchPlan(lambda_v=(1e-6, 1e-1), lambda_w=(1e-9, 1e-4), n_trials=8, n_folds=2, max_batches=3)


def scores(means, *, sd=0.05):
    """Two folds with the given means and standard deviation."""
    means = np.asarray(means, dtype=float)
    losses = means[:, None] + np.array([-1.0, 1.0]) * sd / np.sqrt(2.0)
    return FoldScores(losses, np.where(np.isnan(losses), np.nan, 3.0), np.where(np.isnan(losses), np.nan, 20.0))


def record(plan, means, second=None, **person):
    first = SearchRecord(plan, "abc", scores(means), **person)
    return first if second is None else replace(first, curves={first.chosen(1): scores(second)})


@pytest.fixture
def grid():
    return record(GRID, [0.60, 0.50, 0.53, 0.70], [1.0, 0.52, 0.50, 0.49])


def points(figure):
    """Row label -> (x, y) of every point that can be pointed at."""
    return {
        entry[0]: (x, y)
        for trace in figure.data
        if trace.hovertemplate
        for entry, x, y in zip(trace.customdata, trace.x, trace.y, strict=True)
    }


def named(figure, name):
    return [trace for trace in figure.data if trace.name == name]


def place(figure, name):
    """Where a mark is."""
    trace = next(trace for trace in named(figure, name) if trace.customdata is not None)
    return [entry[0] for entry in trace.customdata], list(zip(trace.x, trace.y, strict=True))


def test_every_row_of_stage_1_is_a_point_with_its_label(grid):
    figure = plot_stage_1(grid)
    expected = {
        label: (pytest.approx(row.lambda_v), pytest.approx(row.mean_loss))
        for label, row in grid.stage_1.rename(columns={"mean": "mean_loss"}).iterrows()
    }
    assert points(figure) == expected
    assert figure.layout.xaxis.type == "log"


def test_optimum_and_choice_are_marked_and_the_threshold_is_stated(grid):
    figure = plot_stage_1(grid)
    assert place(figure, "lowest mean") == ([1], [(pytest.approx(1e-3), pytest.approx(0.50))])
    assert place(figure, "chosen") == ([2], [(pytest.approx(1e-2), pytest.approx(0.53))])
    (line,) = named(figure, "threshold 0.550")
    assert list(line.y) == [pytest.approx(0.55)] * 2
    assert len(named(figure, "above the threshold")[0].x) == 2


def test_the_band_is_one_standard_deviation_and_never_below_zero():
    figure = plot_stage_1(record(GRID, [0.60, 0.50, 0.02, 0.70]))
    (band,) = named(figure, "± 1 standard deviation")
    upper, lower = np.array(band.y[:4]), np.array(band.y[:3:-1])
    np.testing.assert_allclose(upper, [0.65, 0.55, 0.07, 0.75])
    np.testing.assert_allclose(lower, [0.55, 0.45, 0.0, 0.65], atol=1e-12)


def test_a_person_s_choice_is_the_one_that_is_marked(grid):
    chosen = grid.with_choice(lambda_v=1e-4, lambda_w=1e-8)
    assert place(plot_stage_1(chosen), "chosen")[0] == [0]
    assert place(plot_stage_1(chosen), "lowest mean")[0] == [1]
    assert place(plot_stage_2(grid.with_batches(3)), "chosen")[0] == [3]


def test_a_grid_over_the_other_penalty_runs_along_that_one():
    plan = SearchPlan(lambda_v=1e-3, lambda_w=(1e-9, 1e-6), n_trials=4, n_folds=2, max_batches=1)
    figure = plot_stage_1(record(plan, [0.6, 0.5, 0.5, 0.7]))
    assert {label: x for label, (x, _) in points(figure).items()} == pytest.approx(
        dict(enumerate(np.geomspace(1e-9, 1e-6, 4)))
    )
    assert "prototype weights" in figure.layout.xaxis.title.text


@pytest.mark.parametrize("fixed", [0.0, 1e-3])
def test_fixed_penalties_are_one_point(fixed):
    figure = plot_stage_1(record(SearchPlan(lambda_v=fixed, n_folds=2, max_batches=1), [0.5]))
    assert points(figure) == {0: (pytest.approx(fixed), pytest.approx(0.5))}
    assert figure.layout.xaxis.type == ("log" if fixed else None)
    assert place(figure, "chosen")[0] == place(figure, "lowest mean")[0] == [0]


def test_pairs_are_points_over_both_penalties_on_a_surface():
    means = np.linspace(0.5, 0.7, 8)
    one = record(PAIRS, means)
    figure = plot_stage_1(one)
    assert points(figure) == {
        label: (pytest.approx(row.lambda_v), pytest.approx(row.lambda_w)) for label, row in one.stage_1.iterrows()
    }
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    surface, *border = (trace for trace in figure.data if trace.type == "contour")
    assert np.asarray(surface.z).min() >= 0.5 - 1e-9
    assert np.asarray(surface.z).max() <= 0.7 + 1e-9
    assert [(line.contours.start, line.contours.end) for line in border] == [(pytest.approx(one.threshold(1)),) * 2] * 2
    assert "interpolated" in figure.layout.meta
    assert place(figure, "lowest mean")[0] == [0]
    assert place(figure, "chosen")[0] == [one.chosen(1)]


def test_the_surface_passes_through_what_was_measured():
    rng = np.random.default_rng(0)
    one = record(PAIRS, rng.uniform(0.4, 0.9, 8))
    surface = next(trace for trace in plot_stage_1(one).data if trace.type == "contour")
    x, y, z = (np.asarray(axis) for axis in (surface.x, surface.y, surface.z))
    for row in one.stage_1.rename(columns={"mean": "mean_loss"}).itertuples():
        nearest = z[np.abs(np.log(y / row.lambda_w)).argmin(), np.abs(np.log(x / row.lambda_v)).argmin()]
        assert nearest == pytest.approx(row.mean_loss, abs=0.06)


def test_equal_means_and_few_pairs_are_drawn():
    flat = plot_stage_1(record(PAIRS, np.full(8, 0.5)))
    assert len(points(flat)) == 8
    few = plot_stage_1(record(PAIRS, [0.5, 0.6, 0.7] + [np.nan] * 5))
    assert not [trace for trace in few.data if trace.type == "contour"]
    assert few.layout.meta is None


def test_a_search_under_way_shows_what_is_finished():
    under_way = record(GRID, [np.nan, 0.50, 0.53, np.nan])
    assert set(points(plot_stage_1(under_way))) == {1, 2}
    early = record(GRID, [0.5, np.nan, np.nan, np.nan], choice=GRID.pairs()[3])
    assert place(plot_stage_1(early), "chosen") == ([], [])
    nothing = plot_stage_1(record(GRID, [np.nan] * 4))
    assert not nothing.data
    assert "No pair" in nothing.layout.annotations[0].text
    assert "not been searched" in plot_stage_2(under_way).layout.annotations[0].text


def test_stage_2_is_log_loss_over_the_number_of_batches(grid):
    figure = plot_stage_2(grid)
    assert points(figure) == {n: (n, pytest.approx(loss)) for n, loss in enumerate([1.0, 0.52, 0.50, 0.49])}
    assert place(figure, "lowest mean")[0] == [3]
    assert place(figure, "chosen")[0] == [1]
    assert named(figure, "threshold 0.540")


def test_a_far_worse_start_does_not_flatten_the_rest():
    near = plot_stage_2(record(GRID, [0.5] * 4, [0.6, 0.52, 0.50, 0.49]))
    assert near.layout.yaxis.range is None
    assert near.layout.meta is None
    far = plot_stage_2(record(GRID, [0.5] * 4, [2.3, 0.52, 0.50, 0.49]))
    assert far.layout.yaxis.range[1] < 1.0
    assert "2.300" in far.layout.meta
    assert far.layout.annotations[0].text == "↑ 2.30"


@pytest.mark.parametrize("stage", [1, 2])
def test_hover_says_what_was_measured(grid, stage):
    figure = plot_stage_1(grid) if stage == 1 else plot_stage_2(grid)
    entry = next(entry for trace in figure.data if trace.hovertemplate for entry in trace.customdata if entry[0] == 1)
    assert list(entry[1:]) == (
        ["λ<sub>v</sub> = 0.001", "0.5000", "0.0500", "3.0", "20.0"]
        if stage == 1
        else ["1 batch", "0.5200", "0.0500", "3.0", "20.0"]
    )


def test_names_of_lines_that_end_together_are_moved_apart():
    plan = replace(GRID, second_look=True)
    first = SearchRecord(plan, "abc", scores([0.50, 0.50, 0.50, 0.70]))
    ends = {2: 0.49, 1: 0.402, 0: 0.40}
    found = replace(first, curves={row: scores([2.3, 0.5, 0.5, end], sd=0.01) for row, end in ends.items()})
    figure = plot_stage_2(found)
    assert found.chosen(1) == 1
    labels = {note.text: note.y for note in figure.layout.annotations if note.xref == "paper"}
    assert labels == {"0.0001": pytest.approx(0.40), "0.01": pytest.approx(0.49)}
    lambda_v, lambda_w = plan.pairs()[2]
    other = plot_stage_2(found.with_choice(lambda_v=lambda_v, lambda_w=lambda_w))
    places = [note.y for note in other.layout.annotations if note.xref == "paper"]
    low, high = other.layout.yaxis.range
    assert np.mean(places) == pytest.approx(0.401)
    assert np.diff(places) == pytest.approx(0.055 * (high - low))


def test_other_penalties_of_stage_2_are_thin_lines_that_are_no_points(grid):
    both = replace(grid, curves=grid.curves | {1: scores([1.0, 0.40, 0.30, 0.30])})
    figure = plot_stage_2(both)
    assert both.chosen(1) == 1
    (other,) = named(figure, "other λ<sub>v</sub> (on the right)")
    assert list(other.y) == pytest.approx([1.0, 0.52, 0.50, 0.49])
    (label,) = [note for note in figure.layout.annotations if note.xref == "paper"]
    assert (label.text, label.y) == ("0.01", pytest.approx(0.49))
    assert other.hoverinfo == "skip"
    assert sorted(y for _, y in points(figure).values()) == pytest.approx([0.30, 0.30, 0.40, 1.0])
