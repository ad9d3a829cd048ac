"""Figure of which features each of several systems uses."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.words import count_words, percent
from proset.plots.compare_squares import plot_squares

_USUAL_LINES = 25


def plot_feature_shares(shares: pd.DataFrame, *, limit: int = _USUAL_LINES) -> go.Figure:
    """Draw the share of each feature in the weights of each system, the features used most on top.

    Parameters
    ----------
    shares : DataFrame
        Index: features. One column per system; each sums to 1, or holds nothing where a system has no weights.
    limit : int, default 25
        Number of features shown.

    Returns
    -------
    plotly Figure
        A square per feature and system that uses it. ``layout.meta`` says how many features are not shown, or is None.

    Examples
    --------
    >>> figure = plot_feature_shares(pd.DataFrame({"proset": [1.0, 0.0]}, index=["age", "sex"]))
    >>> figure.data[0].text, figure.layout.meta
    (('100', ''), None)
    """
    order = shares.mean(axis=1).sort_values(ascending=False, kind="stable").index
    drawn = shares.loc[order[:limit]]
    hover = drawn.astype("float64").map(_said)
    largest = float(np.nan_to_num(drawn.to_numpy(dtype=np.float64)).max(initial=0.0))
    figure = plot_squares(drawn, hover, names=("feature", "system"), full=largest or 1.0)
    rest = order[limit:]
    left = int(shares.loc[rest].gt(0.0).any(axis=1).sum())
    more = f"{count_words(left, 'more feature')} of less weight {'is' if left == 1 else 'are'} not shown."
    return figure.update_layout(meta=more if left else None)


def _said(share: float) -> str:
    """Say what a share stands for."""
    return f"{percent(share)} of its weight" if share else "not used"
