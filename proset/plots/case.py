"""Figures of one explained case: what its estimate is made of, how it differs from its prototypes, pictures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from proset.common.words import percent
from proset.engine.evidence.tables import class_column
from proset.explain.case import CaseReport
from proset.plots import style

MAX_COLUMNS = 12
# Characters that fit side by side above the columns.
LABEL_ROOM = 110
_MARGINAL = "class shares"
# Up to this many classes all have a bar; with more, only those with at least this estimate.
_FEW_CLASSES, _SMALL_ESTIMATE = 4, 0.01
# Far apart in lightness as well as hue; dark text can be read on every step, on light and on dark pages.
_SIMILARITY_SCALE = ((0.0, "#F28E4B"), (0.5, "#F7D3B5"), (1.0, "#E6EDF3"))
_DARK_TEXT = "#1A1A1A"


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


def contribution_segments(case: CaseReport, *, top: int = 8) -> list[Segment]:
    """Cut the estimate into the class shares, the most influential prototypes, and all others by class.

    Parameters
    ----------
    case : CaseReport
        The explained case.
    top : int, default 8
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
    best = case.prototypes.head(top)
    for name, row, target, share in zip(
        best["sample name"], best["sample"], best["target"], shares[:top].sum(axis=1), strict=True
    ):
        segments.append(Segment(str(name), int(row), str(target), float(share), "prototype"))
    others = case.prototypes["target"].iloc[top:].astype(str)
    for name, share in zip(case.classes, shares[top:].sum(axis=0), strict=True):
        count = int((others == name).sum())
        if count:
            label = "one other prototype" if count == 1 else f"the other {count:,} prototypes"
            segments.append(Segment(label, None, name, float(share), "rest"))
    return segments


def plot_contributions(case: CaseReport, *, top: int = 8) -> go.Figure:
    """Draw one bar per class whose segments add up to the estimate.

    Parameters
    ----------
    case : CaseReport
        The explained case.
    top : int, default 8
        Number of prototypes that get a segment of their own; all others of a class share one.

    Returns
    -------
    plotly Figure
        One bar trace per class, of many classes those that matter; ``customdata`` of a segment is [row id or None,
        label, share]. The last trace writes the estimates at the ends of the bars. ``layout.meta`` says how many
        classes are not drawn, or is None.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain.case import explain_case
    >>> from proset.study import fit_study
    >>> case = explain_case(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")), 17)
    >>> figure = plot_contributions(case)
    >>> bool(abs(sum(figure.data[0].x) - case.probabilities.iloc[0]) < 1e-9)
    True
    """
    segments = contribution_segments(case, top=top)
    shown = _shown_classes(case)
    figure = go.Figure()
    for place, look in enumerate(look for look in style.class_looks(case.classes) if look.name in shown):
        mine = [segment for segment in segments if segment.target == look.name]
        figure.add_trace(_class_bar(mine, look, place))
    figure.add_trace(_estimates(case.probabilities[shown]))
    style.finish(figure, x_title="contribution to the estimate", height=90 + 52 * len(shown), legend=False)
    left = len(case.classes) - len(shown)
    note = f"{left} classes with less than {percent(_SMALL_ESTIMATE)} are not drawn." if left else None
    figure.update_layout(barmode="overlay", bargap=0.25, uniformtext={"minsize": 10, "mode": "hide"}, meta=note)
    # Room at the right for the estimate at the end of the longest bar, in a narrow window too.
    longest = float(case.probabilities.max())
    ticks = [share / 10 for share in range(11) if longest <= 0.5 or share % 2 == 0]
    figure.update_xaxes(range=[0, 1.25 * longest], tickformat=".0%", tickmode="array", tickvals=ticks)
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(shown))),
        ticktext=[style.plain(name, limit=24) for name in shown],
        range=[len(shown) - 0.5, -0.5],
        showgrid=False,
    )
    return figure


def _shown_classes(case: CaseReport) -> list[str]:
    """All classes if they are few, else those with a noticeable estimate and the actual one."""
    if len(case.classes) <= _FEW_CLASSES:
        return list(case.classes)
    noticeable = case.probabilities >= _SMALL_ESTIMATE
    return [name for name in case.classes if noticeable[name] or name in (case.predicted, case.actual)]


def _class_bar(segments: list[Segment], look: style.Look, place: int) -> go.Bar:
    """The segments of one class end to end."""
    shares = np.array([segment.share for segment in segments])
    # The others together are darker, so that their label can be read in white on light and on dark pages.
    colour = {"marginal": look.colour, "prototype": look.colour, "rest": style.darker(look.colour)}
    opacity = {"marginal": 0.35, "prototype": 0.9, "rest": 0.9}
    return go.Bar(
        x=shares.tolist(),
        base=(np.cumsum(shares) - shares).tolist(),
        y=[place] * len(segments),
        orientation="h",
        name=style.plain(look.name, limit=30),
        text=[style.plain(segment.label, limit=24) for segment in segments],
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
            "line": {"color": style.RING_LIGHT, "width": 1.5},
        },
        customdata=[[segment.row, style.plain(segment.label), segment.share] for segment in segments],
        hovertemplate=(
            "<b>%{customdata[1]}</b><br>adds %{customdata[2]:.2%} to "
            f"{style.plain(look.name, limit=30)}<extra></extra>"
        ),
    )


def _estimates(probabilities: pd.Series) -> go.Scatter:
    """The estimate at the end of each bar."""
    return go.Scatter(
        x=probabilities.tolist(),
        y=list(range(len(probabilities))),
        mode="text",
        text=[f" = {percent(share)}" for share in probabilities],
        textposition="middle right",
        hoverinfo="skip",
        showlegend=False,
    )


def plot_similarities(case: CaseReport) -> go.Figure:
    """Draw the case and its prototypes as a table of original values; colour marks what sets a prototype apart.

    Parameters
    ----------
    case : CaseReport
        The explained case.

    Returns
    -------
    plotly Figure
        One heat map: rows are the case and its prototypes, columns the heaviest active columns (at most 12), values
        the similarity in this column alone, texts the original values. ``layout.meta`` says how many columns are not
        shown, or is None.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain.case import explain_case
    >>> from proset.study import fit_study
    >>> case = explain_case(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")), 17)
    >>> plot_similarities(case).data[0].z[0].tolist()
    [1.0, 1.0]
    """
    columns = list(case.neighbours.columns[:MAX_COLUMNS])
    labels = [style.plain(label, limit=30) for label in case.neighbours.index]
    texts = [style.value_texts(case.neighbours[column]) for column in columns]
    figure = go.Figure(
        go.Heatmap(
            z=case.neighbour_similarity[columns].to_numpy(dtype=np.float64),
            x=list(range(len(columns))),
            y=list(range(len(labels))),
            zmin=0.0,
            zmax=1.0,
            colorscale=_SIMILARITY_SCALE,
            colorbar={"title": {"text": "alike"}, "tickformat": ".0%", "thickness": 12, "outlinewidth": 0},
            text=[list(row) for row in zip(*texts, strict=True)] or None,
            texttemplate="%{text}",
            textfont={"color": _DARK_TEXT, "size": 13},
            xgap=2,
            ygap=2,
            customdata=[[[label, style.plain(column, limit=40)] for column in columns] for label in labels],
            hovertemplate="<b>%{customdata[0]}</b><br>%{customdata[1]}: %{text}<br>alike: %{z:.0%}<extra></extra>",
        )
    )
    style.finish(figure, height=110 + 38 * len(labels), legend=False)
    ticks = {"tickmode": "array", "showgrid": False}
    names = [style.plain(column, limit=max(10, LABEL_ROOM // max(1, len(columns)))) for column in columns]
    figure.update_xaxes(tickvals=list(range(len(columns))), ticktext=names, side="top", **ticks)
    figure.update_yaxes(tickvals=list(range(len(labels))), ticktext=labels, autorange="reversed", **ticks)
    left = case.neighbours.shape[1] - len(columns)
    figure.update_layout(meta=f"{left:,} more columns with smaller weights are not shown." if left else None)
    return figure


def plot_images(case: CaseReport) -> go.Figure:
    """Draw the case and its prototypes as grey pictures, bright where values are high.

    Parameters
    ----------
    case : CaseReport
        An explained case of a table that declares a grid of pixels: ``case.images`` is not empty.

    Returns
    -------
    plotly Figure
        One heat map per picture, all on one grey scale.

    Raises
    ------
    ValueError
        If the case has no pictures.
    """
    if not case.images:
        raise ValueError("This case has no pictures: its table declares no grid of pixels.")
    facts = case.neighbour_facts
    titles = [_image_title(case)] + [
        f"{style.plain(tile.label, limit=20)}<br>{style.plain(tile.target, limit=12)}, {percent(share)}"
        for tile, share in zip(case.images[1:], facts["share"].iloc[1:], strict=True)
    ]
    figure = make_subplots(rows=1, cols=len(case.images), subplot_titles=titles, horizontal_spacing=0.02)
    values = np.concatenate([tile.pixels.ravel() for tile in case.images])
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    for place, tile in enumerate(case.images, start=1):
        figure.add_trace(
            go.Heatmap(
                z=tile.pixels,
                zmin=low,
                zmax=high,
                colorscale="gray",
                showscale=False,
                hovertemplate="%{z}<extra></extra>",
            ),
            row=1,
            col=place,
        )
    style.finish(figure, height=230, legend=False)
    figure.update_layout(margin={"t": 56})
    figure.update_xaxes(visible=False, constrain="domain")
    figure.update_yaxes(visible=False, autorange="reversed")
    for place in range(1, len(case.images) + 1):
        figure.update_yaxes(scaleanchor=f"x{place if place > 1 else ''}", row=1, col=place)
    return figure


def _image_title(case: CaseReport) -> str:
    """Above the picture of the case: short, as it must fit a narrow window, and what the table says."""
    truth = "no label" if case.actual is None else style.plain(case.actual, limit=12)
    return f"<b>this case</b><br>{truth}"
