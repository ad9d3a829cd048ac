"""Centre and scale of columns, as the adapters keep them."""

from __future__ import annotations

import numpy as np

from proset.companions.protocol import FloatArray


def column_scaling(X: FloatArray, weight: FloatArray | None, standardize: bool) -> tuple[FloatArray, FloatArray]:
    """Return the centre and the scale of each column: mean and standard deviation, or 0 and 1.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        Rows.
    weight : ndarray of shape (n,) or None
        What each row counts.
    standardize : bool
        Whether to look at the rows at all.

    Returns
    -------
    center, scale : ndarray of shape (D,)
        The scale of a constant column is 1.

    Examples
    --------
    >>> column_scaling(np.array([[0.0, 5.0], [2.0, 5.0]]), None, True)
    (array([1., 5.]), array([1., 1.]))
    """
    n_columns = X.shape[1]
    if not standardize:
        return np.zeros(n_columns), np.ones(n_columns)
    center = np.average(X, axis=0, weights=weight)
    scale = np.sqrt(np.average(np.square(X - center), axis=0, weights=weight))
    # As scikit-learn's scaler: what rounding leaves of a constant column is no spread.
    constant = scale <= 10 * np.finfo(np.float64).eps * np.maximum(np.abs(center), 1e-300)
    return center, np.where(constant | ~np.isfinite(scale), 1.0, scale)
