"""Quality of a model of a number on rows that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proset.engine.everybody import Everybody
from proset.engine.mixtures.distribution import PredictedDistribution
from proset.engine.regressor import RegressorModel

COVERAGE = 0.9
"""Probability of the intervals that pages, tables and files state."""
INTERVAL_LEVELS = (0.5, 0.6, 0.7, 0.8, COVERAGE, 0.95)
"""Probabilities of the intervals that are looked at when a model is measured."""
_ROWS_AT_ONCE = 2_000


@dataclass(frozen=True)
class NumberMetrics:
    """Quality on some rows, beside "as everybody": all training targets, smoothed, for each of them.

    Attributes
    ----------
    n_rows : int
        Rows that were measured.
    log_score, naive_log_score : float
        Mean of minus the logarithm of the density at the true number, in nats per unit of the target; less is better.
    crps, naive_crps : float
        Mean continuous ranked probability score, in units of the target; less is better.
    rmse, naive_rmse : float
        Root of the mean square error of the mean.
    mae, naive_mae : float
        Mean absolute error of the median.
    covered : float
        Share of the rows, in [0, 1], whose number lies in the central interval of 90 %.
    width, naive_width : float
        Mean width of these intervals.
    """

    n_rows: int
    log_score: float
    naive_log_score: float
    crps: float
    naive_crps: float
    rmse: float
    naive_rmse: float
    mae: float
    naive_mae: float
    covered: float
    width: float
    naive_width: float

    @property
    def explained(self) -> float:
        """Share of the variance that the mean explains (R squared); below 0 it is worse than one mean for all."""
        return 1.0 - (self.rmse / self.naive_rmse) ** 2 if self.naive_rmse > 0.0 else 0.0


def measure_numbers(
    model: RegressorModel, matrix: np.ndarray, target: np.ndarray, everybody: Everybody
) -> NumberMetrics:
    """Measure a model on rows with known targets.

    Parameters
    ----------
    model : RegressorModel
        Fitted.
    matrix : float array of shape (n, D)
        Rows as the model takes them, at least one.
    target : float array of shape (n,)
        Their numbers.
    everybody : Everybody
        Of the rows that the model has learned from.

    Examples
    --------
    >>> X = np.linspace(-2.0, 2.0, 200)[:, None]
    >>> y = 10.0 * X[:, 0] + np.random.default_rng(0).normal(size=200)
    >>> found = measure_numbers(RegressorModel(random_state=0).fit(X, y), X, y, Everybody.of(y))
    >>> found.n_rows, bool(found.crps < 0.2 * found.naive_crps), round(found.explained, 1)
    (200, True, 1.0)
    """
    parts, naive = [], []
    for rows in np.array_split(np.arange(len(target)), 1 + len(target) // _ROWS_AT_ONCE):
        parts.append(_measured(model.predict_distribution(matrix[rows]), target[rows]))
        naive.append(_measured(everybody.distribution(len(rows)), target[rows]))
    own, others = np.concatenate(parts, axis=1).mean(axis=1), np.concatenate(naive, axis=1).mean(axis=1)
    return NumberMetrics(
        n_rows=len(target),
        log_score=float(own[0]),
        naive_log_score=float(others[0]),
        crps=float(own[1]),
        naive_crps=float(others[1]),
        rmse=float(np.sqrt(own[2])),
        naive_rmse=float(np.sqrt(others[2])),
        mae=float(own[3]),
        naive_mae=float(others[3]),
        covered=float(own[4]),
        width=float(own[5]),
        naive_width=float(others[5]),
    )


def _measured(said: PredictedDistribution, target: np.ndarray) -> np.ndarray:
    """Return log score, CRPS, squared and absolute error, whether the interval holds it, and its width: (6, n)."""
    lower, upper = said.interval(COVERAGE).T
    return np.vstack(
        [
            said.log_score(target),
            said.crps(target),
            np.square(said.mean - target),
            np.abs(said.quantile(0.5) - target),
            (target >= lower) & (target <= upper),
            upper - lower,
        ]
    )
