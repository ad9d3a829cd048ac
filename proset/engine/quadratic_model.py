"""Quadratic model of a function over the first orthant, made of the latest steps of L-BFGS-B.

Written from Byrd, Lu, Nocedal and Zhu (1995), "A limited memory algorithm for bound constrained optimization", with the
projection of Morales and Nocedal (2011). With Y and S the latest changes of gradient and point, the Hessian is
B = theta I - W M W^T, W = [Y, S], M^-1 = [[-D, L^T / theta], [L / theta, S^T S / theta]], where D is the diagonal of
S^T Y and L what is below it, from the oldest pair to the newest. (The paper has theta in W.) Rows of W^T take turns:
y of the first pair, s of the first, y of the second.

Nothing here calls a library of linear algebra: its threads would decide on the last bits. The pieces are compiled where
numba is installed; they stand in one file because of numba's cache (`kernels.compiled`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from proset.engine.kernels.units import FloatArray

MEMORY = 20  # pairs of changes kept; with 10, the fits of benchmarks/solver.py take a quarter more evaluations

try:
    from numba import njit
except ImportError:  # no numba for this interpreter or machine
    _exact: Any = lambda function: function  # noqa: E731

    def _times(rows: Any, x: Any) -> Any:
        """Products of rows with a vector: einsum adds up in one order, which BLAS does not."""
        return np.einsum("jn,n->j", rows, x)

    def _combined(rows: Any, share: Any) -> Any:
        """Sum of rows times their shares."""
        return np.einsum("jn,j->n", rows, share)

    def _gram(rows: Any) -> Any:
        """Products of all pairs of rows."""
        return np.einsum("in,jn->ij", rows, rows)

    def _invert(matrix: Any) -> None:
        """Invert a matrix in place by Gauss and Jordan."""
        for i in range(matrix.shape[0]):
            column, scale = matrix[:, i].copy(), 1.0 / matrix[i, i]
            column[i], matrix[:, i], matrix[i, i] = 0.0, 0.0, 1.0
            matrix[i] *= scale
            matrix -= column[:, None] * matrix[i]

else:
    _exact = njit(nogil=True, cache=True, error_model="numpy")
    _sums = njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})

    @_sums
    def _times(rows: Any, x: Any) -> Any:
        products = np.empty(rows.shape[0])
        for j in range(rows.shape[0]):
            total = 0.0
            for i in range(x.shape[0]):
                total += rows[j, i] * x[i]
            products[j] = total
        return products

    @_exact
    def _combined(rows: Any, share: Any) -> Any:
        total = np.zeros(rows.shape[1])
        for j in range(rows.shape[0]):
            for i in range(rows.shape[1]):
                total[i] += share[j] * rows[j, i]
        return total

    @_sums
    def _gram(rows: Any) -> Any:
        products = np.empty((rows.shape[0], rows.shape[0]))
        for j in range(rows.shape[0]):
            for k in range(j + 1):
                total = 0.0
                for i in range(rows.shape[1]):
                    total += rows[j, i] * rows[k, i]
                products[j, k] = products[k, j] = total
        return products

    @_exact
    def _invert(matrix: Any) -> None:
        m = matrix.shape[0]
        for i in range(m):
            # Copies, and no branch: only then does a compiler use wide registers.
            row, column = matrix[i].copy(), matrix[:, i].copy()
            scale = 1.0 / row[i]
            row[i], column[i], matrix[:, i] = 1.0, 0.0, 0.0
            for k in range(m):
                row[k] *= scale
            for j in range(m):
                for k in range(m):
                    matrix[j, k] -= column[j] * row[k]
            matrix[i] = row


# What is inverted is symmetric, negative definite in the rows of y, and positive definite in what elimination leaves of
# the others. Such matrices need no pivots, in any order (Vanderbei 1995, "Symmetric quasidefinite matrices").


@_exact
def _matrices(steps_changes: Any, steps_steps: Any, k: int, newest: int, theta: float) -> Any:
    """Return M^-1 and M for k pairs whose products S^T Y and S^T S are given; the oldest pair follows the newest."""
    inverse = np.zeros((2 * k, 2 * k))
    for i in range(k):
        inverse[2 * i, 2 * i] = -steps_changes[i, i]
        for j in range(k):
            inverse[2 * i + 1, 2 * j + 1] = steps_steps[i, j] / theta
            if (newest - i) % k < (newest - j) % k:
                inverse[2 * i + 1, 2 * j] = inverse[2 * j, 2 * i + 1] = steps_changes[i, j] / theta
    middle = inverse.copy()
    _invert(middle)
    return inverse, middle


@_exact
def _cauchy_point(x: Any, gradient: Any, rows: Any, theta: float, middle: Any) -> Any:
    """Find the first minimum of the model along x - t gradient, bent where variables reach zero (algorithm CP).

    Returns the point, what has not reached zero on the way, and W^T times the way.
    """
    n = x.shape[0]
    times, direction, point = np.full(n, np.inf), -gradient, np.zeros(n)
    free = np.ones(n, np.bool_)
    for i in range(n):
        if gradient[i] > 0.0:
            if x[i] > 0.0:
                times[i] = x[i] / gradient[i]
            else:
                direction[i], free[i] = 0.0, False
    time, motion = 0.0, _times(rows, direction)
    moved = np.zeros(motion.shape[0])
    while True:
        bend = np.argmin(times)
        length = times[bend] - time
        squares, bowed = np.sum(direction * direction), _times(middle, motion)
        slope = squares * (theta * time - 1.0) - np.sum(bowed * moved)
        curvature = theta * squares - np.sum(bowed * motion)
        wait = -slope / curvature if slope < 0.0 and curvature > 0.0 else 0.0
        if wait < length or length == np.inf:
            break
        time, times[bend] = times[bend], np.inf
        direction[bend], free[bend] = 0.0, False
        moved += length * motion
        motion += gradient[bend] * rows[:, bend]
    for moving in np.flatnonzero(free):
        point[moving] = max(x[moving] + (time + wait) * direction[moving], 0.0)
    return point, free, moved + wait * motion


@_exact
def _minimum(x: Any, gradient: Any, rows: Any, theta: float, inverse: Any, middle: Any) -> Any:
    """Find the minimum of the model over what is free at the Cauchy point, and keep the bounds."""
    found, free, moved = _cauchy_point(x, gradient, rows, theta, middle)
    index = np.flatnonzero(free)
    if rows.shape[0] == 0 or index.shape[0] == 0:
        return found
    start, own = found[index], rows[:, index]
    reduced = gradient[index] + theta * (start - x[index]) - _combined(own, _times(middle, moved))
    matrix = inverse - _gram(own) / theta
    _invert(matrix)
    direction = -(reduced + _combined(own, _times(matrix, _times(own, reduced))) / theta) / theta
    share = 1.0
    for i in range(index.shape[0]):
        found[index[i]] = max(start[i] + direction[i], 0.0)
        if start[i] + share * direction[i] < 0.0:
            share = start[i] / -direction[i]
    if np.sum(gradient * (found - x)) >= 0.0:  # bent too far: up to the first bound instead
        for i in range(index.shape[0]):
            found[index[i]] = max(start[i] + share * direction[i], 0.0)
    return found


class QuadraticModel:
    """Model of a function around a point, from the latest pairs of changes of gradient and point.

    Parameters
    ----------
    n_variables : int
        Dimension n of the points.

    Examples
    --------
    >>> model = QuadraticModel(2)
    >>> model.update(np.array([1.0, 0.0]), np.array([4.0, 0.0]))  # curvature 4
    >>> model.minimum(np.array([1.0, 1.0]), np.array([2.0, -2.0])).tolist()
    [0.5, 1.5]
    """

    def __init__(self, n_variables: int) -> None:
        self.n_pairs = self._slot = 0
        self._pairs = np.empty((2 * MEMORY, n_variables))
        self._steps_changes, self._steps_steps = np.empty((2, MEMORY, MEMORY))
        self._theta, self._inverse, self._middle = 1.0, np.zeros((0, 0)), np.zeros((0, 0))

    def update(self, step: FloatArray, change: FloatArray) -> None:
        """Take in a step and the change of the gradient along it, whose product is positive; the oldest gives way."""
        slot, k = self._slot, min(self.n_pairs + 1, MEMORY)
        self._pairs[2 * slot], self._pairs[2 * slot + 1] = change, step
        of_step, of_change = _times(self._pairs[: 2 * k], step), _times(self._pairs[: 2 * k], change)
        self._steps_changes[slot, :k], self._steps_changes[:k, slot] = of_step[::2], of_change[1::2]
        self._steps_steps[slot, :k] = self._steps_steps[:k, slot] = of_step[1::2]
        self._theta = float(of_change[2 * slot] / of_change[2 * slot + 1])
        self.n_pairs, self._slot = k, (slot + 1) % MEMORY
        self._inverse, self._middle = _matrices(self._steps_changes, self._steps_steps, k, slot, self._theta)

    def minimum(self, x: FloatArray, gradient: FloatArray) -> FloatArray:
        """Return about where the model is lowest in the orthant: beyond the Cauchy point, with its bounds kept.

        Parameters
        ----------
        x, gradient : ndarray of shape (n,)
            The point, not negative, and the gradient there.

        Returns
        -------
        ndarray of shape (n,)
            Not negative. The way there leads down, but for rounding; not finite where rounding has spoilt the model.
        """
        rows = self._pairs[: 2 * self.n_pairs]
        found: FloatArray = _minimum(x, gradient, rows, self._theta, self._inverse, self._middle)
        return found
