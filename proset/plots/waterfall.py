"""Figure of the SHAP values of one case: from the reference's estimate to its own."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from proset.common.words import percent, plus_minus
from proset.explain.attribution.shapley import ShapSteps
from proset.plots import style
from proset.plots.steps import StepScale, draw_steps
from proset.plots.texts import plain

_LEAST = 0.1


def plot_waterfall(
    steps: ShapSteps, classes: Sequence[str], *, cells: pd.DataFrame | None = None, limit: int = 10
) -> go.Figure:
    """Draw how the features lead from the estimate at the reference to that of the case.

    Parameters
    ----------
    classes : sequence of str
        All classes of the study in their order: a bar has the colour of the class towards which it moves the estimate.
    cells : DataFrame, optional
        Index: features; columns ``here`` and ``reference``: their values, to be written beside the names.
    limit : int, default 10
        Features that get a bar of their own, the most important first; all others share one.

    Returns
    -------
    plotly Figure
        One bar trace; ``customdata`` of a bar is [feature or None, SHAP value, the same in words]. ``layout.meta``
        says how many features share a bar, or is None.

    Examples
    --------
    >>> from proset import ClassifierModel, explain
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> found = explain.shap_values(ClassifierModel().fit(X, list("aaabbb")), X, X[5])
    >>> figure = plot_waterfall(found.steps(0, "a"), ["a", "b"])
    >>> bool(abs(figure.data[0].base[0] - found.base_values[0]) < 1e-12)
    True
    """
    if steps.against is None:
        words = StepScale(f"estimate for {plain(steps.label, limit=30)}", _level, _points, _LEAST, _tick)
    else:
        title = f"estimate for {plain(steps.label, limit=24)} less that for {plain(steps.against, limit=24)}"
        words = StepScale(
            f"{title} (percentage points)",
            _points,
            _points,
            _LEAST,
            lambda share: f"{100 * share:+.4g}".replace("-", "−") if share else "0",
        )
    return draw_steps(
        steps.values,
        base=steps.base,
        end=steps.estimate,
        scale=words,
        colours=style.towards(classes, steps.label, steps.against),
        cells=cells,
        errors=None if steps.exact else steps.standard_error,
        limit=limit,
    )


def _level(share: float) -> str:
    """Write a probability as everywhere else."""
    return percent(min(1.0, max(0.0, share)))


def _tick(share: float) -> str:
    """Write a probability on the axis; beyond 0 and 1 there is none."""
    return f"{100 * share:.4g} %" if -1e-9 <= share <= 1 + 1e-9 else ""


def _points(share: float) -> str:
    """Write a change in percentage points, with its sign."""
    text = plus_minus(100 * share, 1)
    return text if text not in ("+0.0", "−0.0") or share == 0.0 else f"{text[0]} under 0.1"
