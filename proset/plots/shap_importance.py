"""Figure 4.9: how much each feature moves the estimates, on average over many cases or for one."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from proset.plots import style
from proset.plots.mean_bars import draw_means
from proset.plots.texts import plain


def plot_importance(importance: pd.DataFrame, *, limit: int = 12) -> go.Figure:
    """Draw mean absolute SHAP values, the most important feature on top.

    Parameters
    ----------
    importance : DataFrame
        From :meth:`proset.explain.attribution.shapley.ShapValues.importance`: index features, one column per class.
    limit : int, default 12
        Features that get a bar of their own; those without effect get none.

    Returns
    -------
    plotly Figure
        Of two classes one bar trace, since both change by the same; else one per class, one behind the other.
        ``customdata[0]`` is the feature, None for the bar of all others. ``layout.meta`` says what is not shown.

    Examples
    --------
    >>> frame = pd.DataFrame({"yes": [0.2, 0.1], "no": [0.2, 0.1]}, index=["radius", "texture"])
    >>> figure = plot_importance(frame)
    >>> len(figure.data), list(figure.data[0].x), list(figure.data[0].y)
    (1, [20.0, 10.0], ['radius', 'texture'])
    """
    looks = style.class_looks([str(name) for name in importance.columns])
    mirrored = len(looks) == 2  # what one gains the other loses, so that a bar is no class's own
    return draw_means(
        100.0 * importance,
        [plain(name, limit=36) for name in importance.index],
        unit="percentage points",
        title="mean change (percentage points)" if mirrored else "percentage points, added up over classes",
        mirrored=mirrored,
        limit=limit,
    )
