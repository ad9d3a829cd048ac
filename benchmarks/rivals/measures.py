"""How good estimates are: the same three measures for every contestant, from its probabilities alone."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import balanced_accuracy_score, log_loss

MOST_BINS, LEAST_ROWS = 15, 10


def calibration_error(probabilities: np.ndarray, y: np.ndarray) -> float:
    """Return the expected calibration error of the predicted class.

    The rows are put into bins of about equal size by the probability of the class that is predicted; the error is the
    mean over the rows of how far the share of correct predictions in a bin is from the mean probability in it. There
    are 15 bins, fewer where that would leave less than ten rows in each; rows of the same probability share a bin.

    Parameters
    ----------
    probabilities : ndarray of shape (n, K)
        Estimates.
    y : ndarray of shape (n,)
        True classes, 0 to K - 1.

    Returns
    -------
    float
        Between 0 and 1.
    """
    top, correct = probabilities.max(axis=1), probabilities.argmax(axis=1) == y
    n_bins = max(1, min(MOST_BINS, y.shape[0] // LEAST_ROWS))
    edges = np.unique(np.quantile(top, np.linspace(0.0, 1.0, n_bins + 1)[1:-1]))
    bins = np.searchsorted(edges, top, side="left")
    gaps = np.abs(np.bincount(bins, weights=correct - top))
    return float(gaps.sum() / y.shape[0])


def measures(probabilities: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Return log-loss, balanced accuracy and calibration error.

    Raises
    ------
    ValueError
        If the probabilities are not finite or do not belong to these rows.
    """
    if probabilities.shape[0] != y.shape[0] or not np.isfinite(probabilities).all():
        raise ValueError(f"the probabilities have the shape {probabilities.shape} and are not all finite")
    probabilities = probabilities / probabilities.sum(axis=1, keepdims=True)  # single precision is off by 1e-7
    return {
        "log_loss": float(log_loss(y, probabilities, labels=range(probabilities.shape[1]))),
        "balanced_accuracy": float(balanced_accuracy_score(y, probabilities.argmax(axis=1))),
        "calibration_error": calibration_error(probabilities, y),
    }
