"""Figure of the quality that remains when doubtful cases are left to a person."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from proset.common.words import measure as measured
from proset.common.words import percent
from proset.explain.familiar.abstain import Abstention
from proset.plots import style

ORDER_WORDS = {
    "familiarity": "the least familiar",
    "confidence": "the least confident",
    "novelty": "those farthest from known cases (columns of the model)",
    "novelty_all": "those farthest from known cases (all columns)",
}
"""Orders in which cases are left to a person."""
_LOOKS = {
    "familiarity": (style.MODEL, "solid"),
    "confidence": (style.INK, "dash"),
    "novelty": (style.MODEL, "dot"),
    "novelty_all": (style.MODEL, "dashdot"),
}
_FEWEST = 5


def plot_abstention(curves: Sequence[Abstention], *, measure: str = "accuracy") -> go.Figure:
    """Draw the quality of the cases that are answered against their share.

    Parameters
    ----------
    curves : sequence of Abstention
        From :func:`proset.explain.abstention`, of the same cases, in different orders.
    measure : {"accuracy", "log_loss"}
        What is drawn.

    Returns
    -------
    plotly Figure
        One line per order; at the right all cases are answered. Less than five cases are not drawn: one error would be
        all that is seen.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> figure = plot_abstention([explain.abstention(study, by=by) for by in ("familiarity", "confidence")])
    >>> [trace.name for trace in figure.data]
    ['the least familiar', 'the least confident']
    """
    figure = go.Figure()
    accuracy = measure == "accuracy"
    for curve in curves:
        frame = curve.frame[curve.frame["cases"] >= min(_FEWEST, curve.frame["cases"].max() if len(curve.frame) else 0)]
        colour, dash = _LOOKS[curve.by]
        figure.add_trace(
            go.Scatter(
                x=frame["share"],
                y=frame[measure],
                name=ORDER_WORDS[curve.by],
                mode="lines",
                line={"color": colour, "width": 2.5, "dash": dash},
                customdata=_boxes(frame, measure),
                hovertemplate=(
                    f"left to a person first: {ORDER_WORDS[curve.by]}"
                    "<br>answered: %{customdata[2]} (%{customdata[0]:,} cases)"
                    f"<br>{'accuracy' if accuracy else 'log-loss'} %{{customdata[3]}}, %{{customdata[1]:,}} errors"
                    "<extra></extra>"
                ),
            )
        )
    style.finish(
        figure,
        x_title="share of the cases that the model answers",
        y_title="accuracy of what it answers" if accuracy else "log-loss of what it answers",
    )
    figure.update_xaxes(range=[0.0, 1.01], **style.share_axis())
    if accuracy:
        # Half per cents where the range is small: rounded to whole ones, two ticks would read the same.
        figure.update_yaxes(**style.share_axis("~%"))
    figure.update_layout(legend_title_text="Left to a person first:")
    return figure


def _boxes(frame: pd.DataFrame, name: str) -> list[tuple[int, int, str, str]]:
    """Return what stands under the mouse: cases answered, errors, the share of all, and what is measured."""
    said = map(percent if name == "accuracy" else measured, frame[name])
    return list(zip(frame["cases"], frame["errors"], map(percent, frame["share"]), said, strict=True))
