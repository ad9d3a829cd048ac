"""Quantiles that all systems state, and the measures that follow from them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

LEVELS: FloatArray = np.arange(1, 20) / 20.0
"""Levels of the quantiles, 0.05 to 0.95; the first and the last are the ends of a central interval of 90 %."""
_MIDDLE = 9

NUMBER_MEASURES = ("crps", "rmse", "mae", "covered", "width")
"""Names of the measures, in the order of every array of scores."""


def pinball(said: FloatArray, actual: FloatArray, levels: FloatArray = LEVELS) -> FloatArray:
    """Return the mean pinball loss over the levels, shape (n,), of quantiles of shape (n, m).

    Examples
    --------
    >>> pinball(np.array([[1.0, 3.0]]), np.array([2.0]), np.array([0.25, 0.75]))
    array([0.25])
    """
    over = actual[:, None] - said
    loss: FloatArray = np.maximum(levels * over, (levels - 1.0) * over).mean(axis=1)
    return loss


def median_of(said: FloatArray) -> FloatArray:
    """Return the medians among quantiles of :data:`LEVELS`, shape (n,)."""
    return said[:, _MIDDLE]


def number_scores(said: FloatArray, means: FloatArray, actual: FloatArray) -> FloatArray:
    """Measure answers for rows that were not learned from.

    Parameters
    ----------
    said : float64 array of shape (n, 19)
        Quantiles of :data:`LEVELS`.
    means, actual : float64 array of shape (n,)
        Means and actual numbers.

    Returns
    -------
    float64 array of shape (5,)
        In the order of :data:`NUMBER_MEASURES`: twice the mean pinball loss over the levels, which is nearly the
        continuous ranked probability score; root mean square error of the mean; mean absolute error of the median;
        share of numbers within the central interval of 90 %, in [0, 1]; its mean width. Less is better in the first
        three.

    Examples
    --------
    >>> said = np.tile(LEVELS, (2, 1))
    >>> number_scores(said, np.array([0.5, 0.5]), np.array([0.5, 1.5])).round(2).tolist()
    [0.47, 0.71, 0.5, 0.5, 0.9]
    """
    inside = (actual >= said[:, 0]) & (actual <= said[:, -1])
    return np.array(
        [
            2.0 * pinball(said, actual).mean(),
            np.sqrt(np.square(means - actual).mean()),
            np.abs(median_of(said) - actual).mean(),
            inside.mean(),
            (said[:, -1] - said[:, 0]).mean(),
        ]
    )
