"""The target's part of a model where the target is a number: a density in place of the indicator of a class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from proset.engine.density_sets import DensityManager
from proset.engine.fitting import BatchSettings
from proset.engine.mixtures.marginal import Marginal, left_out_density, resolution
from proset.engine.objective.density_problem import DensityProblem, make_density_problem
from proset.engine.objective.penalty import ElasticNet
from proset.engine.set_manager import BoolArray, FloatArray, IntArray, SetManager


@dataclass(frozen=True)
class DensitySettings(BatchSettings):
    """Everything that governs the fit of one batch; the names are those of ``RegressorModel``."""

    lambda_beta: float = 1e-3
    alpha_beta: float = 0.95
    lambda_h: float = 1e-2

    @classmethod
    def of(cls, source: object) -> Self:
        """Take the settings from attributes of the same names, those of a ``RegressorModel``."""
        return cls(**{field.name: getattr(source, field.name) for field in fields(cls) if hasattr(source, field.name)})

    def penalties(self, factors: FloatArray | None = None) -> dict[str, ElasticNet]:
        """Return the penalties of a problem by name; `factors` are those of the features."""
        return super().penalties(factors) | {
            "penalty_beta": ElasticNet(self.lambda_beta, self.alpha_beta, factors),
            "penalty_h": ElasticNet(self.lambda_h, 1.0),
        }


LEAST_OF_MARGINAL = 0.02  # bandwidth of the marginal density, in standard deviations
PARTS = 3  # of the range of the target, with equal shares of the weight: candidates come from low, middle and high


@dataclass(frozen=True, eq=False)
class Density:
    """The part of a number: each prototype votes with a normal density around its adjusted value (R1), (R2).

    Attributes
    ----------
    values : ndarray of float64, shape (n,)
        Targets of all training rows, standardised.
    weight : ndarray of float64, shape (n,)
        Sample weights, positive.
    index : ndarray of int64, shape (n,)
        Places of the rows in what the caller passed.
    min_spread : float
        No prototype's spread is less, in standard deviations of the target, positive.

    Examples
    --------
    >>> part = Density(np.linspace(-1.7, 1.7, 9), np.ones(9), np.arange(9))
    >>> part.parts(3).tolist()
    [0, 0, 0, 1, 1, 1, 2, 2, 2]
    """

    cost: ClassVar[int] = 10

    values: FloatArray
    weight: FloatArray
    index: IntArray
    min_spread: float = 0.1

    @cached_property
    def least_spread(self) -> float:
        """Lower bound of all spreads: half of what targets are rounded to, at least `min_spread`."""
        return max(resolution(self.values), self.min_spread)

    @cached_property
    def _least_bandwidth(self) -> float:
        """Lower bound of the bandwidth of the marginal density."""
        return max(resolution(self.values), LEAST_OF_MARGINAL)

    @cached_property
    def marginal(self) -> Marginal:
        """Marginal density of the training rows."""
        return Marginal.of(self.values, self.weight, self._least_bandwidth)

    @cached_property
    def alone(self) -> FloatArray:
        """Marginal density of each training row without it."""
        return left_out_density(self.values, self.weight, self._least_bandwidth)

    def parts(self, smallest: int) -> IntArray:
        """Return the third of the range that each row is from; fewer parts where one has less than `smallest` rows."""
        for n_parts in range(PARTS, 1, -1):
            edges = np.quantile(
                self.values, np.arange(1, n_parts) / n_parts, weights=self.weight, method="inverted_cdf"
            )
            part = np.unique(np.searchsorted(edges, self.values, side="left"), return_inverse=True)[1]
            if np.bincount(part).min() >= smallest:
                return part.astype(np.int64)
        return np.zeros(self.values.shape[0], dtype=np.int64)

    def marginal_model(self, target: IntArray, weight: FloatArray, n_features: int) -> SetManager:
        """Return the model that answers as everybody: p0 of (R1)."""
        total = np.bincount(target, weights=weight)
        return DensityManager(total / total.sum(), n_features, (), self.marginal)

    def before(
        self, manager: SetManager, X: NDArray[np.floating], target: IntArray, rows: IntArray
    ) -> tuple[FloatArray, BoolArray]:
        """Return numerator and denominator of (R1) of training rows, shape (n, 2), none with a vote of its own.

        Rows are explained well if their density is more than the median of the marginal one.
        """
        assert isinstance(manager, DensityManager)
        prior = manager.votes(X, self.values[rows], self.index[rows])
        prior += np.column_stack([self.alone[rows], np.ones(rows.shape[0])])
        return prior, prior[:, 0] / prior[:, 1] > np.median(self.alone)

    def problem(
        self,
        X: NDArray[np.floating],
        target: IntArray,
        sample_weight: FloatArray,
        prior: FloatArray,
        rows: IntArray,
        *,
        candidates: IntArray,
        reference: IntArray,
        penalties: Mapping[str, ElasticNet],
        first: bool,
    ) -> DensityProblem:
        """Return the problem of (2.8) with log-densities."""
        return make_density_problem(
            X,
            target,
            self.values[rows],
            sample_weight,
            prior,
            candidates=candidates,
            reference=reference,
            penalties=penalties,
            least_spread=self.least_spread,
            first=first,
        )
