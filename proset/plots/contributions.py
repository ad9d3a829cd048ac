"""Figure of what the estimate for one case is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.words import count_words, percent
from proset.engine.evidence.tables import class_column
from proset.explain.cases.case import CaseReport
from proset.explain.words import prototype_names
from proset.plots import style
from proset.plots.texts import plain

_MARGINAL = "class shares"
# So many classes have a bar, those with the highest estimates; what is said and what is so always have one.
_FEW_CLASSES = 4
_SEEN = 0.004  # of the axis: less is thinner than its edge
_NEARLY_ALL = 0.9
_HATCHED = 0.02  # less has no room for two lines of the pattern


@dataclass(frozen=True)
class Segment:
    """One piece of the bar of a class.

    Attributes
    ----------
    label : str
        What contributes.
    row : int or None
        Table row id of the prototype, if the segment is one.
    target : str
        The class that it counts for.
    share : float
        Contribution to the estimate, in [0, 1].
    kind : {"marginal", "prototype", "rest"}
        What it is.
    """

    label: str
    row: int | None
    target: str
    share: float
    kind: str


def contribution_segments(case: CaseReport, *, n_prototypes: int = 8) -> list[Segment]:
    """Cut the estimate into the class shares, the most influential prototypes, and all others by class.

    Parameters
    ----------
    n_prototypes : int, default 8
        Number of prototypes that get a segment of their own.

    Returns
    -------
    list of Segment
        Their shares add up to one; by class they add up to the estimates.
    """
    columns = list(map(class_column, case.classes))
    marginal = np.diag(case.marginals[columns].to_numpy(dtype=np.float64))
    segments = [
        Segment(_MARGINAL, None, name, float(share), "marginal")
        for name, share in zip(case.classes, marginal, strict=True)
    ]
    shares = case.prototypes[columns].to_numpy(dtype=np.float64)
    best = case.prototypes.head(n_prototypes)
    names = prototype_names(case.prototypes).head(n_prototypes)
    for name, row, target, share in zip(
        names, best["sample"], best["target"], shares[:n_prototypes].sum(axis=1), strict=True
    ):
        segments.append(Segment(str(name), int(row), str(target), float(share), "prototype"))
    others = case.prototypes["target"].iloc[n_prototypes:].astype(str)
    for name, share in zip(case.classes, shares[n_prototypes:].sum(axis=0), strict=True):
        count = int((others == name).sum())
        if count:
            label = "one other prototype" if count == 1 else f"the other {count:,} prototypes"
            segments.append(Segment(label, None, name, float(share), "rest"))
    return segments


def has_rest(case: CaseReport) -> bool:
    """Tell whether a segment for prototypes that have none of their own is drawn, and wide enough to be seen."""
    return _has(case, "rest", _SEEN)


def has_hatching(case: CaseReport) -> bool:
    """Tell whether a segment for class shares is drawn, and wide enough for its pattern to be seen."""
    return _has(case, "marginal", _HATCHED)


def _has(case: CaseReport, kind: str, least: float) -> bool:
    """Tell whether a segment of a kind is drawn that is at least so wide, of the axis."""
    shown = _shown_classes(case)
    return any(
        entry.kind == kind and entry.target in shown and entry.share >= least for entry in contribution_segments(case)
    )


def plot_contributions(case: CaseReport, *, n_prototypes: int = 8) -> go.Figure:
    """Draw one bar per class whose segments add up to the estimate.

    Parameters
    ----------
    n_prototypes : int, default 8
        Number of prototypes that get a segment of their own; all others of a class share one.

    Returns
    -------
    plotly Figure
        One bar trace per class, of many classes those that matter; ``customdata`` of a segment is [row id or None,
        label, share, share in words]. The last trace writes the estimates at the ends of the bars. ``layout.meta`` says
        how many classes are not drawn, or is None.

    Examples
    --------
    >>> from proset.explain.cases.case import explain_case
    >>> from proset.study import fit_sample
    >>> case = explain_case(fit_sample("iris_2f"), 17)
    >>> figure = plot_contributions(case)
    >>> bool(abs(sum(figure.data[0].x) - case.probabilities.iloc[0]) < 1e-9)
    True
    """
    segments = contribution_segments(case, n_prototypes=n_prototypes)
    shown = _shown_classes(case)
    figure = go.Figure()
    for place, look in enumerate(look for look in style.class_looks(case.classes) if look.name in shown):
        mine = [segment for segment in segments if segment.target == look.name]
        figure.add_trace(_class_bar(mine, look, place))
    figure.add_trace(_estimates(case.probabilities[shown]))
    style.finish(figure, x_title="contribution to the estimate", height=90 + 52 * len(shown), legend=False)
    left = len(case.classes) - len(shown)
    highest = float(case.probabilities.drop(shown).max()) if left else 0.0
    few = count_words(left, "class", "classes")
    note = f"{few} with at most {percent(highest)} {'is' if left == 1 else 'are'} not drawn." if left else None
    figure.update_layout(barmode="overlay", bargap=0.25, uniformtext={"minsize": 10, "mode": "hide"}, meta=note)
    # The same axis for every case, so that bars compare; room at the right for the estimate at the end of a bar.
    ticks = [share / 10 for share in range(0, 11, 2)]
    figure.update_xaxes(
        range=[0, 1.16],
        tickmode="array",
        tickvals=ticks,
        ticktext=[f"{100 * share:.0f} %" for share in ticks],
    )
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(shown))),
        ticktext=[plain(name, limit=24) for name in shown],
        range=[len(shown) - 0.5, -0.5],
        showgrid=False,
    )
    return figure


def _shown_classes(case: CaseReport) -> list[str]:
    """Return all classes if they are few, else those with the highest estimates, what is said and what is so."""
    highest = case.probabilities.sort_values(ascending=False, kind="stable").index[:_FEW_CLASSES]
    return [name for name in case.classes if name in {*highest, case.predicted, case.actual}]


def _class_bar(segments: list[Segment], look: style.Look, place: int) -> go.Bar:
    """Put the segments of one class end to end."""
    shares = np.array([segment.share for segment in segments])
    # The others together are darker, so that their label can be read in white on light and on dark pages.
    colour = {"marginal": look.colour, "prototype": look.colour, "rest": style.darker(look.colour)}
    opacity = {"marginal": 0.35, "prototype": 0.9, "rest": 0.9}
    # Plotly chooses black or white by the colour, not by what it comes to where it is pale.
    pale = bool(segments) and segments[0].kind == "marginal" and bool(shares[0] > _NEARLY_ALL * shares.sum())
    return go.Bar(
        x=shares.tolist(),
        base=(np.cumsum(shares) - shares).tolist(),
        y=[place] * len(segments),
        orientation="h",
        name=plain(look.name, limit=30),
        text=["" if pale and place else plain(one.label, limit=24) for place, one in enumerate(segments)],
        insidetextfont={"color": style.INK} if pale else None,
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        marker={
            "color": [colour[segment.kind] for segment in segments],
            "opacity": [opacity[segment.kind] for segment in segments],
            # Overlay, so that the class colour stays behind the pattern.
            "pattern": {
                "shape": ["/" if segment.kind == "marginal" else "" for segment in segments],
                "fillmode": "overlay",
                "fgcolor": "white",
                "size": 6,
            },
            "line": {"color": style.GROUND, "width": 1.5},
        },
        customdata=[[segment.row, plain(segment.label), segment.share, percent(segment.share)] for segment in segments],
        hovertemplate=(
            f"<b>%{{customdata[1]}}</b><br>adds %{{customdata[3]}} to {plain(look.name, limit=30)}<extra></extra>"
        ),
    )


def _estimates(probabilities: pd.Series) -> go.Scatter:
    """Write the estimate at the end of each bar."""
    return go.Scatter(
        x=probabilities.tolist(),
        y=list(range(len(probabilities))),
        mode="text",
        text=[f" = {percent(share)}" for share in probabilities],
        textposition="middle right",
        hoverinfo="skip",
        showlegend=False,
    )
