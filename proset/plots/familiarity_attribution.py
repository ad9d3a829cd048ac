"""Figure of what makes one case more or less familiar than a reference."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.words import shown
from proset.explain.attribution.familiarity_attribution import FamiliarityAttribution
from proset.explain.phrases import IMPACT_TITLE, impact_change_words, impact_words
from proset.plots import style
from proset.plots.steps import StepScale, draw_steps


def plot_familiarity_attribution(
    found: FamiliarityAttribution, case: Any, *, cells: pd.DataFrame | None = None, limit: int = 10
) -> go.Figure:
    """Draw how the features lead from the familiarity of the reference to that of a case.

    Parameters
    ----------
    case : object
        From ``found.index``.
    cells : DataFrame, optional
        Index: features; columns ``here`` and ``reference``: their values, to be written beside the names.
    limit : int, default 10
        Features that get a bar of their own, the most important first; all others share one.

    Returns
    -------
    plotly Figure
        One bar trace; ``customdata`` of a bar is [feature or None, value, the same in words]. ``layout.meta`` says how
        many features share a bar, or is None.

    Raises
    ------
    ValueError
        If there is no such case.

    Examples
    --------
    >>> from proset import ClassifierModel, explain
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> found = explain.attribute_familiarity(ClassifierModel().fit(X, list("aaabbb")), [[9.0]], X[5])
    >>> plot_familiarity_attribution(found, 0).data[0].customdata[0][0]
    'x0'
    """
    places = np.flatnonzero(found.index == case)
    if not len(places):
        raise ValueError(f"The case '{shown(case)}' is not among those whose familiarity is explained here.")
    place = int(places[0])
    end = float(found.familiarity[place])
    values = pd.Series(found.values[place], index=list(found.features))
    change = partial(impact_change_words, largest=max(end, found.base, float(values.abs().max())))
    scale = StepScale(IMPACT_TITLE, impact_words, change, 0.1 * max(end, found.base, 1e-9), _tick)
    colours = (style.MODEL, style.NEUTRAL)
    return draw_steps(values, base=found.base, end=end, scale=scale, colours=colours, cells=cells, limit=limit)


def _tick(value: float) -> str:
    """Write a number on the axis; familiarity is never negative."""
    return f"{value:.6g}" if value >= 0.0 else ""
