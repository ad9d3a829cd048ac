"""Figures of one case beside its most influential prototypes: their values, or their pictures."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from proset.common.words import count_words, percent
from proset.explain.cases.case import CaseReport
from proset.plots import style
from proset.plots.texts import plain, value_texts

MAX_COLUMNS = 12
# Characters that fit side by side above the columns.
LABEL_ROOM = 110
# Far apart in lightness as well as hue; dark text can be read on every step, on light and on dark pages.
_SIMILARITY_SCALE = ((0.0, "#F28E4B"), (0.5, "#F7D3B5"), (1.0, "#E6EDF3"))
_DARK_TEXT = "#1A1A1A"


def plot_similarities(case: CaseReport) -> go.Figure:
    """Draw the case and its prototypes as a table of original values; colour marks what sets a prototype apart.

    Parameters
    ----------
    case : CaseReport
        From :func:`proset.explain.cases.case.explain_case`.

    Returns
    -------
    plotly Figure
        One heat map: rows are the case and its prototypes, columns the heaviest active columns (at most 12), values
        the similarity in this column alone, texts the original values. ``layout.meta`` says how many columns are not
        shown, or is None.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain.cases.case import explain_case
    >>> from proset.study import fit_study
    >>> case = explain_case(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")), 17)
    >>> plot_similarities(case).data[0].z[0].tolist()
    [1.0, 1.0]
    """
    columns = list(case.neighbours.columns[:MAX_COLUMNS])
    labels = [plain(label, limit=30) for label in case.neighbours.index]
    texts = [value_texts(case.neighbours[column]) for column in columns]
    alike = case.neighbour_similarity[columns].to_numpy(dtype=np.float64)
    figure = go.Figure(
        go.Heatmap(
            z=alike,
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
            customdata=_hover_facts(labels, columns, alike),
            hovertemplate=(
                "<b>%{customdata[0]}</b><br>%{customdata[1]}: %{text}<br>alike: %{customdata[2]}<extra></extra>"
            ),
        )
    )
    style.finish(figure, height=110 + 38 * len(labels), legend=False)
    ticks = {"tickmode": "array", "showgrid": False}
    names = [plain(column, limit=max(10, LABEL_ROOM // max(1, len(columns)))) for column in columns]
    figure.update_xaxes(tickvals=list(range(len(columns))), ticktext=names, side="top", **ticks)
    figure.update_yaxes(tickvals=list(range(len(labels))), ticktext=labels, autorange="reversed", **ticks)
    left = case.neighbours.shape[1] - len(columns)
    more = f"{count_words(left, 'more column')} of less weight {'is' if left == 1 else 'are'} not shown."
    figure.update_layout(meta=more if left else None)
    return figure


def _hover_facts(labels: list[str], columns: list[str], alike: np.ndarray) -> list[list[list[str]]]:
    """Return what the hover box of each cell says: the row, the column and how alike the values are."""
    names = [plain(column, limit=40) for column in columns]
    return [
        [
            [label, name, "not compared" if np.isnan(share) else percent(share)]
            for name, share in zip(names, line, strict=True)
        ]
        for label, line in zip(labels, alike.tolist(), strict=True)
    ]


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
        f"{plain(tile.label, limit=20)}<br>{plain(tile.target, limit=12)}, {percent(share)}"
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
    """Return what stands above the picture of the case: short, to fit a narrow window, and what the table says."""
    truth = "no label" if case.actual is None else plain(case.actual, limit=12)
    return f"<b>this case</b><br>{truth}"
