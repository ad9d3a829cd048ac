"""Familiarity (4.5) as a quantile of values observed before (section 4.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from proset.engine.kernels.similarity import FloatArray

_TIE = 1e-9


def familiarity_quantile(values: ArrayLike, reference: ArrayLike) -> FloatArray:
    """Express familiarity as a quantile of reference values, preferably of held-out samples.

    Parameters
    ----------
    values : array-like of shape (n,)
        Familiarity of the samples in question, at least 0.
    reference : array-like of shape (m,)
        Familiarity of the samples to compare with, m at least 1.

    Returns
    -------
    ndarray of shape (n,)
        Share of reference values that are not larger, in [0, 1]: a p-value for "the sample lies inside the model's area
        of competence".

    Raises
    ------
    ValueError
        If there are no reference values.

    Examples
    --------
    >>> familiarity_quantile([0.5, 3.0], [1.0, 2.0, 3.0, 4.0]).tolist()
    [0.0, 0.75]
    """
    ordered = np.sort(np.asarray(reference, dtype=np.float64))
    if ordered.shape[0] == 0:
        raise ValueError("familiarity needs at least one reference value to be compared with.")
    return np.searchsorted(ordered, np.asarray(values, dtype=np.float64), side="right") / ordered.shape[0]


def quantile_reference(familiarity: ArrayLike) -> FloatArray:
    """Return familiarity to refer to, ascending, less a billionth.

    A sample has to tie with itself although matrix products of another size round differently.

    Examples
    --------
    >>> familiarity_quantile([2.0 - 1e-15], quantile_reference([2.0, 1.0, 3.0])).round(3).tolist()
    [0.667]
    """
    return np.sort(np.asarray(familiarity, dtype=np.float64)) * (1.0 - _TIE)
