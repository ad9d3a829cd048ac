"""Answers of a model of a number: the distributions that belong to many cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from proset.common.allowed import Allowed, check_values
from proset.common.errors import ParameterError
from proset.common.notebook import Displayed
from proset.common.words import shown
from proset.engine.mixtures.bent_crps import bent_crps
from proset.engine.mixtures.mixture import FloatArray, Mixture
from proset.engine.mixtures.units import BentUnits, TargetUnits

Kind = Literal["central", "shortest"]

_BETWEEN = Allowed(0.0, 1.0, ends=False)
STARTS = 33  # levels at which a shortest interval may begin, twice: all of them, then around the best one


@dataclass(frozen=True, eq=False)
class PredictedDistribution(Displayed):
    """Distributions of n cases, in the units of the target: mixtures of densities (R1), normal once standardised.

    All methods are closed forms, but for quantiles, which are found to the last digits by a search, and for the score
    `crps` of a bent target, which is integrated to some nine digits. `y` is a number for
    all cases, or array-like of shape (n,), one value per case, or (n, m), several per case; what is returned has that
    shape, (n,) for a number.

    Attributes
    ----------
    mixture : Mixture
        The same in standard deviations of the training targets from their mean: prototypes, then the marginal.
    units : TargetUnits
        The way from there to the units of the target, straight or bent.

    Examples
    --------
    >>> mixture = Mixture(np.array([[1.0]]), np.array([[0.0]]), np.array([1.0]))
    >>> normal = PredictedDistribution(mixture, TargetUnits(10.0, 2.0))
    >>> normal.mean.tolist(), normal.quantile([0.5, 0.975]).round(2).tolist(), normal.sf(10.0).tolist()
    ([10.0], [[10.0, 13.92]], [0.5])
    >>> normal.interval(0.95).round(2).tolist(), normal.crps(10.0).round(4).tolist()
    ([[6.08, 13.92]], [0.4674])
    """

    mixture: Mixture
    units: TargetUnits

    def __len__(self) -> int:
        return int(self.mixture.weights.shape[0])

    @property
    def mean(self) -> FloatArray:
        """Means, shape (n,)."""
        if isinstance(self.units, BentUnits):
            return np.einsum("nc,nc->n", self.mixture.weights, self.part_means)
        return self.units.outward(self.mixture.mean())

    @property
    def part_means(self) -> FloatArray:
        """Means of all components, shape (n, C)."""
        return self.units.means(self.mixture.means, self.mixture.spreads)

    def quantile(self, q: ArrayLike) -> FloatArray:
        """Return quantiles; those of one case never cross.

        Parameters
        ----------
        q : float, array-like of shape (m,) or of shape (n, m)
            Levels in (0, 1); the same for all cases unless there is a row for each.

        Returns
        -------
        ndarray of shape (n,) for a number, else (n, m)

        Raises
        ------
        ValueError
            If a level is not in (0, 1).
        """
        levels = checked_levels(q)
        wide = np.broadcast_to(np.atleast_1d(levels), (len(self), np.atleast_1d(levels).shape[-1]))
        found = self.units.outward(self.mixture.quantile(wide.astype(np.float64)))
        return found[:, 0] if levels.ndim == 0 else found

    def cdf(self, y: ArrayLike) -> FloatArray:
        """Return the probability of at most `y`, in [0, 1]."""
        values, shape = self._values(y)
        return self.mixture.cdf(values).reshape(shape)

    def sf(self, y: ArrayLike) -> FloatArray:
        """Return the probability of more than `y`, in [0, 1]."""
        values, shape = self._values(y)
        return self.mixture.sf(values).reshape(shape)

    def pdf(self, y: ArrayLike) -> FloatArray:
        """Return the density at `y`, per unit of the target."""
        values, shape = self._values(y)
        return (self.mixture.pdf(values) / self.units.slopes(values)).reshape(shape)

    def log_score(self, y: ArrayLike) -> FloatArray:
        """Return minus the logarithm of the density at `y`, in nats per unit of the target; less is better."""
        values, shape = self._values(y)
        return (np.log(self.units.slopes(values)) - self.mixture.log_pdf(values)).reshape(shape)

    def crps(self, y: ArrayLike) -> FloatArray:
        """Return the continuous ranked probability score at `y`, a number or of shape (n,); less is better.

        It is the integral of the squared difference of the distribution function and that of the true value, in units
        of the target: of a forecast that is sure, the absolute error.
        """
        values, _ = self._values(y)
        if values.shape[1] != 1:
            raise ValueError("crps() takes one value for each case.")
        if isinstance(self.units, BentUnits):
            return bent_crps(self.mixture, values[:, 0], self.units)
        return self.units.scale * self.mixture.crps(values[:, 0])

    def interval(self, coverage: float = 0.9, kind: Kind = "central") -> FloatArray:
        """Return an interval that holds the number with probability `coverage`.

        Parameters
        ----------
        coverage : float, default=0.9
            Probability, in (0, 1).
        kind : {"central", "shortest"}, default="central"
            With the same probability on both sides, or as short as an interval can be; the shortest is found among
            those that begin at some 500 levels.

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper ends.

        Raises
        ------
        ValueError
            If `coverage` is not in (0, 1), or for another kind.
        """
        check_values({"coverage": coverage}, {"coverage": _BETWEEN}, ParameterError)
        share = float(coverage)
        outside = 1.0 - share
        if kind == "central":
            return self.quantile(central_levels(share))
        if kind != "shortest":
            raise ValueError(f"kind is {kind!r}; it has to be 'central' or 'shortest'.")
        low, high = np.full(len(self), 0.0), np.full(len(self), outside)
        ends = np.empty((len(self), 2))
        for _ in range(2):
            steps = (np.arange(STARTS) + 0.5) / STARTS
            begin = low[:, None] + (high - low)[:, None] * steps
            lower, upper = self.quantile(begin), self.quantile(begin + share)
            best = np.argmin(upper - lower, axis=1)[:, None]
            ends = np.column_stack([np.take_along_axis(ends_of, best, axis=1)[:, 0] for ends_of in (lower, upper)])
            at, width = np.take_along_axis(begin, best, axis=1)[:, 0], (high - low) / STARTS
            low, high = np.maximum(at - width, 0.0), np.minimum(at + width, outside)
        return ends

    def sample(self, n_draws: int = 1, random_state: int | np.random.RandomState | None = None) -> FloatArray:
        """Draw values of each case, shape (n, n_draws)."""
        seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
        return self.units.outward(self.mixture.sample(n_draws, np.random.default_rng(seed)))

    def _values(self, y: ArrayLike) -> tuple[FloatArray, tuple[int, ...]]:
        """Return values of the target, standardised, of shape (n, m), and the shape to answer in."""
        given = np.asarray(y, dtype=np.float64)
        if given.ndim == 0:
            given = np.full(len(self), given)
        if given.ndim > 2 or given.shape[0] != len(self):
            raise ValueError(
                f"y has shape {given.shape}, but there are {len(self):,} cases: one row for each is needed."
            )
        if not np.isfinite(given).all():
            raise ValueError("y holds values that are missing or infinite.")
        return self.units.inward(given).reshape(len(self), -1), given.shape


def central_levels(coverage: float) -> tuple[float, float]:
    """Return the levels of the quantiles that have the same probability on both sides.

    Examples
    --------
    >>> central_levels(0.5)
    (0.25, 0.75)
    """
    tail = 0.5 * (1.0 - coverage)
    return tail, 1.0 - tail


def checked_levels(q: ArrayLike) -> FloatArray:
    """Return levels of quantiles, and refuse those that are not in (0, 1).

    Examples
    --------
    >>> checked_levels(0.5).tolist()
    0.5
    """
    try:
        levels = np.asarray(q, dtype=np.float64)
    except (TypeError, ValueError):
        levels = np.empty(0)
    if levels.ndim > 2 or not levels.size or not ((levels > 0.0) & (levels < 1.0)).all():
        raise ParameterError(
            f"q is {shown(q)}; levels have to be {_BETWEEN.words()}, or an array of such.", parameter="q"
        )
    return levels
