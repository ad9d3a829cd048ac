"""The cover of one class by linear programming with random rounding, and by integer programming."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from proset.common.errors import ProsetError
from proset.companions.protocol import FloatArray, IntArray
from proset.companions.pvm.reduced import ReducedCover

WAYS = ("greedy", "halves", "rounding")
LEAST_GAIN = 1e-9  # less is rounding
ROUNDED_AT_ONCE = 1 << 24  # entries of the matrix of points and roundings


@dataclass(frozen=True, eq=False)
class Relaxation:
    """The solution of the linear program.

    Attributes
    ----------
    share : ndarray of shape (J,)
        How much of each ball is taken, in [0, 1].
    uncovered : ndarray of shape (R,)
        How much of each row is left uncovered, in [0, 1].
    value : float
        Objective: no choice of whole balls has a lower one.
    """

    share: FloatArray
    uncovered: FloatArray
    value: float

    def expected_bound(self, cover: ReducedCover) -> float:
        """Return a bound on the mean objective of random roundings.

        A row is missed by all balls with probability prod (1 - a_j) <= exp(-sum a_j) <= exp(-(1 - xi)).
        """
        missed = cover.weight @ np.exp(self.uncovered - 1.0)
        return float(missed + cover.cost @ self.share + cover.never)


@dataclass(frozen=True, eq=False)
class ChosenBalls:
    """Balls of one class that were chosen.

    Attributes
    ----------
    balls : ndarray of int64
        By their place among those of the class.
    lower_bound : float
        No choice has a lower objective.
    found_by : str
        "greedy", "halves", "rounding" or "milp".
    ended : bool
        Whether the solver ended by itself, not by its limit of time.
    """

    balls: IntArray
    lower_bound: float
    found_by: str
    ended: bool = True


def relax(cover: ReducedCover) -> Relaxation:
    """Solve the linear program in which a ball may be taken in part.

    Examples
    --------
    >>> inside = sparse.csr_array(np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]))
    >>> cover = ReducedCover(np.arange(3), inside, np.ones(3), np.full(3, 0.4), never=0)
    >>> relax(cover).share.round(6).tolist(), round(relax(cover).value, 6)
    ([0.5, 0.5, 0.5], 0.6)
    """
    n_rows, n_balls = cover.inside.shape
    if not n_balls:
        return Relaxation(np.empty(0), np.empty(0), float(cover.never))
    covers = sparse.hstack([cover.inside, sparse.eye_array(n_rows)], format="csr")
    cost = np.concatenate([cover.cost, cover.weight])
    found = linprog(cost, A_ub=-covers, b_ub=-np.ones(n_rows), bounds=(0, 1), method="highs")
    if found.x is None:
        raise ProsetError(f"The linear program could not be solved: {found.message}", hint="Use solver='greedy'.")
    values = np.clip(found.x, 0.0, 1.0)
    return Relaxation(values[:n_balls], values[n_balls:], float(found.fun or 0.0) + cover.never)


def draw_roundings(cover: ReducedCover, share: FloatArray, count: int, rng: np.random.RandomState) -> FloatArray:
    """Take each ball with the probability of its share, `count` times; return choices of shape (J, count)."""
    return (rng.random_sample((len(share), count)) < share[:, None]).astype(np.float64)


def polished(cover: ReducedCover, chosen: FloatArray) -> FloatArray:
    """Add balls that pay for themselves and drop those that do not, the best step first, until no step helps.

    Parameters
    ----------
    cover : ReducedCover
        One class.
    chosen : ndarray of shape (J,)
        Zeros and ones.

    Returns
    -------
    ndarray of shape (J,)
        Its objective is at most that of `chosen`.

    Examples
    --------
    >>> inside = sparse.csr_array(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 0.0]]))
    >>> cover = ReducedCover(np.arange(2), inside, np.ones(3), np.full(2, 0.5), never=0)
    >>> polished(cover, np.array([0.0, 1.0])).tolist()
    [1.0, 0.0]
    """
    chosen = chosen.copy()
    points = sparse.csr_array(cover.inside.T)
    times = cover.inside @ chosen
    while len(chosen):
        added = points @ (cover.weight * (times < 0.5)) - cover.cost
        dropped = cover.cost - points @ (cover.weight * (times < 1.5))
        gain = np.where(chosen > 0.5, dropped, added)
        ball = int(gain.argmax())
        if gain[ball] <= LEAST_GAIN:
            break
        chosen[ball] = 1.0 - chosen[ball]
        times = cover.inside @ chosen
    return chosen


def choose_by_rounding(cover: ReducedCover, greedy: IntArray, n_rounds: int, rng: np.random.RandomState) -> ChosenBalls:
    """Return the best of many random roundings, of the shares above one half, and of the greedy cover, each polished.

    Parameters
    ----------
    cover : ReducedCover
        One class.
    greedy : ndarray of int64
        Balls that the greedy cover takes.
    n_rounds : int
        Random roundings.
    rng : RandomState
        Draws them.
    """
    relaxation = relax(cover)
    choices = [cover.columns_of(greedy)[:, None], (relaxation.share >= 0.5).astype(np.float64)[:, None]]
    step = max(1, ROUNDED_AT_ONCE // max(1, sum(cover.inside.shape)))
    for done in range(0, n_rounds, step):
        drawn = draw_roundings(cover, relaxation.share, min(step, n_rounds - done), rng)
        choices.append(drawn[:, [int(cover.objectives(drawn).argmin())]])
    best_of_each = [*choices[:2], *sorted(choices[2:], key=lambda drawn: float(cover.objectives(drawn)[0]))[:1]]
    tried = np.column_stack([polished(cover, choice[:, 0]) for choice in best_of_each])
    values = cover.objectives(tried)
    best = int(values.argmin())
    return ChosenBalls(cover.balls[tried[:, best] > 0.5], min(relaxation.value, float(values[best])), WAYS[best])


def choose_exactly(cover: ReducedCover, greedy: IntArray, time_limit: float | None) -> ChosenBalls:
    """Solve the integer program, or go as far as the time allows.

    Parameters
    ----------
    cover : ReducedCover
        One class.
    greedy : ndarray of int64
        Balls that the greedy cover takes, kept if nothing better is found in time.
    time_limit : float or None
        Seconds.
    """
    n_rows, n_balls = cover.inside.shape
    if not n_balls:
        return ChosenBalls(greedy, float(cover.never), "milp")
    covers = sparse.hstack([cover.inside, sparse.eye_array(n_rows)], format="csr")
    found = milp(
        np.concatenate([cover.cost, cover.weight]),
        constraints=LinearConstraint(covers, lb=1.0),
        integrality=np.repeat([1, 0], [n_balls, n_rows]),
        bounds=Bounds(0.0, 1.0),
        options={"mip_rel_gap": 0.0, "time_limit": np.inf if time_limit is None else max(0.01, time_limit)},
    )
    proved = found.mip_dual_bound
    bound = cover.never + (max(0.0, float(proved)) if proved is not None and np.isfinite(proved) else 0.0)
    started = cover.columns_of(greedy)
    values = cover.objectives(started[:, None])
    chosen, found_by = greedy, "greedy"
    if found.x is not None:
        exact = (found.x[:n_balls] > 0.5).astype(np.float64)
        values = cover.objectives(np.column_stack([started, exact]))
        if values[1] <= values[0] + 1e-9:
            chosen, found_by = cover.balls[exact > 0.5], "milp"
    return ChosenBalls(chosen, min(float(bound), float(values.min())), found_by, ended=found.status == 0)


def remaining(time_limit: float | None, begun: float) -> float | None:
    """Return the seconds that are left of a limit that began to count at `begun`."""
    return None if time_limit is None else time_limit - (perf_counter() - begun)
