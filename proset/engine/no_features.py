"""A fit that ends without a feature: what to tell, and the columns that are to blame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# A column of normal values that tells the classes apart is lost from a standard deviation of 10 upwards beside nine
# others (of 30 beside two), and from 0.01 downwards. Columns of unit scale, rare ones among yes and no, lie between.
SMALLEST_SCALE, LARGEST_SCALE = 0.02, 5.0
MOST_NAMED = 5  # columns that a message lists


class NoActiveFeatureWarning(UserWarning):
    """A model was fitted in which no feature has a weight, so that its estimate is the same for every sample."""


def no_feature_words(
    X: NDArray[np.floating], names: Sequence[str] | None, lambda_v: float, fault: str = "do not tell the classes apart"
) -> str:
    """Say why a model may have ended without active features.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        The features it was fitted to.
    names : sequence of str, shape (D,), or None
        Names of the features; None for their numbers.
    lambda_v : float
        Penalty on the feature weights.
    fault : str
        What features do that are of no use.

    Returns
    -------
    str
        Sentences with a way out. If columns are far from unit scale, they are named with their scale.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0], [20_000.0, 2.0]])
    >>> print(no_feature_words(X, ["income", "rooms"], 1e-3))
    The model has no active feature: its estimate is the same for every sample. The usual cause is here, features that \
are not of unit scale: 'income' (standard deviation 1e+04). Put a StandardScaler in front.
    """
    scales = {d: scale for d in range(X.shape[1]) if (scale := _scale(X[:, d])) > 0.0}
    odd = {d: scale for d, scale in scales.items() if not SMALLEST_SCALE <= scale <= LARGEST_SCALE}
    lead = "The model has no active feature: its estimate is the same for every sample."
    if not scales:
        return f"{lead} No feature varies among the samples."
    if not odd:
        return (
            f"{lead} The features are of about unit scale, so either lambda_v={lambda_v:g} is too large, or they "
            f"{fault}. A search over lambda_v tells which."
        )
    worst = sorted(odd, key=lambda d: -abs(np.log(odd[d])))[:MOST_NAMED]
    listed = [
        f"{f'X[:, {d}]' if names is None else repr(str(names[d]))} (standard deviation {odd[d]:.2g})" for d in worst
    ]
    if len(odd) > MOST_NAMED:
        listed.append(f"and {len(odd) - MOST_NAMED} more")
    return (
        f"{lead} The usual cause is here, features that are not of unit scale: {', '.join(listed)}. "
        "Put a StandardScaler in front."
    )


def _scale(column: NDArray[np.floating]) -> float:
    """Return the standard deviation of a column, safe where squares would overflow."""
    values = column.astype(np.float64)
    largest = float(np.abs(values).max(initial=0.0))
    return largest * float(np.std(values / largest)) if largest > 0.0 else 0.0
