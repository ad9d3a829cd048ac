"""One stage of boosting: both signs and all restarts of all problems, minimised in step with each other."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from proset.companions.gbmap.compiled import (
    LOSS,
    MEMORY,
    N_STEPS,
    ROWS,
    STATUS,
    Columns,
    Goal,
    RowBlocks,
    Search,
    add_blocks,
    advance_all,
    begin_again,
    best_constant,
    solve,
    unit_values,
    winners,
)
from proset.companions.gbmap.standard import Standard
from proset.companions.protocol import FloatArray, IntArray
from proset.engine.kernels.threads import run_parts

WORK_PER_PART = 1 << 20
"""Numbers read by one part of an evaluation: enough that handing it to a thread costs little beside it."""
MAX_PARTS = 16
COARSE = 2.0
"""All searches end at that many times the tolerance; only the winner of each problem goes on to the tolerance."""
BITS = 16
"""Of a coefficient that are kept; what is beyond is smaller than any tolerance makes sense of."""
WHY_STOPPED = ("still running", "the gradient is small enough", "it made all the steps allowed", "no step went down")


@dataclass(frozen=True, eq=False)
class Stage:
    """The winning unit of each problem.

    Attributes
    ----------
    coefficients : ndarray of shape (P, q)
        Of the rows' features, a column of ones among them if the model has one.
    constant : ndarray of shape (P,)
        The constant a.
    sign : ndarray of shape (P,)
        b, 1 or -1.
    loss : ndarray of shape (P,)
        Training loss with this unit, without penalties.
    n_iter : ndarray of int64, shape (P,)
        Steps of L-BFGS.
    status : ndarray of int64, shape (P,)
        Index into `WHY_STOPPED`.
    """

    coefficients: FloatArray
    constant: FloatArray
    sign: FloatArray
    loss: FloatArray
    n_iter: IntArray
    status: IntArray

    def of(self, index: IntArray) -> Stage:
        """Return the units of some problems."""
        return Stage(*(getattr(self, f.name)[index] for f in fields(self)))


def in_blocks(values: NDArray[np.floating], dtype: np.dtype) -> NDArray[np.floating]:
    """Put the last axis of an array in blocks of `ROWS`, filled up with zeros.

    Examples
    --------
    >>> in_blocks(np.ones((3, 200)), np.dtype(float)).shape
    (3, 2, 128)
    """
    n = values.shape[-1]
    blocks = np.zeros((*values.shape[:-1], -(-n // ROWS) * ROWS), dtype)
    blocks[..., :n] = values
    return blocks.reshape(*values.shape[:-1], -1, ROWS)


def matrix_in_blocks(
    X: NDArray[np.floating], ones: bool, dtype: np.dtype, standard: Standard | None = None
) -> NDArray[np.floating]:
    """Put a matrix (n, D) in blocks (blocks, q, ROWS), with a feature of ones at the end if asked for.

    Examples
    --------
    >>> matrix_in_blocks(np.zeros((200, 3)), True, np.dtype(float)).shape
    (2, 4, 128)
    """
    n, n_features = X.shape
    blocks = np.zeros((-(-n // ROWS), n_features + ones, ROWS), dtype)
    for rows, part in (standard or Standard.none(n_features)).chunks(X):
        first, whole = rows.start // ROWS, len(part) // ROWS
        columns = part[: whole * ROWS].reshape(whole, ROWS, n_features).transpose(0, 2, 1)
        blocks[first : first + whole, :n_features] = columns
        rest = part[whole * ROWS :]
        if len(rest):
            blocks[first + whole, :n_features, : len(rest)] = rest.T
    if ones:
        blocks[:, n_features] = 1.0
    return blocks


def _new_search(columns: Columns) -> Search:
    """Make room for L-BFGS."""
    n, q = columns.coefficients.shape
    wide, ring = np.zeros((5, n, q + 1)), np.empty((2, n, MEMORY, q + 1))
    numbers, counts = np.zeros((n, 12)), np.zeros((n, 5), dtype=np.int64)
    return Search(wide[0], wide[1], wide[2], wide[3], wide[4], numbers, counts, ring[0], ring[1], np.ones((n, MEMORY)))


def parts_of(rows: RowBlocks) -> list[tuple[int, int]]:
    """Cut the blocks into parts that do not depend on the number of threads, so that sums do not either."""
    n_blocks, q, _ = rows.X.shape
    n_parts = min(MAX_PARTS, n_blocks * ROWS * (q + 24) // WORK_PER_PART, n_blocks)
    if n_parts <= 1:
        return [(0, n_blocks)]
    edges = np.linspace(0, n_blocks, n_parts + 1).astype(int)
    return list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))


def _run_in_parts(
    rows: RowBlocks, columns: Columns, search: Search, goal: Goal, active: IntArray, parts: list[tuple[int, int]]
) -> None:
    """Minimise some columns, the rows in parts that threads share."""
    q = rows.X.shape[1]
    while len(active):

        def evaluate(part: int, now: IntArray = active) -> tuple[FloatArray, FloatArray]:
            sums, slopes = np.empty((len(now), 2)), np.empty((len(now), 2, q))
            add_blocks(rows, columns, now, goal.beta, goal.loss, *parts[part], sums, slopes)
            return sums, slopes

        found = run_parts(evaluate, len(parts))
        sums = np.sum([f[0] for f in found], axis=0)
        slopes = np.sum([f[1] for f in found], axis=0)
        active = advance_all(search, columns, goal, active, sums, slopes)


def _solve(rows: RowBlocks, columns: Columns, search: Search, goal: Goal, n_problems: int) -> IntArray:
    """Minimise all columns coarsely, then the winner of each problem; return the winners."""
    coarse, parts = goal._replace(tol=COARSE * goal.tol), parts_of(rows)
    if len(parts) == 1:
        return np.asarray(solve(rows, columns, search, coarse, goal, n_problems))
    _run_in_parts(rows, columns, search, coarse, np.arange(len(columns.sign)), parts)
    best = np.asarray(winners(search, n_problems))
    _run_in_parts(rows, columns, search, goal, begin_again(search, columns, goal, best), parts)
    return best


def best_units(rows: RowBlocks, problems: IntArray, goal: Goal, starts: FloatArray) -> Stage:
    """Minimise for both signs from every start and keep, for each problem, the unit with the smallest training loss.

    Parameters
    ----------
    rows : RowBlocks
        In blocks, with the scores so far as offset.
    problems : ndarray of int64, shape (P,)
        Which of the targets and offsets of the rows they are.
    goal : Goal
        Loss, penalties, and when to stop.
    starts : ndarray of shape (P, R, q + 1)
        Coefficients, and the constant, where R searches of each problem begin; both signs begin there.
    """
    n_problems, n_starts, q = starts.shape[0], starts.shape[1], starts.shape[2] - 1
    both = np.repeat(starts.reshape(-1, q + 1), 2, axis=0)
    sign = np.ones(len(both))
    sign[1::2] = -1.0
    columns = Columns(np.repeat(problems, 2 * n_starts), sign, both[:, :q].copy(), both[:, q].copy())
    search = _new_search(columns)
    best = _solve(rows, columns, search, goal, n_problems)
    return Stage(
        search.point[best, :q],
        search.point[best, q],
        columns.sign[best],
        search.numbers[best, LOSS],
        search.counts[best, N_STEPS],
        search.counts[best, STATUS],
    )


def rounded(coefficients: FloatArray) -> FloatArray:
    """Keep `BITS` bits of each number.

    A search ends anywhere within its tolerance, and the last digits of where it ends come from the rounding of sums.
    They would grow from stage to stage, until the order of rows decided what is learned.

    Examples
    --------
    >>> rounded(np.array([1.0 + 1e-9, -0.1])).tolist()
    [1.0, -0.10000038146972656]
    """
    fraction, exponent = np.frexp(coefficients)
    kept: FloatArray = np.ldexp(np.round(np.ldexp(fraction, BITS)), exponent - BITS)
    return kept


def settle(rows: RowBlocks, problems: IntArray, stage: Stage, goal: Goal) -> Stage:
    """Round the coefficients of a stage, set each constant to the best one for them, and add the units to the offsets.

    Parameters
    ----------
    rows, problems, goal
        As for :func:`best_units`; the offsets are changed in place.
    stage : Stage
        The winners.
    """
    coefficients, constant, loss = rounded(stage.coefficients), stage.constant.copy(), stage.loss.copy()
    values = np.empty(rows.weight.shape, rows.weight.dtype)
    for k, problem in enumerate(problems):
        unit_values(rows, coefficients[k], goal.beta, values)
        constant[k], loss[k] = best_constant(rows, problem, values, stage.sign[k], constant[k], goal.loss)
        rows.offset[problem] += constant[k] + stage.sign[k] * values
    return replace(stage, coefficients=coefficients, constant=constant, loss=loss)


def add_to(rows: RowBlocks, problems: IntArray, stage: Stage, beta: float) -> None:
    """Add the units of a stage to the offsets of other rows, in place."""
    values = np.empty(rows.weight.shape, rows.weight.dtype)
    for k, problem in enumerate(problems):
        unit_values(rows, stage.coefficients[k], beta, values)
        rows.offset[problem] += stage.constant[k] + stage.sign[k] * values
