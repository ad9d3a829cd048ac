"""A straight line through the training rows with normal errors: what a model of a number has to be better than."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.linear_model import RidgeCV

from proset.engine.mixtures.distribution import PredictedDistribution
from proset.engine.mixtures.mixture import FloatArray, Mixture
from proset.engine.mixtures.units import TargetUnits

if TYPE_CHECKING:
    from proset.study.number_study import NumberStudy

_PENALTIES = np.logspace(-4.0, 4.0, 17)
_LEAST_SPREAD = 0.02  # standard deviations of the target, as of the distribution of everybody
_FEWEST = 3  # rows through which a line is laid


@dataclass(frozen=True, eq=False)
class StraightLine:
    """Linear regression on the columns that the model sees, with errors of one spread.

    Attributes
    ----------
    slopes : ndarray of shape (D,)
        By matrix column, in units of the target.
    intercept, spread : float
        In units of the target; the spread is that of errors on training rows, each left out of the fit.
    """

    slopes: FloatArray
    intercept: float
    spread: float

    @classmethod
    def of(cls, study: NumberStudy) -> Self:
        """Fit it to the training rows of a study, with as much ridge penalty as errors on rows left out ask for."""
        X = study.encode(study.split.train).X.astype(np.float64)
        target = study.targets.reindex(study.split.train).to_numpy(dtype=np.float64)
        least = _LEAST_SPREAD * study.unit
        if len(X) < _FEWEST or not X.shape[1]:
            return cls(np.zeros(X.shape[1]), float(target.mean()), max(float(target.std()), least))
        # In units of the spread, so that penalties mean the same for dollars and for millions of them.
        middle = float(target.mean())
        fitted = RidgeCV(alphas=_PENALTIES, store_cv_results=True).fit(X, (target - middle) / study.unit)
        left_out = fitted.cv_results_.mean(axis=0).min()
        spread = study.unit * float(np.sqrt(left_out))
        intercept = middle + study.unit * float(fitted.intercept_)
        return cls(study.unit * fitted.coef_, intercept, max(spread, least))

    def distribution(self, matrix: FloatArray) -> PredictedDistribution:
        """Return what it says of rows of the matrix."""
        means = (self.intercept + matrix.astype(np.float64) @ self.slopes)[:, None]
        # Near zero, so that no digit is lost where the target is far from it.
        shifted = (means - self.intercept) / self.spread
        mixture = Mixture(np.ones_like(means), shifted, np.ones(1))
        return PredictedDistribution(mixture, TargetUnits(self.intercept, self.spread))
