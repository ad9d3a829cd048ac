"""Figure of how often several systems say the same."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from proset.common.words import percent
from proset.plots.compare_squares import plot_squares


def plot_agreement(agreement: pd.DataFrame) -> go.Figure:
    """Draw the share of rows on which two systems say the same class.

    Parameters
    ----------
    agreement : DataFrame
        Square, with the systems as index and columns; shares in [0, 1].

    Returns
    -------
    plotly Figure
        A square per pair; nothing where a system meets itself.

    Examples
    --------
    >>> figure = plot_agreement(pd.DataFrame([[1.0, 0.9], [0.9, 1.0]], index=["a", "b"], columns=["a", "b"]))
    >>> figure.data[0].text
    ('90', '90')
    """
    off = agreement.astype("float64").copy()
    for name in off.index:
        off.loc[name, name] = float("nan")
    hover = off.map(lambda share: f"the same class for {percent(float(share))} of the rows")
    return plot_squares(off, hover, names=("system", "system"))
