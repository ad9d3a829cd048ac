"""All compiled pieces of gbmap: softplus units over blocks of rows, and L-BFGS for many columns in step.

Rows stand in blocks of `ROWS`, each block with its features one after the other, so that every loop runs over rows that
lie beside each other. A block is read once for all columns (both signs, all restarts, all classes): projected,
passed through the units and the loss, and collected into gradients while it is in the fastest cache.

The exponential function and the logarithm are polynomials on a reduced range, without branches or calls, because the
two cost more than everything else where there are few features. In double precision they are exact to a few units of
the last place.

Everything stands in one module because numba looks only at the file of a function to see whether a compiled copy on
disk is still good, and not at the files of those that it calls.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proset.companions.numba_needed import njit, overload, types

ROWS = 128
"""Rows of a block: the features of one block, up to some hundreds of them, stay in the second cache."""
MEMORY = 10
"""Pairs of steps and changes of the gradient that L-BFGS remembers; as usual."""

NEWTON_STEPS = 3
"""For the constant, which is nearly the best one when they begin."""

SQUARED, LOGISTIC = 0, 1
RUNNING, CONVERGED, OUT_OF_STEPS, NO_PROGRESS = 0, 1, 2, 3


def _logarithm(degree: int) -> list[float]:
    """Coefficients of 2 atanh(s) / s as a polynomial in q = s^2, lowest first, for q in [0, 1/9]."""

    def series(t: NDArray[Any]) -> NDArray[Any]:
        return np.sum([2.0 * ((t + 1) / 18) ** k / (2 * k + 1) for k in range(20)], axis=0)

    t = np.polynomial.Chebyshev.interpolate(series, degree)
    in_q = t.convert(kind=np.polynomial.Polynomial)(np.polynomial.Polynomial([-1.0, 18.0]))
    return [float(c) for c in in_q.coef]


_E = [math.log(2.0) ** k / math.factorial(k) for k in range(13)]  # 2^x on [-0.5, 0.5]: relative error below 2e-16
E0, E1, E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12 = _E
H0, H1, H2, H3, H4, H5, H6, H7 = (np.float32(c) for c in _E[:8])
L0, L1, L2, L3, L4, L5, L6, L7, L8, L9, L10 = _logarithm(10)
G0, G1, G2, G3, G4 = (np.float32(c) for c in _logarithm(4))
LOG2E, TO_INTEGER, LOWEST = math.log2(math.e), 1.5 * 2.0**52, -1000.0
LOG2E_32, TO_INTEGER_32, LOWEST_32 = np.float32(LOG2E), np.float32(1.5 * 2.0**23), np.float32(-120.0)
ONE, TWO, ZERO, HALF = np.float32(1.0), np.float32(2.0), np.float32(0.0), np.float32(0.5)

# Sums may be reordered, to use wide registers; not-a-number and infinity keep their meaning.
_FAST = njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz", "arcp"})
_PLAIN = njit(nogil=True, cache=True, error_model="numpy")


@_FAST
def _units_64(u: Any, e: Any, whole: Any) -> None:
    """Replace u by log(1 + e^u) and set e to 1 / (1 + e^-u); `whole` is room to work."""
    bits, whole_bits = e.view(np.int64), whole.view(np.int64)
    for r in range(ROWS):
        x = max(-abs(u[r]) * LOG2E, LOWEST)
        near = np.floor(x + 0.5)
        f = x - near
        whole[r] = near + TO_INTEGER
        high = E6 + f * (E7 + f * (E8 + f * (E9 + f * (E10 + f * (E11 + f * E12)))))
        e[r] = E0 + f * (E1 + f * (E2 + f * (E3 + f * (E4 + f * (E5 + f * high)))))
    for r in range(ROWS):
        bits[r] += whole_bits[r] << 52
    for r in range(ROWS):
        small = e[r]  # e^-|u|
        up, both = 1.0 + small, 2.0 + small
        share = 1.0 / (up * both)  # one division instead of two
        s = small * up * share
        q = s * s
        high = L5 + q * (L6 + q * (L7 + q * (L8 + q * (L9 + q * L10))))
        log = s * (L0 + q * (L1 + q * (L2 + q * (L3 + q * (L4 + q * high)))))
        e[r] = (1.0 if u[r] >= 0.0 else small) * both * share
        u[r] = max(u[r], 0.0) + log


@_FAST
def _units_32(u: Any, e: Any, whole: Any) -> None:
    """Do as `_units_64` in single precision."""
    bits, whole_bits = e.view(np.int32), whole.view(np.int32)
    for r in range(ROWS):
        x = max(-abs(u[r]) * LOG2E_32, LOWEST_32)
        near = np.floor(x + HALF)
        f = x - near
        whole[r] = near + TO_INTEGER_32
        e[r] = H0 + f * (H1 + f * (H2 + f * (H3 + f * (H4 + f * (H5 + f * (H6 + f * H7))))))
    for r in range(ROWS):
        bits[r] += whole_bits[r] << 23
    for r in range(ROWS):
        small = e[r]
        up, both = ONE + small, TWO + small
        share = ONE / (up * both)
        s = small * up * share
        q = s * s
        log = s * (G0 + q * (G1 + q * (G2 + q * (G3 + q * G4))))
        e[r] = (ONE if u[r] >= ZERO else small) * both * share
        u[r] = max(u[r], ZERO) + log


def _units(u: Any, e: Any, whole: Any) -> None:
    """Do as `_units_64` in the precision of u."""


@overload(_units)
def _choose_units(u, e, whole):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202 - numba wants no annotations
    """Choose by type when a caller is compiled."""
    if u.dtype == types.float32:
        return lambda u, e, whole: _units_32(u, e, whole)
    return lambda u, e, whole: _units_64(u, e, whole)


@_FAST
def _project(block: Any, left: Any, right: Any, a: Any, b: Any) -> None:
    """Set a and b to the products of a block with two vectors of coefficients."""
    n_features = block.shape[0]
    whole = n_features - n_features % 4
    for r in range(ROWS):
        a[r] = 0
        b[r] = 0
    for d in range(0, whole, 4):
        x0, x1, x2, x3 = block[d], block[d + 1], block[d + 2], block[d + 3]
        p0, p1, p2, p3 = left[d], left[d + 1], left[d + 2], left[d + 3]
        q0, q1, q2, q3 = right[d], right[d + 1], right[d + 2], right[d + 3]
        for r in range(ROWS):
            a[r] += (x0[r] * p0 + x1[r] * p1) + (x2[r] * p2 + x3[r] * p3)
            b[r] += (x0[r] * q0 + x1[r] * q1) + (x2[r] * q2 + x3[r] * q3)
    for d in range(whole, n_features):
        x0, p0, q0 = block[d], left[d], right[d]
        for r in range(ROWS):
            a[r] += x0[r] * p0
            b[r] += x0[r] * q0


@_FAST
def _project_one(block: Any, vector: Any, a: Any) -> None:
    """Set a to the product of a block with one vector of coefficients."""
    n_features = block.shape[0]
    whole = n_features - n_features % 4
    for r in range(ROWS):
        a[r] = 0
    for d in range(0, whole, 4):
        x0, x1, x2, x3 = block[d], block[d + 1], block[d + 2], block[d + 3]
        p0, p1, p2, p3 = vector[d], vector[d + 1], vector[d + 2], vector[d + 3]
        for r in range(ROWS):
            a[r] += (x0[r] * p0 + x1[r] * p1) + (x2[r] * p2 + x3[r] * p3)
    for d in range(whole, n_features):
        x0, p0 = block[d], vector[d]
        for r in range(ROWS):
            a[r] += x0[r] * p0


@_FAST
def _collect(block: Any, a: Any, b: Any, left: Any, right: Any) -> None:
    """Add the products of a block, transposed, with two vectors of rows to `left` and `right`, in double precision."""
    n_features = block.shape[0]
    zero = a[0] * 0
    whole = n_features - n_features % 2
    for d in range(0, whole, 2):
        x0, x1 = block[d], block[d + 1]
        a0, a1, b0, b1 = zero, zero, zero, zero
        for r in range(ROWS):
            a0 += x0[r] * a[r]
            a1 += x1[r] * a[r]
            b0 += x0[r] * b[r]
            b1 += x1[r] * b[r]
        left[d] += a0
        left[d + 1] += a1
        right[d] += b0
        right[d + 1] += b1
    for d in range(whole, n_features):
        x0 = block[d]
        a0, b0 = zero, zero
        for r in range(ROWS):
            a0 += x0[r] * a[r]
            b0 += x0[r] * b[r]
        left[d] += a0
        right[d] += b0


@_FAST
def _squared(target: Any, offset: Any, weight: Any, u: Any, e: Any, shift: Any, scale: Any, own: Any, r: Any) -> None:
    """Add weighted sums of residuals y - F - a - b g and their squares to `own`; leave their slopes in r and e."""
    zero = u[0] * 0
    first, second = zero, zero
    for i in range(ROWS):
        rest = (target[i] - offset[i]) - (shift + scale * u[i])
        part = weight[i] * rest
        first += part
        second += part * rest
        r[i] = part * e[i]
        e[i] = weight[i] * e[i]
    own[0] += first
    own[1] += second


@_FAST
def _logistic_scores(target: Any, offset: Any, u: Any, shift: Any, scale: Any, v: Any) -> None:
    """Set v to -y f, y being -1 or 1."""
    for i in range(ROWS):
        v[i] = -target[i] * (offset[i] + (shift + scale * u[i]))


@_FAST
def _logistic(target: Any, weight: Any, v: Any, slope: Any, e: Any, own: Any, r: Any) -> None:
    """Add weighted sums of the loss, in v, and of its derivative to `own`; leave the derivative by w x in r."""
    zero = v[0] * 0
    first, second = zero, zero
    for i in range(ROWS):
        part = -target[i] * weight[i] * slope[i]
        first += part
        second += weight[i] * v[i]
        r[i] = part * e[i]
    own[0] += first
    own[1] += second


class RowBlocks(NamedTuple):
    """Rows in blocks: X (blocks, q, ROWS), target and offset (problems, blocks, ROWS), weight (blocks, ROWS)."""

    X: NDArray[Any]
    target: NDArray[Any]
    offset: NDArray[Any]
    weight: NDArray[Any]


class Columns(NamedTuple):
    """Searches side by side: problem and sign (1, -1) of each, and its coefficients and constant.

    Coefficients (C, q) and constant (C,) are those of the next evaluation.
    """

    problem: NDArray[np.int64]
    sign: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    constant: NDArray[np.float64]


@_FAST
def _new_work(rows: Any, n_columns: int) -> Any:
    """Make room for `add_blocks`, which is called often for few rows."""
    kind, q = rows.X.dtype, rows.X.shape[1]
    room = np.empty((9, ROWS), kind)
    return room, np.empty((n_columns, q), kind), np.empty(q), np.empty(3, kind)


@_FAST
def _add_blocks(
    rows: Any, columns: Any, active: Any, beta: float, loss: int, first: int, last: int, work: Any, sums: Any,
    slopes: Any,
) -> None:  # fmt: skip
    """Do as `add_blocks`, in the room of `_new_work`."""
    n_features, n_active = rows.X.shape[1], active.shape[0]
    room, coefficients, dump, small = work
    u, e, r, v, slope, whole = room[0:2], room[2:4], room[4:6], room[6], room[7], room[8]
    for k in range(n_active):
        for d in range(n_features):
            coefficients[k, d] = beta * columns.coefficients[active[k], d]
    for k in range(n_active):
        for d in range(2):
            sums[k, d] = 0.0
            for f in range(n_features):
                slopes[k, d, f] = 0.0
    for block in range(first, last):
        X, weight = rows.X[block], rows.weight[block]
        for k in range(0, n_active, 2):
            pair = min(2, n_active - k)
            if pair == 2:
                _project(X, coefficients[k], coefficients[k + 1], u[0], u[1])
            else:
                _project_one(X, coefficients[k], u[0])
            for s in range(pair):
                c = active[k + s]
                target, offset = rows.target[columns.problem[c], block], rows.offset[columns.problem[c], block]
                small[1], small[2] = columns.constant[c], columns.sign[c] / beta
                _units(u[s], e[s], whole)
                if loss == 0:
                    _squared(target, offset, weight, u[s], e[s], small[1], small[2], sums[k + s], r[s])
                else:
                    _logistic_scores(target, offset, u[s], small[1], small[2], v)
                    _units(v, slope, whole)
                    _logistic(target, weight, v, slope, e[s], sums[k + s], r[s])
            if loss == 0:
                for s in range(pair):
                    _collect(X, r[s], e[s], slopes[k + s, 0], slopes[k + s, 1])
            elif pair == 2:
                _collect(X, r[0], r[1], slopes[k, 0], slopes[k + 1, 0])
            else:
                _collect(X, r[0], r[0], slopes[k, 0], dump)


@_FAST
def add_blocks(
    rows: Any, columns: Any, active: Any, beta: float, loss: int, first: int, last: int, sums: Any, slopes: Any
) -> None:  # fmt: skip
    """Set sums and slopes to what some blocks say about all active columns.

    sums (A, 2): squared: sums of the residual and of its square; logistic: of the derivative and of the loss.
    slopes (A, 2, q): products of X with the two vectors that `_squared`, or the one that `_logistic` leaves.
    """
    work = _new_work(rows, active.shape[0])
    _add_blocks(rows, columns, active, beta, loss, first, last, work, sums, slopes)


class Search(NamedTuple):
    """State of L-BFGS in each of C columns, with q + 1 variables each, the constant last.

    point, gradient, direction, best, best_gradient (C, q + 1): accepted point, its gradient, where the search goes, and
    the best point of this search with its gradient. numbers (C, 12) and counts (C, 5): see the constants below.
    steps, changes (C, MEMORY, q + 1), curvature (C, MEMORY): what is remembered, in a ring.
    """

    point: NDArray[np.float64]
    gradient: NDArray[np.float64]
    direction: NDArray[np.float64]
    best: NDArray[np.float64]
    best_gradient: NDArray[np.float64]
    numbers: NDArray[np.float64]
    counts: NDArray[np.int64]
    steps: NDArray[np.float64]
    changes: NDArray[np.float64]
    curvature: NDArray[np.float64]


class Goal(NamedTuple):
    """Objective and limits; `ridge` and `lasso` are already divided by the number of coefficients."""

    loss: int
    beta: float
    ridge: float
    lasso: float
    n_lasso: int
    tol: float
    max_steps: int
    slack: float


VALUE, LOSS, SLOPE, STEP, LOW, LOW_VALUE, LOW_SLOPE, HIGH, HIGH_VALUE, HIGH_SLOPE, BEST_VALUE, BEST_LOSS = range(12)
STATUS, N_STEPS, N_TRIALS, N_KEPT, N_EVALUATIONS = range(5)
_ENOUGH_DECREASE, _ENOUGH_FLATTENING, _MAX_TRIALS = 1e-4, 0.9, 25


@_PLAIN
def _copy(source: Any, to: Any) -> None:
    """Copy numbers; a loop is compiled in a tenth of the time that an assignment of slices takes."""
    for d in range(to.shape[0]):
        to[d] = source[d]


@_FAST
def _dot(a: Any, b: Any) -> float:
    """Return the product of two vectors."""
    total = 0.0
    for d in range(a.shape[0]):
        total += a[d] * b[d]
    return total


@_PLAIN
def _pseudo(w: float, g: float, lasso: float) -> float:
    """Return the derivative of smallest size of value + lasso |w|."""
    if w > 0.0 or (w == 0.0 and g + lasso < 0.0):
        return g + lasso
    if w < 0.0 or (w == 0.0 and g - lasso > 0.0):
        return g - lasso
    return 0.0


@_PLAIN
def _slopes(search: Any, c: int, goal: Any, out: Any) -> None:
    """Set `out` to the gradient at the accepted point, that of the lasso included."""
    for d in range(out.shape[0]):
        g = search.gradient[c, d]
        out[d] = _pseudo(search.point[c, d], g, goal.lasso) if goal.lasso > 0.0 and d < goal.n_lasso else g


@_PLAIN
def _move(search: Any, c: int, point: Any, gradient: Any, value: float, loss: float) -> None:
    """Accept a point; remember the step and the change of the gradient, unless the curvature is not positive."""
    counts = search.counts[c]
    slot = counts[N_KEPT] % MEMORY
    step, change = search.steps[c, slot], search.changes[c, slot]
    for d in range(step.shape[0]):
        change[d] = gradient[d] - search.gradient[c, d]
        # A constant that always is the best one for its coefficients has no gradient: it is no variable.
        step[d] = point[d] - search.point[c, d] if change[d] != 0.0 else 0.0
    product = _dot(step, change)
    if product > 1e-12 * _dot(change, change):
        search.curvature[c, slot] = product
        counts[N_KEPT] += 1
    _copy(point, search.point[c])
    _copy(gradient, search.gradient[c])
    search.numbers[c, VALUE], search.numbers[c, LOSS] = value, loss
    counts[N_STEPS] += 1


@_PLAIN
def _aim(search: Any, c: int, slopes: Any) -> None:
    """Set the direction to minus the approximate inverse Hessian times the slopes (two loops)."""
    direction, kept = search.direction[c], search.counts[c, N_KEPT]
    n, alphas = slopes.shape[0], np.empty(MEMORY)
    for d in range(n):
        direction[d] = -slopes[d]
    first = max(0, kept - MEMORY)
    for k in range(kept - 1, first - 1, -1):
        change = search.changes[c, k % MEMORY]
        alpha = _dot(search.steps[c, k % MEMORY], direction) / search.curvature[c, k % MEMORY]
        alphas[k % MEMORY] = alpha
        for d in range(n):
            direction[d] -= alpha * change[d]
    if kept > 0:
        change = search.changes[c, (kept - 1) % MEMORY]
        scale = search.curvature[c, (kept - 1) % MEMORY] / _dot(change, change)
        for d in range(n):
            direction[d] *= scale
    for k in range(first, kept):
        step = search.steps[c, k % MEMORY]
        rest = alphas[k % MEMORY] - _dot(search.changes[c, k % MEMORY], direction) / search.curvature[c, k % MEMORY]
        for d in range(n):
            direction[d] += rest * step[d]


@_PLAIN
def _place(search: Any, columns: Any, c: int, goal: Any) -> None:
    """Set the next point to evaluate: a step along the direction, stopped where a coefficient would change its sign."""
    step, q = search.numbers[c, STEP], columns.coefficients.shape[1]
    for d in range(q):
        w = search.point[c, d]
        trial = w + step * search.direction[c, d]
        if goal.lasso > 0.0 and d < goal.n_lasso:
            side = w if w != 0.0 else -_pseudo(w, search.gradient[c, d], goal.lasso)
            trial = trial if trial * side > 0.0 else 0.0
        columns.coefficients[c, d] = trial
    if goal.loss == LOGISTIC:
        columns.constant[c] = search.point[c, q] + step * search.direction[c, q]


@_PLAIN
def _set_out(search: Any, c: int, goal: Any) -> None:
    """Begin a search along a line from the accepted point, or say that this column is done."""
    numbers, counts, direction = search.numbers[c], search.counts[c], search.direction[c]
    slopes = np.empty(direction.shape[0])
    _slopes(search, c, goal, slopes)
    length = math.sqrt(_dot(slopes, slopes))
    if not length > goal.tol:
        counts[STATUS] = CONVERGED
    elif counts[N_STEPS] >= goal.max_steps:
        counts[STATUS] = OUT_OF_STEPS
    _aim(search, c, slopes)
    if goal.lasso > 0.0:
        for d in range(goal.n_lasso):
            if direction[d] * slopes[d] >= 0.0:
                direction[d] = 0.0
    slope = _dot(direction, slopes)
    if not slope < 0.0:
        counts[N_KEPT] = 0
        for d in range(slopes.shape[0]):
            direction[d] = -slopes[d]
        slope = -length * length
    numbers[SLOPE] = slope
    numbers[STEP] = 1.0 if counts[N_KEPT] else min(1.0, 1.0 / max(length, 1e-300))
    numbers[LOW], numbers[LOW_VALUE], numbers[LOW_SLOPE] = 0.0, numbers[VALUE], slope
    numbers[HIGH], numbers[BEST_VALUE] = np.inf, np.inf
    counts[N_TRIALS] = 0


@_PLAIN
def _between(numbers: Any) -> float:
    """Return a step inside the bracket: the minimum of the cubic through both ends, not too near to either."""
    low, high = numbers[LOW], numbers[HIGH]
    width = high - low
    step = low + 0.5 * width
    if math.isfinite(numbers[HIGH_VALUE]):
        d = numbers[LOW_SLOPE] + numbers[HIGH_SLOPE] - 3.0 * (numbers[LOW_VALUE] - numbers[HIGH_VALUE]) / (low - high)
        inside = d * d - numbers[LOW_SLOPE] * numbers[HIGH_SLOPE]
        if inside > 0.0:
            root = math.sqrt(inside)
            step = high - width * (numbers[HIGH_SLOPE] + root - d) / (
                numbers[HIGH_SLOPE] - numbers[LOW_SLOPE] + 2.0 * root
            )
    if not math.isfinite(step):
        step = low + 0.5 * width
    return min(max(step, low + 0.1 * width), high - 0.1 * width)


@_PLAIN
def _try_on(numbers: Any, goal: Any, enough: bool, value: float, slope: float) -> None:
    """Set the next step along the line after one that was too short (it went down enough) or too long."""
    step = numbers[STEP]
    if goal.lasso > 0.0:
        numbers[STEP] = 0.5 * step
        return
    if enough:
        flatter = numbers[LOW_SLOPE] - slope
        reach = slope * (step - numbers[LOW]) / flatter if flatter < 0.0 else np.inf
        numbers[LOW], numbers[LOW_VALUE], numbers[LOW_SLOPE] = step, value, slope
        numbers[STEP] = step + min(max(reach, 0.5 * step), 4.0 * step)
    else:
        numbers[HIGH], numbers[HIGH_VALUE], numbers[HIGH_SLOPE] = step, value, slope
    if math.isfinite(numbers[HIGH]):
        numbers[STEP] = _between(numbers)


@_PLAIN
def _decrease(search: Any, c: int, goal: Any, point: Any) -> float:
    """Return what the slopes at the accepted point promise for a point."""
    if goal.lasso == 0.0:
        return search.numbers[c, STEP] * search.numbers[c, SLOPE]
    total = 0.0
    for d in range(point.shape[0]):
        g, w = search.gradient[c, d], search.point[c, d]
        total += (_pseudo(w, g, goal.lasso) if d < goal.n_lasso else g) * (point[d] - w)
    return total


@_PLAIN
def _weigh(search: Any, c: int, goal: Any, point: Any, gradient: Any, value: float, loss: float) -> bool:
    """Take what a trial found: move to it, or take the next step of this search. Tell whether a new search begins."""
    numbers, counts = search.numbers[c], search.counts[c]
    counts[N_TRIALS] += 1
    slope = _dot(gradient, search.direction[c])
    value = value if math.isfinite(value) else np.inf
    decrease = _ENOUGH_DECREASE * _decrease(search, c, goal, point)
    enough = value <= numbers[VALUE] + decrease + goal.slack * abs(numbers[VALUE])
    if enough and (goal.lasso > 0.0 or slope >= _ENOUGH_FLATTENING * numbers[SLOPE]):
        if value < numbers[VALUE]:
            _move(search, c, point, gradient, value, loss)
        else:  # what is left to gain is lost in rounding
            counts[STATUS] = NO_PROGRESS
        return True
    if value < numbers[BEST_VALUE]:
        _copy(point, search.best[c])
        _copy(gradient, search.best_gradient[c])
        numbers[BEST_VALUE], numbers[BEST_LOSS] = value, loss
    _try_on(numbers, goal, enough, value, slope)
    open_ended = math.isinf(numbers[HIGH])
    if counts[N_TRIALS] < _MAX_TRIALS and (open_ended or numbers[HIGH] - numbers[LOW] > 1e-14 * numbers[HIGH]):
        return False
    # The search has failed: go on from its best point, or from its start without memory, or end.
    if numbers[BEST_VALUE] < numbers[VALUE]:
        _move(search, c, search.best[c], search.best_gradient[c], numbers[BEST_VALUE], numbers[BEST_LOSS])
    elif counts[N_KEPT] > 0:
        counts[N_KEPT] = 0
    else:
        counts[STATUS] = NO_PROGRESS
    return True


@_PLAIN
def _finish(columns: Any, c: int, goal: Any, sums: Any, slopes: Any, point: Any, gradient: Any) -> Any:
    """Set point and gradient of a column from the sums over rows; return value and loss."""
    q, sign, shift = columns.coefficients.shape[1], columns.sign[c], sums[0]
    squared = goal.loss == SQUARED
    if squared:
        columns.constant[c] += shift
    loss = max(sums[1] - shift * shift, 0.0) if squared else sums[1]
    value = loss
    for d in range(q):
        w = columns.coefficients[c, d]
        outer = -2.0 * (slopes[0, d] - shift * slopes[1, d]) if squared else slopes[0, d]
        point[d] = w
        gradient[d] = sign * outer + 2.0 * goal.ridge * w
        value += goal.ridge * w * w
        if d < goal.n_lasso:
            value += goal.lasso * abs(w)
    point[q] = columns.constant[c]
    gradient[q] = 0.0 if squared else shift
    return value, loss


@_PLAIN
def advance_all(search: Any, columns: Any, goal: Any, active: Any, sums: Any, slopes: Any) -> Any:
    """Finish one evaluation of all active columns from the sums over rows; return the columns that go on."""
    q = columns.coefficients.shape[1]
    point, gradient = np.empty(q + 1), np.empty(q + 1)
    n_left, left = 0, np.empty(active.shape[0], np.int64)
    for k in range(active.shape[0]):
        c = active[k]
        value, loss = _finish(columns, c, goal, sums[k], slopes[k], point, gradient)
        search.counts[c, N_EVALUATIONS] += 1
        if search.counts[c, N_EVALUATIONS] == 1:
            _copy(point, search.point[c])
            _copy(gradient, search.gradient[c])
            search.numbers[c, VALUE], search.numbers[c, LOSS] = value, loss
            begin = True
        else:
            begin = _weigh(search, c, goal, point, gradient, value, loss)
        if begin and search.counts[c, STATUS] == RUNNING:
            _set_out(search, c, goal)
        if search.counts[c, STATUS] == RUNNING:
            _place(search, columns, c, goal)
            left[n_left] = c
            n_left += 1
    return left[:n_left]


@_PLAIN
def begin_again(search: Any, columns: Any, goal: Any, stopped: Any) -> Any:
    """Set out from where columns have stopped, for another goal; return those that go on."""
    n_left, left = 0, np.empty(stopped.shape[0], np.int64)
    for c in stopped:
        if search.counts[c, STATUS] == CONVERGED:
            search.counts[c, STATUS] = RUNNING
            _set_out(search, c, goal)
        if search.counts[c, STATUS] == RUNNING:
            _place(search, columns, c, goal)
            left[n_left] = c
            n_left += 1
    return left[:n_left]


@_PLAIN
def winners(search: Any, n_problems: int) -> Any:
    """Return the column with the smallest loss for each problem."""
    each = search.numbers.shape[0] // n_problems
    best = np.arange(n_problems) * each
    for p in range(n_problems):
        lowest = np.inf
        for k in range(p * each, (p + 1) * each):
            if search.numbers[k, LOSS] < lowest:
                best[p], lowest = k, search.numbers[k, LOSS]
    return best


@_PLAIN
def _run(rows: Any, columns: Any, search: Any, goal: Any, active: Any) -> None:
    """Minimise some columns, all rows in one part."""
    n, work = active.shape[0], _new_work(rows, active.shape[0])
    sums, slopes = np.empty((n, 2)), np.empty((n, 2, rows.X.shape[1]))
    while active.shape[0]:
        _add_blocks(rows, columns, active, goal.beta, goal.loss, 0, rows.X.shape[0], work, sums, slopes)
        active = advance_all(search, columns, goal, active, sums, slopes)


@_PLAIN
def solve(rows: Any, columns: Any, search: Any, coarse: Any, goal: Any, n_problems: int) -> Any:
    """Minimise all columns for a coarse goal, then the winner of each problem for the goal; return the winners."""
    _run(rows, columns, search, coarse, np.arange(columns.sign.shape[0]))
    best = winners(search, n_problems)
    _run(rows, columns, search, goal, begin_again(search, columns, goal, best))
    return best


@_FAST
def unit_values(rows: Any, coefficients: Any, beta: float, out: Any) -> None:
    """Set out (blocks, ROWS) to g(Xw) of one unit."""
    kind = rows.X.dtype
    u, e, whole = np.empty(ROWS, kind), np.empty(ROWS, kind), np.empty(ROWS, kind)
    vector = np.empty(coefficients.shape[0], kind)
    for d in range(vector.shape[0]):
        vector[d] = beta * coefficients[d]
    for block in range(out.shape[0]):
        _project_one(rows.X[block], vector, u)
        _units(u, e, whole)
        for i in range(ROWS):
            out[block, i] = u[i] / beta


@_FAST
def _mean_slope(rows: Any, problem: int, values: Any, constant: float, sign: float, out: Any) -> None:
    """Set out to the weighted sums of the logistic loss and of its first two derivatives by the constant."""
    kind = rows.X.dtype
    v, slope, whole = np.empty(ROWS, kind), np.empty(ROWS, kind), np.empty(ROWS, kind)
    small = np.empty(2, kind)
    small[0], small[1] = constant, sign
    out[0], out[1], out[2] = 0.0, 0.0, 0.0
    for block in range(values.shape[0]):
        target, weight = rows.target[problem, block], rows.weight[block]
        _logistic_scores(target, rows.offset[problem, block], values[block], small[0], small[1], v)
        _units(v, slope, whole)
        zero = v[0] * 0
        first, second, third = zero, zero, zero
        for i in range(ROWS):
            part = weight[i] * slope[i]
            first += weight[i] * v[i]
            second -= target[i] * part
            third += part - part * slope[i]
        out[0] += first
        out[1] += second
        out[2] += third


@_FAST
def best_constant(rows: Any, problem: int, values: Any, sign: float, constant: float, loss: int) -> Any:
    """Return the constant that is best for the values of a unit, and the loss with it."""
    out, kind = np.zeros(3), rows.X.dtype
    if loss == 0:
        small = np.empty(1, kind)
        small[0] = sign
        for repeat in range(2):  # the second time for the loss, from residuals that are small
            first, second = 0.0, 0.0
            for block in range(values.shape[0]):
                target, offset = rows.target[problem, block], rows.offset[problem, block]
                g, weight = values[block], rows.weight[block]
                for i in range(ROWS):
                    rest = (target[i] - offset[i]) - (constant + small[0] * g[i])
                    first += weight[i] * rest
                    second += weight[i] * rest * rest
            if repeat == 0:
                constant += first
        return constant, second
    for _ in range(NEWTON_STEPS):
        _mean_slope(rows, problem, values, constant, sign, out)
        if out[2] > 0.0:
            constant -= min(max(out[1] / out[2], -1.0), 1.0)
    _mean_slope(rows, problem, values, constant, sign, out)
    return constant, out[0]


@_FAST
def path_lengths(left: Any, right: Any, problem: Any, height: Any, beta: float, n_steps: int, out: Any) -> None:
    """Set out (n, m) to the sum over problems of the lengths of the ways of f between projections (n, U) and (m, U).

    The units stand sorted by problem; their height is sign times scale.
    """
    u, e, whole, f = np.empty(ROWS), np.empty(ROWS), np.empty(ROWS), np.empty(ROWS)
    for i in range(left.shape[0]):
        for j in range(right.shape[0]):
            total = 0.0
            for begin in range(0, n_steps, ROWS - 1):
                f[:] = 0.0
                for k in range(problem.shape[0]):
                    for r in range(ROWS):
                        t = min(begin + r, n_steps) / n_steps
                        u[r] = beta * (left[i, k] + t * (right[j, k] - left[i, k]))
                    _units(u, e, whole)
                    for r in range(ROWS):
                        f[r] += height[k] / beta * u[r]
                    if k + 1 == problem.shape[0] or problem[k + 1] != problem[k]:
                        for r in range(ROWS - 1):
                            total += abs(f[r + 1] - f[r])
                        f[:] = 0.0
            out[i, j] = total
