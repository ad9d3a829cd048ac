"""Projection on the unit ball of the l1 norm, row by row: the proximal step of the dual variables."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from proset.companions.smp.compiled import project_row
from proset.engine.kernels.units import FloatArray


def project_rows(V: ArrayLike) -> FloatArray:
    """Move every row to the nearest one whose absolute values add up to one at most.

    Parameters
    ----------
    V : array-like of shape (E, D)
        Any finite numbers.

    Returns
    -------
    ndarray of shape (E, D)
        A copy. Rows that are in the ball stay as they are.

    Examples
    --------
    >>> project_rows([[0.2, -0.3], [3.0, -1.0], [1.0, 1.0]])
    array([[ 0.2, -0.3],
           [ 1. ,  0. ],
           [ 0.5,  0.5]])
    """
    projected: FloatArray = np.array(V, dtype=np.float64)
    for row in projected:
        project_row(row)
    return projected + 0.0
