"""Sample weights as callers pass them, checked."""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_array

from proset.engine.kernels.similarity import FloatArray


def check_sample_weight(sample_weight: ArrayLike | None, n_samples: int) -> FloatArray:
    """Return one weight per sample.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), number or None
        Finite and not negative; a number stands for every sample, None for 1.
    n_samples : int
        Number of samples n.

    Returns
    -------
    ndarray of float64, shape (n,)
        A copy, or what was passed.

    Raises
    ------
    ValueError
        If a weight is missing, infinite or negative, there is not one for each sample, or their sum is infinite.

    Examples
    --------
    >>> check_sample_weight(None, 2), check_sample_weight([0.5, 2], 2)
    (array([1., 1.]), array([0.5, 2. ]))
    """
    if sample_weight is None:
        return np.ones(n_samples)
    if isinstance(sample_weight, str):
        raise ValueError(
            f"sample_weight is '{sample_weight}'; it has to be a number for each sample. "
            "sklearn.utils.class_weight.compute_sample_weight makes them of 'balanced' and the classes."
        )
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_samples, sample_weight, dtype=np.float64)
    weight: FloatArray = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weight.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim}D array.")
    if weight.shape[0] != n_samples:
        raise ValueError(f"sample_weight has {weight.shape[0]} entries, but there are {n_samples} samples.")
    if (weight < 0.0).any():
        raise ValueError("Negative values in data passed to `sample_weight`: weights cannot be below 0.")
    with np.errstate(over="ignore"):
        if not np.isfinite(weight.sum()):
            raise ValueError("The sample weights add up to more than a number can hold. Divide them by the largest.")
    return weight
