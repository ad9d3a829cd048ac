"""The picture on the Start page: the map of a stored fit, with a word on each kind of mark."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.explain import batch_map
from proset.plots import style

if TYPE_CHECKING:
    from proset.study import Study

WIDTH, HEIGHT, _EDGE, _TOP = 640, 400, 28, 44


def wrong_case(study: Study) -> int:
    """Return the held-out case that the model gets wrong most confidently."""
    judged = study.judged()
    wrong = judged[(judged["part"] == "held_out") & judged["correct"].eq(False)]
    return int(wrong.index[int(wrong["confidence"].argmax())])


def landing_map(study: Study, words: tuple[str, str, str], *, dark: bool) -> str:
    """Draw the map as SVG.

    Parameters
    ----------
    words : (str, str, str)
        Said of a prototype, of a case, and of the case that :func:`wrong_case` finds.
    dark : bool
        Whether the page is.
    """
    mapping = batch_map(study)
    points, prototypes = mapping.points.dropna(subset=["actual"]), mapping.prototypes
    place = _Frame(np.vstack([points[["x", "y"]], prototypes[["x", "y"]]]).astype(float))
    points = points.loc[place.holds(points)]
    toned = style.on_dark if dark else str
    marks, sizes = [], 6 + 14 * np.sqrt(prototypes["weight"] / prototypes["weight"].max())
    for label, colour in style.class_colours(study.classes).items():
        hue, of_class = toned(colour), prototypes["class"] == label
        dots = "".join(_circle(at, 2.6) for at in place.of(points[points["actual"] == label]))
        discs = "".join(map(_circle, place.of(prototypes[of_class]), sizes[of_class]))
        marks.append(f'<g fill="{hue}">{dots}</g><g fill="{hue}" fill-opacity=".28" stroke="{hue}">{discs}</g>')
    wrong = place.of(mapping.points.loc[[wrong_case(study)]])[0]
    marks.append(f'<g fill="none" stroke="{toned(style.WRONG)}" stroke-width="3">{_circle(wrong, 8)}</g>')
    upper = place.of(prototypes.nlargest(1, "y"))[0]
    right = place.of(points.nlargest(max(2, len(points) // 12), "x").tail(1))[0]
    ends = ((upper, (0.5 * WIDTH, 24.0)), (right, (0.66 * WIDTH, HEIGHT - 44.0)), (wrong, (0.1 * WIDTH, HEIGHT - 16.0)))
    ink, paper = toned(style.INK), toned(style.GROUND)
    said = "".join(_said(start, end, text, paper) for (start, end), text in zip(ends, words, strict=True))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="15">'
        f'{"".join(marks)}<g stroke="{ink}" fill="{ink}">{said}</g></svg>'
    )


class _Frame:
    """The part of the map that is drawn, on one scale for both axes: near means alike."""

    def __init__(self, both: NDArray[np.float64]) -> None:
        self._low, self._high = np.quantile(both, [0.005, 0.995], axis=0)
        room = np.array([WIDTH - 2 * _EDGE, HEIGHT - 2 * _TOP])
        self._scale = float(np.min(room / np.maximum(self._high - self._low, 1e-9)))

    def holds(self, frame: pd.DataFrame) -> NDArray[np.bool_]:
        """Tell which marks are drawn."""
        spots = frame[["x", "y"]].to_numpy(dtype=float)
        inside: NDArray[np.bool_] = ((spots >= self._low) & (spots <= self._high)).all(axis=1)
        return inside

    def of(self, frame: pd.DataFrame) -> list[tuple[float, float]]:
        """Return where marks stand in the picture."""
        away = (frame[["x", "y"]].to_numpy(dtype=float) - (self._low + self._high) / 2) * self._scale
        return [(WIDTH / 2 + x, HEIGHT / 2 - y) for x, y in away]


def _circle(at: tuple[float, float], radius: float) -> str:
    """Return one mark."""
    return f'<circle cx="{at[0]:.0f}" cy="{at[1]:.0f}" r="{radius:.1f}"/>'


def _said(start: tuple[float, float], end: tuple[float, float], text: str, paper: str) -> str:
    """Return a word on a mark, with the page around its letters where marks lie, and the line that leads to it."""
    y = end[1] + 5 if end[1] < HEIGHT / 2 else end[1] - 16
    line = f'<path d="M{start[0]:.0f} {start[1]:.0f}L{end[0]:.0f} {y:.0f}"/>'
    halo = f'stroke="{paper}" stroke-width="5" paint-order="stroke"'
    return f'{line}<text {halo} x="{end[0] - 4:.0f}" y="{end[1]:.0f}">{text}</text>'
