"""Figures of pairs of systems: how often they say the same, and how many prototypes they share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.words import percent
from proset.plots.compare_squares import plot_squares


def plot_agreement(agreement: pd.DataFrame, *, picked: int | None = None) -> go.Figure:
    """Draw the share of rows on which two systems say the same class.

    Parameters
    ----------
    agreement : DataFrame
        Square, with the systems as index and columns in the same order; shares in [0, 1].
    picked : int or None
        Number of the square that is picked, counted line by line.

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
    return _pairs(agreement, "the same class for {} of the rows", picked=picked)


def plot_overlap(overlap: pd.DataFrame) -> go.Figure:
    """Draw the share of prototypes that two systems have in common.

    Parameters
    ----------
    overlap : DataFrame
        Square, with the systems as index and columns in the same order; shares in [0, 1],
        missing where one has no prototypes.

    Returns
    -------
    plotly Figure
        A square per pair.

    Examples
    --------
    >>> figure = plot_overlap(pd.DataFrame([[1.0, 0.0], [0.0, 1.0]], index=["a", "b"], columns=["a", "b"]))
    >>> figure.data[0].text
    ('', '')
    """
    return _pairs(overlap, "{} of the prototypes of both together are in both")


def _pairs(shares: pd.DataFrame, said: str, *, picked: int | None = None) -> go.Figure:
    """Draw a square per pair of different systems."""
    off = shares.astype("float64").mask(np.eye(len(shares), dtype=bool))
    hover = off.map(lambda share: said.format(percent(float(share))))
    return plot_squares(off, hover, names=("system", "system"), picked=picked)
