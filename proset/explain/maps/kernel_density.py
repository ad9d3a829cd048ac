"""Distributions of one feature as curves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

POINTS = 80
_FEWEST = 3
_ROOM = 2.0  # bandwidths beyond the outermost values
_MOST_VALUES = 20_000


def density(
    values: NDArray[np.float64], *, among: NDArray[np.float64] | None = None, discrete: bool = False
) -> pd.DataFrame:
    """Return a kernel density, or the shares of the values of a discrete feature.

    Parameters
    ----------
    values : array of shape (n,)
        Finite.
    among : array of shape (m,) or None
        All values of the feature: a curve ends where these end, and shares are stated for each of them.
    discrete : bool
        Return shares.

    Returns
    -------
    DataFrame
        Columns value and density. Empty where there are fewer than three values, or they are all the same: a curve
        would be made up.

    Examples
    --------
    >>> curve = density(np.array([0.0, 1.0, 2.0, 4.0]))
    >>> bool(abs(np.trapezoid(curve["density"], curve["value"]) - 1.0) < 0.1)
    True
    >>> density(np.array([1.0, 1.0, 2.0, 2.0]), discrete=True).values.tolist()
    [[1.0, 0.5], [2.0, 0.5]]
    """
    every = values if among is None else among
    if discrete:
        places = np.unique(every)
        counts = np.array([(values == place).sum() for place in places], dtype=np.float64)
        return pd.DataFrame({"value": places, "density": counts / max(1, len(values))})
    width = _bandwidth(values)
    if width <= 0.0:
        return pd.DataFrame({"value": [], "density": []}, dtype=np.float64)
    if len(values) > _MOST_VALUES:
        values = np.random.default_rng(0).choice(values, _MOST_VALUES, replace=False)
    low, high = float(every.min()), float(every.max())
    grid = np.linspace(
        max(low - _ROOM * width, values.min() - 3 * width), min(high + _ROOM * width, values.max() + 3 * width), POINTS
    )
    heights = np.exp(-0.5 * np.square((grid[:, np.newaxis] - values) / width)).sum(axis=1)
    return pd.DataFrame({"value": grid, "density": heights / (len(values) * width * np.sqrt(2.0 * np.pi))})


def _bandwidth(values: NDArray[np.float64]) -> float:
    """Return Silverman's bandwidth, which does not follow outliers; 0 where there is nothing to smooth."""
    if len(values) < _FEWEST:
        return 0.0
    quarter, three = np.percentile(values, [25, 75])
    spreads = [spread for spread in (float(values.std(ddof=1)), (three - quarter) / 1.349) if spread > 0]
    return 0.9 * min(spreads) * len(values) ** -0.2 if spreads else 0.0
