"""A study of a number whose intervals hold what they promise, by rows that models have not seen."""

from __future__ import annotations

import numpy as np
import pandas as pd

from proset.study.conformal import IntervalCalibration, calibration_of
from proset.study.guidance import GuidanceKind
from proset.study.number_study import NumberStudy
from proset.study.number_unseen import NumberUnseen


def calibrate_intervals(study: NumberStudy, unseen: NumberUnseen) -> NumberStudy:
    r"""Return a study of the same model whose central intervals are calibrated by conformal prediction.

    Only intervals change: density, mean, median and all that explains them stay. They then hold what they promise of
    rows like the training rows, on average and about (a model that has learned from all rows judges new ones a little
    better than those of the folds); of each group of rows they may still hold more or less. Levels below and above are
    calibrated apart, so that neither side is missed more often than the other. A row that guidance relabels counts with
    its new number, which is what the model has learned.

    Parameters
    ----------
    study : NumberStudy
        Fitted; it does not change.
    unseen : NumberUnseen
        Folds of its training rows, from :func:`proset.study.number_unseen.judge_numbers_unseen`.

    Returns
    -------
    NumberStudy
        With an id of its own; its metrics tell of the calibrated intervals.

    Raises
    ------
    StudyError
        If the folds are of another study, or fewer than 20 rows are known.

    Examples
    --------
    >>> from proset.study.number_unseen import judge_numbers_unseen
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = calibrate_intervals(study, judge_numbers_unseen(study, n_folds=3))
    >>> found.calibration.n_rows, found.predictions["median"].equals(study.predictions["median"])
    (278, True)
    """
    unseen.check_belongs_to(study)
    places = pd.concat([_places(own) for own in unseen.studies]).dropna()
    return study.with_calibration(calibration_of(places.to_numpy(dtype=np.float64)))


def _places(own: NumberStudy) -> pd.Series:
    """Return where the numbers of the rows that a fold leaves out lie; relabelled rows have their new ones."""
    places = own.predictions.loc[own.split.held_out, "place"].copy()
    relabelled = pd.Index(np.intersect1d(own.guidance.rows_of(GuidanceKind.RELABEL), own.split.held_out))
    if len(relabelled):
        numbers = own.targets.loc[relabelled].to_numpy(dtype=np.float64)
        places.loc[relabelled] = own.distribution(relabelled).cdf(numbers)
    return places


def calibrated_folds(unseen: NumberUnseen, calibration: IntervalCalibration | None) -> NumberUnseen:
    """Return the same folds with intervals that lie between the quantiles of a calibration."""
    return NumberUnseen(tuple(own.with_calibration(calibration) for own in unseen.studies))
