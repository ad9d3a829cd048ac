"""Compiled units, L-BFGS and stages, beside the plain form of the same."""

import numpy as np
import pytest
from companions.gbmap.plain_stage import PlainStage

from proset.companions.gbmap import compiled, stage
from proset.companions.gbmap.compiled import LOGISTIC, NO_PROGRESS, ROWS, SQUARED, Goal, RowBlocks
from proset.companions.gbmap.stage import best_units, in_blocks, matrix_in_blocks

Q = 4


def made(loss, seed=0, n=300):
    """Rows with a bend in them: features with a column of ones, target, offset, weights."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, Q - 1))
    f = np.abs(X[:, 0] - 0.3) - X[:, 1]
    y = (
        f + 0.3 * rng.normal(size=n)
        if loss == SQUARED
        else np.where(rng.random(n) < 1 / (1 + np.exp(-2 * f)), 1.0, -1.0)
    )
    weight = rng.random(n)
    return X, y, 0.3 * rng.normal(size=n), weight / weight.sum()


def rows_of(X, y, offset, weight, dtype=np.float64):
    kind = np.dtype(dtype)
    return RowBlocks(
        matrix_in_blocks(X, True, kind),
        in_blocks(y[None], kind),
        in_blocks(offset[None], kind),
        in_blocks(weight, kind),
    )


def goal_of(loss, *, beta=1.0, ridge=1e-3, lasso=0.0, tol=1e-7, steps=500, slack=1e-14):
    return Goal(loss, beta, ridge / Q, lasso / Q, Q - 1, tol, steps, slack)


def start(seed):
    return np.random.default_rng(seed).normal(size=(1, 1, Q + 1))


ONE = np.zeros(1, dtype=np.int64)


@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 2e-14), (np.float32, 1e-5)])
def test_softplus_and_sigmoid_are_those_of_numpy_and_stable_far_out(dtype, tolerance):
    u = np.linspace(-60.0, 60.0, ROWS).astype(dtype)
    u[:4] = [-1e3, 1e3, 0.0, -80.0]
    value, slope = u.copy(), np.empty(ROWS, dtype)
    (compiled._units_64 if dtype == np.float64 else compiled._units_32)(value, slope, np.empty(ROWS, dtype))
    exact = u.astype(np.float64)
    near = slice(2, None)
    np.testing.assert_allclose(value[near], np.logaddexp(0.0, exact)[near], rtol=tolerance)
    np.testing.assert_allclose(slope[near], 1.0 / (1.0 + np.exp(-exact[near])), rtol=tolerance)
    assert value[1] == 1e3
    assert slope[1] == 1.0
    assert 0.0 <= value[0] < 1e-30
    assert 0.0 <= slope[0] < 1e-30


@pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
@pytest.mark.parametrize("beta", [0.5, 1.0, 8.0])
def test_gradients_are_those_of_finite_differences(loss, beta):
    X, y, offset, weight = made(loss)
    rows, rng = rows_of(X, y, offset, weight), np.random.default_rng(1)
    w, a = rng.normal(size=Q), 0.2
    for sign in (1.0, -1.0):
        columns = compiled.Columns(ONE.copy(), np.array([sign]), w[None].copy(), np.array([a]))
        search, goal = stage._new_search(columns), goal_of(loss, beta=beta, ridge=0.1)
        sums, slopes = np.zeros((1, 2)), np.zeros((1, 2, Q))
        compiled.add_blocks(rows, columns, ONE, beta, loss, 0, len(rows.X), sums, slopes)
        compiled.advance_all(search, columns, goal, ONE, sums, slopes)
        plain = PlainStage(np.c_[X, np.ones(len(X))], y, offset, weight, sign, beta, 0.1, 0.0, 0, loss)
        at = np.r_[w, search.point[0, Q]]
        assert search.numbers[0, compiled.VALUE] == pytest.approx(plain.value(at), rel=1e-12)
        np.testing.assert_allclose(search.gradient[0], plain.gradient(at), atol=1e-8)


@pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
@pytest.mark.parametrize("seed", range(3))
def test_a_stage_ends_where_the_plain_solver_ends(loss, seed):
    X, y, offset, weight = made(loss, seed)
    begin = start(seed)
    found = best_units(rows_of(X, y, offset, weight), ONE, goal_of(loss), begin)
    losses = []
    for sign in (1.0, -1.0):
        plain = PlainStage(np.c_[X, np.ones(len(X))], y, offset, weight, sign, 1.0, 1e-3, 0.0, 0, loss)
        losses.append(plain.train_loss(plain.minimize(begin[0, 0, :Q], begin[0, 0, Q])))
    assert found.loss[0] <= min(losses) * (1 + 1e-4)
    assert found.sign[0] == (1.0, -1.0)[int(np.argmin(losses))]


@pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
def test_the_lasso_ends_where_split_variables_end(loss):
    X, y, offset, weight = made(loss, 5)
    begin = start(5)
    found = best_units(rows_of(X, y, offset, weight), ONE, goal_of(loss, lasso=0.3), begin)
    plain = PlainStage(np.c_[X, np.ones(len(X))], y, offset, weight, found.sign[0], 1.0, 1e-3, 0.3, Q - 1, loss)
    end = plain.minimize(begin[0, 0, :Q], begin[0, 0, Q])
    mine = np.r_[found.coefficients[0], found.constant[0]]
    assert plain.value(mine) == pytest.approx(plain.value(end), rel=1e-5)
    assert (mine[: Q - 1] == 0.0).sum() == (np.abs(end[: Q - 1]) < 1e-6).sum() > 0  # exactly zero, not nearly


@pytest.mark.slow
@pytest.mark.parametrize("loss", [SQUARED, LOGISTIC])
def test_single_precision_ends_nearly_where_double_does(loss):
    data = made(loss, 2)
    double = best_units(rows_of(*data), ONE, goal_of(loss, tol=1e-5), start(2))
    single = best_units(rows_of(*data, np.float32), ONE, goal_of(loss, tol=1e-5, slack=1e-7), start(2))
    assert single.loss[0] == pytest.approx(double.loss[0], rel=1e-4)


def test_parts_and_threads_change_nothing(monkeypatch):
    data = made(LOGISTIC, 3, n=3000)
    whole = best_units(rows_of(*data), ONE, goal_of(LOGISTIC), start(3))
    monkeypatch.setattr(stage, "WORK_PER_PART", 1 << 13)
    assert len(stage.parts_of(rows_of(*data))) > 5
    found = []
    for threads in (1, 2):
        monkeypatch.setattr("proset.engine.kernels.threads.n_threads", lambda threads=threads: threads)
        found.append(best_units(rows_of(*data), ONE, goal_of(LOGISTIC), start(3)))
    np.testing.assert_array_equal(found[0].coefficients, found[1].coefficients)
    np.testing.assert_allclose(found[0].loss, whole.loss, rtol=1e-6)


def test_a_search_that_cannot_go_down_keeps_its_best_point():
    X, y, offset, weight = made(SQUARED)
    exact = best_units(
        rows_of(X, y, offset, weight), ONE, goal_of(SQUARED, tol=0.0), start(0)
    )  # nothing is flat enough
    assert exact.status[0] == NO_PROGRESS
    assert exact.loss[0] == pytest.approx(
        best_units(rows_of(X, y, offset, weight), ONE, goal_of(SQUARED), start(0)).loss[0], rel=1e-9
    )


def test_many_starts_side_by_side_are_each_on_their_own():
    X, y, offset, weight = made(LOGISTIC, 4)
    drawn = np.random.default_rng(0).normal(size=(1, 5, Q + 1))
    rows, goal = rows_of(X, y, offset, weight), goal_of(LOGISTIC)
    together = best_units(rows, ONE, goal, drawn)
    alone = [best_units(rows, ONE, goal, drawn[:, k : k + 1]) for k in range(5)]
    assert together.loss[0] == pytest.approx(min(a.loss[0] for a in alone), rel=1e-6)
