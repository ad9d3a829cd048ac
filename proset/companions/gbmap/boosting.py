"""The stages of a fit: restarts, gains, and when to stop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from proset.companions.gbmap.compiled import SQUARED, Goal, RowBlocks
from proset.companions.gbmap.stage import Stage, add_to, best_units, in_blocks, matrix_in_blocks, settle
from proset.companions.gbmap.standard import Standard
from proset.companions.gbmap.units import Units
from proset.companions.protocol import FloatArray, IntArray

MAX_FAILURES = 10
"""A stage without gain is begun anew from other random starts that many times before boosting ends."""
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Settings:
    """Settings of a boosting; the parameters of the estimators, checked."""

    n_boosts: int
    beta: float
    ridge: float
    lasso: float
    max_iter: int
    tol: float
    n_init: int
    whole_fits: bool
    fit_intercept: bool
    min_gain: float
    patience: int
    dtype: str


@dataclass(frozen=True, eq=False)
class TrainingSample:
    """Rows for P problems with the same features.

    Attributes
    ----------
    X : ndarray of shape (n, D)
        Features.
    target, offset : ndarray of shape (P, n)
        Standardised values, or -1 and 1; scores to start from.
    weight : ndarray of shape (n,)
        Of the rows; they add up to 1.
    standard : Standard
        How the features are standardised.
    """

    X: NDArray[np.floating]
    target: FloatArray
    offset: FloatArray
    weight: FloatArray
    standard: Standard

    def in_blocks(self, fits: int, settings: Settings) -> RowBlocks:
        """Put everything in blocks, each problem `fits` times."""
        dtype = np.dtype(settings.dtype)
        return RowBlocks(
            matrix_in_blocks(self.X, settings.fit_intercept, dtype, self.standard),
            in_blocks(np.repeat(self.target, fits, axis=0), dtype),
            in_blocks(np.repeat(self.offset, fits, axis=0), dtype),
            in_blocks(self.weight, dtype),
        )


def losses_of(rows: RowBlocks, loss: int) -> FloatArray:
    """Return the loss of each problem at its offset, shape (P,).

    Examples
    --------
    >>> one = np.ones((1, 1, 2))
    >>> losses_of(RowBlocks(np.zeros((1, 1, 2)), one, 0.0 * one, 0.5 * one[0]), loss=1).round(3)
    array([0.693])
    """
    found = []
    for target, offset in zip(rows.target, rows.offset, strict=True):  # one at a time: a third array of this size less
        t, f = target.astype(float, copy=False), offset.astype(float, copy=False)
        each = (t - f) ** 2 if loss == SQUARED else np.logaddexp(0.0, -t * f)
        found.append(float((rows.weight * each).sum()))
    return np.array(found)


@dataclass(eq=False)
class _Fit:
    """State of the fit of one problem."""

    random: np.random.RandomState
    coefficients: list[FloatArray] = field(default_factory=list)
    constants: list[float] = field(default_factory=list)
    signs: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    held_out: list[float] = field(default_factory=list)
    n_iter: list[int] = field(default_factory=list)
    failures: int = 0
    done: bool = False

    def add(self, stage: Stage, k: int) -> None:
        """Take the unit of a stage."""
        self.coefficients.append(stage.coefficients[k])
        self.constants.append(float(stage.constant[k]))
        self.signs.append(float(stage.sign[k]))
        self.losses.append(float(stage.loss[k]))
        self.n_iter.append(int(stage.n_iter[k]))
        self.failures = 0

    def judge(self, held_out: float, patience: int) -> None:
        """Take note of the loss of held-out rows; end when it has not become smaller for some stages."""
        self.held_out.append(held_out)
        self.done = len(self.held_out) - 1 - int(np.argmin(self.held_out)) >= patience

    @property
    def n_units(self) -> int:
        """Number of units to keep: all, or up to the smallest loss of held-out rows."""
        return int(np.argmin(self.held_out)) if self.held_out else len(self.signs)

    @property
    def quality(self) -> float:
        """The loss to choose among whole fits by."""
        return min(self.held_out) if self.held_out else self.losses[-1]


@dataclass(frozen=True, eq=False)
class Grown:
    """A fit.

    Attributes
    ----------
    units : Units
        What was learned, for features as they were and a standardised target.
    losses : ndarray of shape (stages + 1,)
        Training loss without any unit and after each stage, the mean over problems.
    held_out : ndarray of shape (stages + 1,) or (0,)
        The same for held-out rows.
    n_iter : ndarray of int64, shape (U,)
        Steps of L-BFGS for each unit.
    """

    units: Units
    losses: FloatArray
    held_out: FloatArray
    n_iter: IntArray


def _goal(settings: Settings, loss: int, n_features: int) -> Goal:
    """State what is minimised; penalties are divided by the number of coefficients, that of the constant counted."""
    q = n_features + settings.fit_intercept
    slack = 1e-14 if settings.dtype == "float64" else 1e-7
    return Goal(
        loss, settings.beta, settings.ridge / q, settings.lasso / q, n_features, settings.tol, settings.max_iter, slack
    )


def grow(
    sample: TrainingSample,
    held_out: TrainingSample | None,
    settings: Settings,
    loss: int,
    random: np.random.RandomState,
    progress: Progress | None = None,
) -> Grown:
    """Boost all problems, side by side.

    Parameters
    ----------
    sample : TrainingSample
        To fit to.
    held_out : TrainingSample or None
        To stop by; None makes all stages.
    settings : Settings
        How.
    loss : int
        ``SQUARED`` or ``LOGISTIC``.
    random : RandomState
        Draws the starts; each problem has a stream of its own, so more stages go on from fewer.
    progress : callable or None
        Called with the number of stages done and of all.

    Returns
    -------
    Grown
        The best of the whole fits for each problem.
    """
    n_problems, whole = len(sample.target), settings.n_init if settings.whole_fits else 1
    fits = [_Fit(np.random.RandomState(random.randint(2**31 - 1))) for _ in range(n_problems * whole)]
    rows = sample.in_blocks(whole, settings)
    other = None if held_out is None else held_out.in_blocks(whole, settings)
    for fit, value in zip(fits, losses_of(rows, loss), strict=True):
        fit.losses.append(value)
    if other is not None:
        for fit, value in zip(fits, losses_of(other, loss), strict=True):
            fit.held_out.append(value)
    goal = _goal(settings, loss, sample.X.shape[1])
    while True:
        going = np.array([k for k, f in enumerate(fits) if not f.done and len(f.signs) < settings.n_boosts], dtype=int)
        if progress is not None:
            progress(min((len(fits[k].signs) for k in going), default=settings.n_boosts), settings.n_boosts)
        if not len(going):
            break
        _add_one(fits, going, rows, other, goal, settings)
    best = [min(fits[k * whole : (k + 1) * whole], key=lambda f: f.quality) for k in range(n_problems)]
    return _collect(best, sample.standard, settings)


def _add_one(
    fits: list[_Fit], going: IntArray, rows: RowBlocks, other: RowBlocks | None, goal: Goal, settings: Settings
) -> None:  # fmt: skip
    """Make one stage for the problems that go on, and say which of them are done."""
    n_starts, q = (1 if settings.whole_fits else settings.n_init), rows.X.shape[1]
    starts = np.stack([fits[p].random.standard_normal((n_starts, q + 1)) for p in going])
    stage = best_units(rows, going, goal, starts)
    gains = np.array([fits[p].losses[-1] - stage.loss[k] for k, p in enumerate(going)])
    enough = gains > [settings.min_gain * fits[p].losses[0] for p in going]
    for p in going[~enough]:
        fits[p].failures += 1
        fits[p].done = fits[p].failures >= MAX_FAILURES
    if enough.any():
        problems = going[enough]
        won = settle(rows, problems, stage if enough.all() else stage.of(np.flatnonzero(enough)), goal)
        for k, p in enumerate(problems):
            fits[p].add(won, k)
        if other is not None:
            add_to(other, problems, won, goal.beta)
            found = losses_of(other, goal.loss)
            for p in problems:
                fits[p].judge(float(found[p]), settings.patience)


def _collect(fits: list[_Fit], standard: Standard, settings: Settings) -> Grown:
    """Put the units of all problems together."""
    counts, n_features = [fit.n_units for fit in fits], len(standard.mean)

    def together(name: str) -> list[float]:
        return [value for fit, n in zip(fits, counts, strict=True) for value in getattr(fit, name)[:n]]

    q = n_features + settings.fit_intercept
    coefficients = np.array(together("coefficients"), dtype=float).reshape(sum(counts), q)
    biases = coefficients[:, n_features] if settings.fit_intercept else np.zeros(sum(counts))
    units = Units(
        *standard.undo(coefficients[:, :n_features], biases),
        np.array(together("constants"), dtype=float),
        np.array(together("signs"), dtype=float),
        np.concatenate([np.arange(n) for n in counts]).astype(np.int64),
        np.repeat(np.arange(len(fits)), counts).astype(np.int64),
        len(fits),
        settings.beta,
    )
    return Grown(
        units,
        _mean_path([fit.losses for fit in fits], counts),
        _mean_path([fit.held_out for fit in fits], counts) if fits[0].held_out else np.empty(0),
        np.array(together("n_iter"), dtype=np.int64),
    )


def _mean_path(paths: list[list[float]], counts: list[int]) -> FloatArray:
    """Return the mean of losses by stage; a problem that ended keeps its last loss."""
    stages = np.arange(max(counts) + 1)
    return np.mean([np.array(path)[np.minimum(stages, n)] for path, n in zip(paths, counts, strict=True)], axis=0)
