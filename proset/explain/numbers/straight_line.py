"""A straight line through the training rows: what a model of a number has to be better than, on every page the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import RidgeCV

from proset.engine.density_part import LEAST_OF_MARGINAL
from proset.engine.mixtures.distribution import PredictedDistribution
from proset.engine.mixtures.marginal import Marginal
from proset.engine.mixtures.mixture import FloatArray, Mixture
from proset.engine.mixtures.units import TargetUnits
from proset.engine.regressor_checks import center_and_scale
from proset.selection.inner_folds import GroupsAndTimes, NoFoldsError, inner_folds
from proset.study.fit import groups_of, times_of

if TYPE_CHECKING:
    from proset.study.number_study import NumberStudy

_PENALTIES = np.logspace(-4.0, 4.0, 17)
_FEWEST = 3  # rows through which a line is laid
_FOLDS = 5


@dataclass(frozen=True, eq=False)
class StraightLine:
    """Linear regression on the columns that a model sees; its errors on rows left out, smoothed, belong to all cases.

    Attributes
    ----------
    slopes : ndarray of shape (D,)
        By matrix column, in units of the target.
    units : TargetUnits
        The intercept, and the standard deviation of the training targets.
    errors : Marginal
        Density of target less prediction of training rows that a fold left out, in those standard deviations.
    """

    slopes: FloatArray
    units: TargetUnits
    errors: Marginal

    @classmethod
    def of(cls, study: NumberStudy) -> Self:
        """Fit it to the training rows of a study."""
        target = study.targets.reindex(study.split.train).to_numpy(dtype=np.float64)
        known = GroupsAndTimes(groups_of(study.table, study.split), times_of(study.table, study.split))
        return cls.fit(study.encode(study.split.train).X, target, known.pooled(0))

    @classmethod
    def fit(cls, X: NDArray[np.floating], target: FloatArray, known: GroupsAndTimes) -> Self:
        """Fit it to rows, with as much ridge penalty as errors on rows left out ask for.

        Parameters
        ----------
        X : array of shape (n, D)
            Finite.
        known : GroupsAndTimes
            What folds have to respect; errors are those of rows drawn one by one where there is no fold that does.
        """
        exact, n = X.astype(np.float64), len(target)
        middle, scale = center_and_scale(target, np.ones(n))
        # In units of the spread, so that penalties mean the same for dollars and for millions of them.
        y = (target - middle) / scale
        try:
            folds = inner_folds(np.zeros(n, dtype=np.int64), _FOLDS, 0, known)
        except NoFoldsError:
            folds = inner_folds(np.zeros(n, dtype=np.int64), _FOLDS, 0)
        slopes, intercept = _line(exact, y)
        left_out = []
        for fold in folds:
            own, start = _line(exact[fold.train], y[fold.train])
            left_out.append(y[fold.test] - start - exact[fold.test] @ own)
        errors = np.concatenate(left_out) if left_out else y - intercept - exact @ slopes
        density = Marginal.of(errors, np.ones(len(errors)), LEAST_OF_MARGINAL)
        return cls(scale * slopes, TargetUnits(middle + scale * intercept, scale), density)

    def distribution(self, matrix: NDArray[np.floating]) -> PredictedDistribution:
        """Return what it says of rows of the matrix."""
        ahead = (matrix.astype(np.float64) @ self.slopes / self.units.scale)[:, None]
        own = self.errors.mixture(len(ahead))
        return PredictedDistribution(Mixture(own.weights, own.means + ahead, own.spreads), self.units)


def _line(X: FloatArray, y: FloatArray) -> tuple[FloatArray, float]:
    """Return slopes and intercept; those of a mean where there are too few rows or columns for a line."""
    if len(X) < _FEWEST or not X.shape[1]:
        return np.zeros(X.shape[1]), float(y.mean())
    fitted = RidgeCV(alphas=_PENALTIES).fit(X, y)
    return np.asarray(fitted.coef_), float(fitted.intercept_)
