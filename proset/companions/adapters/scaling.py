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
    # In units of a power of two, which changes no bit, neither sums nor squares leave the range of numbers.
    unit = _power_of_two(X)
    rows = X / unit
    center = np.average(rows, axis=0, weights=weight)
    rows -= center
    apart = _power_of_two(rows)
    scale = np.sqrt(np.average(np.square(rows / apart), axis=0, weights=weight)) * apart
    # As scikit-learn's scaler: what rounding leaves of a constant column is no spread.
    constant = scale <= 10 * np.finfo(np.float64).eps * np.abs(center)
    return center * unit, np.where(constant, 1.0, scale * unit)


def _power_of_two(X: FloatArray) -> FloatArray:
    """Return the power of two below the largest absolute value of each column; 1 for a column of zeros."""
    largest = np.abs(X).max(axis=0, initial=0.0)
    exponent = np.frexp(largest)[1] - 1
    return np.ldexp(1.0, np.where(largest > 0.0, np.maximum(exponent, -1000), 0))
