"""The rule of one standard error, for every method that has a number to choose."""

from __future__ import annotations

import numpy as np


def one_standard_error(errors: np.ndarray, sizes: np.ndarray) -> int:
    """Choose the smallest model that cross-validation cannot tell from the best.

    Parameters
    ----------
    errors : ndarray of shape (settings, folds)
        Share of held-out rows that are wrong.
    sizes : ndarray of shape (settings,)
        How large the model of each setting is.

    Returns
    -------
    int
        Which setting: among those whose mean error is at most the lowest one plus its standard error over folds, the
        one with the smallest size; of several the first.

    Examples
    --------
    >>> errors = np.array([[0.2, 0.4], [0.3, 0.4], [0.8, 0.9]])
    >>> one_standard_error(errors, np.array([9, 5, 1]))
    1
    """
    means = errors.mean(axis=1)
    best = int(means.argmin())
    bound = means[best] + errors[best].std(ddof=1) / np.sqrt(errors.shape[1])
    allowed = np.flatnonzero(means <= bound + 1e-12)
    return int(allowed[sizes[allowed].argmin()])
