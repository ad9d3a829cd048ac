"""Steps in single columns of a model of a number, and how far its answers move with them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.notebook import Displayed
from proset.common.spread import spread_out
from proset.common.words import alike, number, shown
from proset.explain.maps.feature_axes import FeatureScale, feature_scale
from proset.explain.number_subject import measured_rows, number_subject
from proset.explain.numbers.contrasts import signed
from proset.study.number_study import NumberStudy

_ENDS = (0.1, 0.9)
"""Shares of the cases below the lowest and the highest of what is told."""
_NOTHING = 0.001  # standard deviations of the target
_MOST_CASES = 300  # whose answers are moved
_FEWEST_CASES = 5  # that a step leaves within the values of the training rows
_COLUMNS = ["step", "change", "lowest", "highest"]


@dataclass(frozen=True, eq=False)
class NumberSteps(Displayed):
    """Amounts by which the median moves for a step in one column, all others as they are.

    Attributes
    ----------
    frame : DataFrame
        Index ``feature``, the heaviest first, one line for each level of a category but the usual one: ``step`` in
        words, ``change`` of the median (in units of the target, the mean over cases), ``lowest`` and ``highest``,
        between which it lies for eight of ten cases.
    unit : float
        What changes are small or large beside, see ``study.unit``.
    """

    frame: pd.DataFrame
    unit: float

    @property
    def told(self) -> tuple[str, ...]:
        """One sentence for each line of the frame: how far the median moves."""
        return tuple(self._words(place) for place in range(len(self.frame)))

    def tells_nothing(self, place: int) -> bool:
        """Tell whether the median moves next to nowhere in a line, whatever the case."""
        line = self.frame.iloc[place]
        return max(abs(float(line[name])) for name in ("change", "lowest", "highest")) < _NOTHING * self.unit

    def words(self, feature: str) -> tuple[str, ...]:
        """Say what steps in one column change, a sentence for each of its lines."""
        own = self.frame.index == feature
        said = [told for told, here in zip(self.told, own, strict=True) if here]
        return tuple(f"{step}: {told}." for step, told in zip(self.frame.loc[own, "step"], said, strict=True))

    def to_frame(self) -> pd.DataFrame:
        """Return the lines, see `frame`."""
        return self.frame.reset_index()

    def _words(self, place: int) -> str:
        """Say what one step changes."""
        if self.tells_nothing(place):
            return "nothing"
        change, low, high = (float(self.frame.iloc[place][name]) for name in ("change", "lowest", "highest"))
        disagree = low < -_NOTHING * self.unit and high > _NOTHING * self.unit
        low_words, high_words = alike((low, high), sign=True)
        return f"about {signed(change)}{f', by case from {low_words} to {high_words}' if disagree else ''}"


def number_steps(explained: NumberStudy, cases: Iterable[int] | None = None) -> NumberSteps:
    """Return how far answers move for a step in each column that the model uses.

    What prototypes add for a difference and which of them speak change together, so neither is told alone: of a
    category, whose levels have prototypes of their own, the former says next to nothing by itself.

    Parameters
    ----------
    cases : iterable of int or None
        Row ids whose answers are moved, at most 300 of them; None for the held-out rows, or the training rows without
        any. Cases that a step would take beyond the values of the training rows are left out where others stay.

    Returns
    -------
    NumberSteps
        A step is a power of ten near the standard deviation of the column; on a scale that is bent, the way from the
        lower to the upper quartile of the training rows; of a category, another level than the most frequent one.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = number_steps(fit_sample("cars", n_iter=1))
    >>> found.frame["step"].tolist()[:2], bool(found.frame["change"].iloc[1] < 0.0)
    (['100 more', '10 more'], True)
    """
    subject, rows = number_subject(explained), spread_out(measured_rows(explained, cases), _MOST_CASES)
    X, train = explained.encode(rows).X, explained.encode(explained.split.train).X
    lines = []
    for name in subject.used:
        scale = feature_scale(subject, subject.features.index(name))
        known = scale.positions(train)
        known = known[np.isfinite(known)]
        here, steps = _steps(scale, known)
        between = scale.axis.kind == "level" or scale.bend is not None  # two values, and not from where each case is
        cells, start = (X, np.full(len(X), here)) if between else _starts(X, scale, here, steps[0][1], known.max())
        before = _medians(explained, cells, scale, start)
        for words, there in steps:
            end = np.full(len(cells), there) if between else start + (there - here)
            changes = _medians(explained, cells, scale, end) - before
            lines.append((name, words, float(changes.mean()), *np.quantile(changes, _ENDS).tolist()))
    index = pd.Index([line[0] for line in lines], dtype="str", name="feature")
    frame = pd.DataFrame([line[1:] for line in lines], index=index, columns=_COLUMNS)
    return NumberSteps(frame, explained.unit)


def _medians(
    study: NumberStudy, X: NDArray[np.floating], scale: FeatureScale, places: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the medians of encoded rows with other values of a feature, shape (n,)."""
    moved = X.copy()
    moved[:, scale.columns] = scale.matrix(places)
    found: NDArray[np.float64] = study.model.predict_quantiles(moved, [0.5])[:, 0]
    return found


def _starts(
    X: NDArray[np.floating], scale: FeatureScale, here: float, there: float, highest: float
) -> tuple[NDArray[np.floating], NDArray[np.float64]]:
    """Return rows and where each is, `here` where that is missing; those that a step leaves within, if not too few."""
    start = scale.positions(X)
    start = np.where(np.isfinite(start), start, here)
    inside = start + (there - here) <= highest
    return (X[inside], start[inside]) if inside.sum() >= _FEWEST_CASES else (X, start)


def _steps(scale: FeatureScale, positions: NDArray[np.float64]) -> tuple[float, list[tuple[str, float]]]:
    """Return where steps along a feature begin, and each in words with its end; from places of the training rows."""
    if scale.axis.kind == "level":
        named = [shown(name, 30) for name in scale.axis.levels]
        usual = int(np.bincount(positions.astype(np.int64), minlength=len(named)).argmax())
        ends = [(f"'{own}' rather than '{named[usual]}'", float(k)) for k, own in enumerate(named) if k != usual]
        return float(usual), ends
    if scale.bend is not None:
        low, high = np.quantile(positions, [0.25, 0.75]).tolist()
        return low, [(f"{scale.axis.text(high)} rather than {scale.axis.text(low)}", high)]
    at = float(np.median(positions))
    step = 10.0 ** math.floor(math.log10(scale.scale))
    if scale.axis.kind == "date" or (np.round(positions) == positions).all():
        step = max(step, 1.0)
    more = f"{'day' if step == 1.0 else 'days'} later" if scale.axis.kind == "date" else "more"
    return at, [(f"{number(step)} {more}", at + step)]
