"""Figure of the pairs of features that work together most."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from proset.plots.mean_bars import draw_means
from proset.plots.texts import plain

_TITLE = "share of all interaction of pairs (%)"
_LINE = 46  # pixels: a pair is called by two lines


def plot_interactions(strength: pd.DataFrame, *, limit: int = 10) -> go.Figure:
    """Draw the share of each pair in all interaction, the strongest pair on top.

    Parameters
    ----------
    strength : DataFrame
        From :meth:`proset.explain.attribution.interactions.ShapleyInteractions.strength`: index pairs, one column per
        class.
    limit : int, default 10
        Pairs that get a bar of their own; those without interaction get none.

    Returns
    -------
    plotly Figure
        One bar trace per class, one behind the other. ``customdata[0]`` is the pair, None for the bar of all others.
        ``layout.meta`` says what has no bar of its own, or is None.

    Examples
    --------
    >>> pairs = pd.MultiIndex.from_tuples([("age", "sex"), ("age", "fare")])
    >>> figure = plot_interactions(pd.DataFrame({"yes": [6.0, 1.0], "no": [2.0, 1.0]}, index=pairs))
    >>> list(figure.data[0].x), list(figure.data[0].y)
    ([60.0, 10.0], ['age<br>with sex', 'age<br>with fare'])
    """
    total = float(strength.to_numpy().sum())
    names = [f"{plain(one, limit=34)}<br>with {plain(other, limit=30)}" for one, other in strength.index]
    shares = 100.0 * strength / (total or 1.0)
    return draw_means(shares, names, unit="% of all", title=_TITLE, noun="pair", limit=limit, line=_LINE)
