"""Figure of one case of pictures: itself, its prototypes, how they differ, and which pixels count (figure 4.13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from proset.common.words import percent
from proset.explain.cases.case import CaseReport
from proset.plots import style
from proset.plots.texts import plain

Pixels = NDArray[np.float64]
Scale = tuple[tuple[float, str], ...]

# A row of pictures is so high, in screen pixels, with its heading.
_ROW, _HEADING = 112, 34
_SOLID = 0.95
_DIM = ((0.0, "rgba(128, 128, 128, 0.45)"), (1.0, "rgba(128, 128, 128, 0.45)"))
_DIFFERENCE = ((0.0, "#000000"), (0.5, "#808080"), (1.0, "#FFFFFF"))


def plot_image_evidence(
    case: CaseReport,
    *,
    used: NDArray[np.bool_] | None = None,
    differences: bool = True,
    overlays: Mapping[str, Pixels] | None = None,
) -> go.Figure:
    """Draw a case and its leading prototypes as pictures, how they differ from it, and SHAP values over them.

    Parameters
    ----------
    case : CaseReport
        An explained case of a table that declares a grid of pixels: ``case.images`` is not empty.
    used : bool array of shape (height, width), optional
        Pixels that the model uses; all others are dimmed.
    differences : bool, default True
        Draw where each prototype is brighter (white) or darker (black) than the case.
    overlays : mapping of str to float array of shape (height, width), optional
        By class: SHAP values of the case, drawn over each picture in the colour of the class that they speak for.

    Returns
    -------
    plotly Figure
        Heat maps on one pair of axes, one or two per row of pictures.

    Raises
    ------
    ValueError
        If the case has no pictures.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain import explain_case
    >>> from proset.study import FitSettings, fit_study
    >>> settings = FitSettings(num_candidates=100, max_samples=200)
    >>> study = fit_study(load_sample("digits"), sample_roles("digits"), settings=settings)
    >>> figure = plot_image_evidence(explain_case(study, 1))
    >>> [trace.z.shape[0] for trace in figure.data]
    [8, 8]
    """
    if not case.images:
        raise ValueError("This case has no pictures: its table declares no grid of pixels.")
    height, width = case.images[0].pixels.shape
    pixel = _ROW / height
    heading = _HEADING / pixel
    sheet = _Sheet(go.Figure(), case, height, width, width + max(1.0, 0.12 * width))
    top = heading
    sheet.pictures(top, used)
    if differences:
        top = sheet.next_row(top, heading, "Brighter (white) or darker (black) than this case")
        sheet.differences(top, used)
    for label, values in (overlays or {}).items():
        share = percent(float(case.probabilities[label]))
        top = sheet.next_row(top, heading, f"What raises or lowers the estimate for {plain(label, limit=20)}, {share}")
        sheet.overlay(top, values, used, _overlay(case.classes, label))
    sheet.titles(heading)
    figure = style.finish(sheet.figure, height=int((top + height) * pixel) + 14, legend=False)
    figure.update_layout(margin={"l": 0, "r": 0, "t": 2, "b": 2})
    full = sheet.step * len(case.images)
    figure.update_xaxes(visible=False, range=[-0.5, full], constrain="domain", constraintoward="left")
    figure.update_yaxes(visible=False, range=[top + height, 0], scaleanchor="x", constrain="domain")
    return figure


def _overlay(classes: Sequence[str], label: str) -> Scale:
    """Return the scale of SHAP values over a picture: nothing is seen at 0, so that the picture behind stays."""
    up, down = style.towards(classes, label)
    return (
        (0.0, style.tinted(down, _SOLID)), (0.5, style.tinted(down, 0.0)), (0.5, style.tinted(up, 0.0)),
        (1.0, style.tinted(up, _SOLID)),
    )  # fmt: skip


class _Sheet:
    """Pictures side by side, row below row, on one pair of axes."""

    def __init__(self, figure: go.Figure, case: CaseReport, height: int, width: int, step: float) -> None:
        self.figure, self.step = figure, float(round(step))
        self._case, self._height, self._width = case, height, width

    def next_row(self, top: float, heading: float, text: str) -> float:
        """Begin another row of pictures under a heading; return where its pictures begin."""
        start = top + self._height + heading
        self._text(-0.5, start - 0.22 * heading, text, size=12)
        return start

    def pictures(self, top: float, used: NDArray[np.bool_] | None, *, opacity: float = 1.0) -> None:
        """Draw the pictures as they are, on one grey scale."""
        tiles = [tile.pixels for tile in self._case.images]
        every = np.concatenate([tile.ravel() for tile in tiles])
        low, high = float(np.nanmin(every)), float(np.nanmax(every))
        self._strip(tiles, top, scale="gray", low=low, high=high, opacity=opacity)
        self._dim(top, used)

    def differences(self, top: float, used: NDArray[np.bool_] | None) -> None:
        """Draw each prototype less the case; nothing below the case itself."""
        own = self._case.images[0].pixels
        tiles = [np.full_like(own, np.nan), *(tile.pixels - own for tile in self._case.images[1:])]
        most = max(float(np.nanmax(np.abs(tile))) if np.isfinite(tile).any() else 0.0 for tile in tiles) or 1.0
        self._strip(tiles, top, scale=_DIFFERENCE, low=-most, high=most)
        self._dim(top, used, first=1)

    def overlay(self, top: float, values: Pixels, used: NDArray[np.bool_] | None, scale: Scale) -> None:
        """Draw values over the pictures."""
        self.pictures(top, used, opacity=0.55)
        most = float(np.nanmax(np.abs(values))) or 1.0
        self._strip([values] * len(self._case.images), top, scale=scale, low=-most, high=most, digits=".4f")

    def titles(self, heading: float) -> None:
        """Write above each picture what it is."""
        facts = self._case.neighbour_facts
        truth = "no label" if self._case.actual is None else plain(self._case.actual, limit=12)
        texts = [f"<b>this case</b><br>{truth}"] + [
            f"{plain(tile.label, limit=20)}<br>{plain(tile.target, limit=12)}, adds {percent(float(share))}"
            for tile, share in zip(self._case.images[1:], facts["share"].iloc[1:], strict=True)
        ]
        for place, text in enumerate(texts):
            self._text(place * self.step - 0.5, 0.92 * heading, text, size=12)

    def _text(self, x: float, y: float, text: str, *, size: int) -> None:
        """Write a text whose lower left corner stands somewhere."""
        self.figure.add_annotation(
            x=x, y=y, text=text, showarrow=False, xanchor="left", yanchor="bottom", align="left", font={"size": size}
        )

    def _dim(self, top: float, used: NDArray[np.bool_] | None, *, first: int = 0) -> None:
        """Cover the pixels that the model does not use."""
        if used is None or bool(np.all(used)):
            return
        veil = np.where(used, np.nan, 1.0)
        nothing = np.full_like(veil, np.nan)
        count = len(self._case.images)
        self._strip([nothing] * first + [veil] * (count - first), top, scale=_DIM, low=0.0, high=1.0, silent=True)

    def _strip(
        self,
        tiles: list[Pixels],
        top: float,
        *,
        scale: str | Scale,
        low: float,
        high: float,
        opacity: float = 1.0,
        digits: str = ".4~g",
        silent: bool = False,
    ) -> None:
        """Draw tiles side by side."""
        gap = np.full((self._height, int(self.step) - self._width), np.nan)
        row = np.concatenate([part for tile in tiles for part in (tile, gap)], axis=1)
        self.figure.add_trace(
            go.Heatmap(
                z=row,
                x0=0,
                dx=1,
                y0=top + 0.5,
                dy=1,
                zmin=low,
                zmax=high,
                colorscale=scale,
                showscale=False,
                opacity=opacity,
                hoverongaps=False,
                hoverinfo="skip" if silent else None,
                hovertemplate=None if silent else f"%{{z:{digits}}}<extra></extra>",
            )
        )
