"""Figure of the pairs of features that work together most."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from proset.common.words import count_words, percent
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
        Pairs that get a bar.

    Returns
    -------
    plotly Figure
        One bar trace per class, one behind the other. ``customdata[0]`` is the pair. ``layout.meta`` says what has no
        bar, or is None.

    Examples
    --------
    >>> pairs = pd.MultiIndex.from_tuples([("age", "sex"), ("age", "fare")])
    >>> figure = plot_interactions(pd.DataFrame({"yes": [6.0, 1.0], "no": [2.0, 1.0]}, index=pairs))
    >>> list(figure.data[0].x), list(figure.data[0].y)
    ([60.0, 10.0], ['age<br>with sex', 'age<br>with fare'])
    """
    total = float(strength.to_numpy().sum())
    shares = 100.0 * strength / (total or 1.0)
    used = shares[shares.sum(axis=1) > 0.0]
    top, rest = used.iloc[:limit], used.iloc[limit:]
    names = [f"{plain(one, limit=34)}<br>with {plain(other, limit=30)}" for one, other in top.index]
    figure = draw_means(top, names, unit="% of all", title=_TITLE, noun="pair", limit=limit, line=_LINE)
    return figure.update_layout(meta=_left_words(rest.sum(axis=1), len(shares) - len(used)))


def _left_words(rest: pd.Series, n_idle: int) -> str | None:
    """Say what has no bar."""
    words = []
    if len(rest) == 1:
        words.append(f"One more pair has {percent(rest.iloc[0] / 100.0)} and no bar.")
    elif len(rest):
        each = percent(rest.iloc[0] / 100.0)
        words.append(f"{len(rest):,} more pairs have {percent(rest.sum() / 100.0)} together, at most {each} each.")
    if n_idle:
        words.append(f"{count_words(n_idle, 'pair')} {'has' if n_idle == 1 else 'have'} no interaction.")
    return " ".join(words) or None
