"""Levels of the quantiles between which intervals hold what they promise, by conformal prediction.

The model's distribution stays what its prototypes make of it. What is calibrated is between which of its quantiles an
interval lies: of training rows, each judged by a model that has not seen it, one knows where their numbers lie in their
own distributions; conformal prediction takes the levels between which so many of them lie as an interval promises
(distributional conformal prediction with residuals of folds; Chernozhukov, Wüthrich and Zhu, PNAS 118, 2021).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proset.common.errors import StudyError
from proset.engine.mixtures.distribution import central_levels
from proset.study.number_metrics import INTERVAL_LEVELS

FEWEST_ROWS = 20
"""Rows below which none of them is left on either side of an interval of 90 %."""
_OUTERMOST = 1e-6  # quantiles further out belong to no row, and go to infinity


@dataclass(frozen=True)
class IntervalLevels:
    """Levels of the quantiles that are the ends of a calibrated interval.

    Attributes
    ----------
    coverage : float
        Probability that the interval promises, in (0, 1).
    lower, upper : float
        Levels of its ends, in (0, 1).
    """

    coverage: float
    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not (0.0 < self.coverage < 1.0 and 0.0 < self.lower <= self.upper < 1.0):
            raise ValueError("levels have to be in (0, 1), the lower one first")


@dataclass(frozen=True)
class IntervalCalibration:
    """Calibration of the central intervals of a model of a number.

    Attributes
    ----------
    n_rows : int
        Rows that it rests on.
    levels : tuple of IntervalLevels
        One for each coverage that was calibrated.

    Examples
    --------
    >>> found = IntervalCalibration(200, (IntervalLevels(0.9, 0.031, 0.982),))
    >>> found.ends(0.9), found.ends(0.5)
    ((0.031, 0.982), (0.25, 0.75))
    """

    n_rows: int
    levels: tuple[IntervalLevels, ...]

    def ends(self, coverage: float) -> tuple[float, float]:
        """Return the levels of the ends of an interval; those of the model itself where they were not calibrated."""
        found = next((one for one in self.levels if one.coverage == coverage), None)
        return central_levels(coverage) if found is None else (found.lower, found.upper)


def calibration_of(places: np.ndarray) -> IntervalCalibration:
    """Calibrate central intervals by where numbers of rows lie in their own distributions.

    Parameters
    ----------
    places : float array of shape (n,)
        Probabilities that models which have not seen the rows give to at most their numbers.

    Raises
    ------
    ImportError
        If crepes is not installed.
    StudyError
        If there are fewer than 20.
    """
    if len(places) < FEWEST_ROWS:
        told = f"Intervals are calibrated by at least {FEWEST_ROWS} rows; there are {len(places):,}."
        raise StudyError(told, hint="Take the intervals of the model as they are.")
    try:
        from crepes import ConformalPredictiveSystem
    except ImportError as error:
        told = "Intervals are calibrated with crepes, which is not installed: install the extra [conformal]."
        raise ImportError(told) from error
    # A place is its own residual from a prediction of 0, so what the system predicts of 0 are levels.
    system = ConformalPredictiveSystem()
    system.fit(residuals=places)
    rows_outside = {level: round(len(places) * (1.0 - level), 6) for level in INTERVAL_LEVELS}
    known = [level for level, rows in rows_outside.items() if rows >= 2.0]  # one on either side
    ends = [system.predict_int(np.zeros(1), confidence=level)[0] for level in known]
    inside = np.clip(ends, _OUTERMOST, 1.0 - _OUTERMOST).tolist()
    levels = (IntervalLevels(level, *own) for level, own in zip(known, inside, strict=True))
    return IntervalCalibration(len(places), tuple(levels))
