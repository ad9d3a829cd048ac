"""Warnings of a fit and their words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proset.common.words import shown
from proset.engine.kernels.units import FloatArray

# The mean of a half of the rows lies within a fraction of the standard deviation of that of all rows; rare ones among
# yes and no, centred on other rows, have a larger scale.
LARGEST_MEAN, SMALLEST_SCALE, LARGEST_SCALE = 1.0, 0.1, 10.0
MOST_NAMED = 5  # columns that a message lists


class UnscaledFeaturesWarning(UserWarning):
    """Features are far from mean zero and unit scale, which the prototypes assume."""


def unscaled_words(X: FloatArray, names: Sequence[str] | None, centred: bool) -> str | None:
    """Name features that are far from mean zero and unit scale.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        Features.
    names : sequence of str, shape (D,), or None
        Their names; None for their numbers.
    centred : bool
        Whether the mean matters; with an intercept it does not.

    Returns
    -------
    str or None
        Sentences with a way out, or None if there is nothing to say. Constant features have no scale.

    Examples
    --------
    >>> print(unscaled_words(np.array([[1000.0], [3000.0]]), ["income"], centred=True))
    Features are not of mean zero and unit scale: 'income' (mean 2e+03, standard deviation 1e+03). Put a \
StandardScaler in front, or use standardize=True.
    """
    means, scales = X.mean(axis=0), X.std(axis=0)
    varies = scales > 1e-12 * np.maximum(1.0, np.abs(means))
    odd = varies & ((scales < SMALLEST_SCALE) | (scales > LARGEST_SCALE))
    if centred:
        odd |= np.abs(means) > LARGEST_MEAN * np.where(varies, scales, 1.0)
    if not odd.any():
        return None
    worst = np.flatnonzero(odd)
    listed = []
    for d in worst[:MOST_NAMED]:
        name = f"X[:, {d}]" if names is None else f"'{shown(names[d])}'"
        listed.append(f"{name} (mean {means[d]:.2g}, standard deviation {scales[d]:.2g})")
    if len(worst) > MOST_NAMED:
        listed.append(f"and {len(worst) - MOST_NAMED} more")
    way_out = "Put a StandardScaler in front, or use standardize=True."
    return f"Features are not of mean zero and unit scale: {', '.join(listed)}. {way_out}"


def null_words(mu: float) -> str:
    """Say that nothing is left of the prototypes.

    Examples
    --------
    >>> print(null_words(3.0))
    No prototype has a coordinate that is not zero: the model states the class shares for every row. With mu=3 the \
penalty outweighs what the features tell; use a smaller one.
    """
    return (
        "No prototype has a coordinate that is not zero: the model states the class shares for every row. "
        f"With mu={mu:g} the penalty outweighs what the features tell; use a smaller one."
    )
