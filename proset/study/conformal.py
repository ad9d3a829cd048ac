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
    >>> [round(end, 3) for end in found.ends(0.94)]
    [0.03, 0.982]
    """

    n_rows: int
    levels: tuple[IntervalLevels, ...]

    def ends(self, coverage: float) -> tuple[float, float]:
        """Return the levels of the ends of an interval.

        Where they were not calibrated they are those of the model itself, but the interval is never wider than one that
        was calibrated to promise more, and never narrower than one that was calibrated to promise less.
        """
        lower, upper = central_levels(coverage)
        # From the most that is promised to the least, so that the last word has what was calibrated itself.
        for one in sorted(self.levels, key=lambda one: -one.coverage):
            if one.coverage >= coverage:
                lower, upper = (min(max(end, one.lower), one.upper) for end in (lower, upper))
            if one.coverage <= coverage:
                lower, upper = min(lower, one.lower), max(upper, one.upper)
        return lower, upper


def calibration_of(places: np.ndarray) -> IntervalCalibration:
    """Calibrate central intervals by where numbers of rows lie in their own distributions.

    Parameters
    ----------
    places : float array of shape (n,)
        Probabilities that models which have not seen the rows give to at most their numbers.

    Raises
    ------
    StudyError
        If there are fewer than 20.
    """
    if len(places) < FEWEST_ROWS:
        told = f"Intervals are calibrated by at least {FEWEST_ROWS} rows; there are {len(places):,}."
        raise StudyError(told, hint="Take the intervals of the model as they are.")
    ordered = np.clip(np.sort(places), _OUTERMOST, 1.0 - _OUTERMOST)
    return IntervalCalibration(len(places), tuple(filter(None, (_calibrated(ordered, one) for one in INTERVAL_LEVELS))))


def _calibrated(ordered: np.ndarray, coverage: float) -> IntervalLevels | None:
    """Return the levels of one coverage, given ascending places; None where too few rows are outside to tell.

    A place of a new row is equally likely to fall between any two of n others, below or above all of them. So the k-th
    place from either end leaves out a probability of k / (n + 1) there.
    """
    n = len(ordered)
    if round(n * (1.0 - coverage), 6) < 2.0:  # one on either side
        return None
    rank = max(1, int(round(0.5 * (n + 1) * (1.0 - coverage), 9)))  # 1 - 0.9 is a little less than a tenth
    return IntervalLevels(coverage, float(ordered[rank - 1]), float(ordered[n - rank]))
