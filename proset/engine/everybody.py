"""The answer that needs no model: the distribution of all training targets, smoothed, for every case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from proset.engine.density_part import Density
from proset.engine.mixtures.distribution import PredictedDistribution
from proset.engine.mixtures.marginal import Marginal
from proset.engine.mixtures.mixture import FloatArray
from proset.engine.mixtures.units import TargetUnits
from proset.engine.regressor_checks import center_and_scale


@dataclass(frozen=True, eq=False)
class Everybody:
    """The marginal density (R1) of targets as they are: the answer of a model without prototypes, unless it bends them.

    A model of a bent target has one of its own, which differs a little; models of the same rows are measured beside
    this one, so that they stand beside the same.

    Attributes
    ----------
    marginal : Marginal
        Of the standardised targets.
    units : TargetUnits
        Straight.

    Examples
    --------
    >>> everybody = Everybody.of(np.array([1.0, 2.0, 3.0]))
    >>> everybody.distribution(2).quantile(0.5).round(6).tolist()
    [2.0, 2.0]
    """

    marginal: Marginal
    units: TargetUnits

    @classmethod
    def of(cls, target: FloatArray) -> Self:
        """Take the targets of all rows that a model learns from."""
        weight = np.ones(len(target))
        units = TargetUnits(*center_and_scale(target, weight))
        return cls(Density(units.inward(target), weight, np.arange(len(target))).marginal, units)

    def distribution(self, n_cases: int) -> PredictedDistribution:
        """Return it as the answer for so many cases."""
        return PredictedDistribution(self.marginal.mixture(n_cases), self.units)
