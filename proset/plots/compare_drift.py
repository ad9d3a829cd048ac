"""Figure of how well the signs that systems give tell shifted rows, or their own errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.plots import style
from proset.plots.texts import hover_template, plain

_BAR, _HEAD = 30, 90
_GUESSING = 0.5


def plot_drift_signs(found: pd.DataFrame, *, lowest: float = _GUESSING, current: str | None = None) -> go.Figure:
    """Draw an area under the ROC curve per sign as bars that start at 0.5, which is guessing.

    Parameters
    ----------
    found : DataFrame
        Columns label (whose sign it is), auc (in [0, 1], missing where there is none), said (for the hover box).
    lowest : float, default 0.5
        What the axis must hold at least, so that two such figures beside each other have the same.
    current : str or None
        Label of the system that is the current model.

    Returns
    -------
    plotly Figure
        The largest on top; ``layout.meta`` is None.

    Examples
    --------
    >>> plot_drift_signs(pd.DataFrame({"label": ["proset"], "auc": [0.8], "said": ["familiarity"]})).data[0].text
    ('0.80',)
    """
    drawn = found[found["auc"].notna()].sort_values("auc", ascending=False, kind="stable")
    auc = drawn["auc"].to_numpy(dtype=np.float64)
    colours = [style.MODEL if label == current else style.NEUTRAL for label in drawn["label"]]
    # Worse than guessing is hatched: the sign points the wrong way there.
    hatched = ["" if value >= _GUESSING else "/" for value in auc]
    figure = go.Figure(
        go.Bar(
            x=auc - _GUESSING,
            base=_GUESSING,
            y=list(range(len(drawn))),
            orientation="h",
            text=[f"{value:.2f}" for value in auc],
            textposition="outside",
            cliponaxis=False,
            marker={
                "color": colours,
                "line": {"color": style.OUTLINE, "width": 0.5},
                "pattern": {
                    "shape": hatched,
                    "fillmode": "overlay",  # else nothing is behind the lines
                    "fgcolor": style.GROUND,
                    "fgopacity": 0.75,
                    "size": 6,
                },
            },
            customdata=[
                [plain(said, limit=120), f"{value:.3f}"] for said, value in zip(drawn["said"], auc, strict=True)
            ],
            hovertemplate=hover_template("%{customdata[0]}", ["ROC-AUC"], first=1),
        )
    )
    style.finish(
        figure, x_title="ROC-AUC: 0.5 is guessing, 1 is perfect", height=_HEAD + _BAR * len(drawn), legend=False
    )
    labels = [plain(label, limit=50) for label in drawn["label"]]
    figure.update_yaxes(
        tickmode="array", tickvals=list(range(len(labels))), ticktext=labels, autorange="reversed", showgrid=False
    )
    low = float(np.nanmin([_GUESSING, lowest, *auc]))
    figure.update_xaxes(range=[max(0.0, np.floor(10 * low - 0.5) / 10), 1.06])
    return figure.add_vline(_GUESSING, line={"color": style.NEUTRAL, "width": 1.5})
