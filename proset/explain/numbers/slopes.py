"""Amounts that a model of a number adds for what tells a case from a known one, column by column."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.notebook import Displayed
from proset.common.words import number, rough, shown
from proset.explain.maps.feature_axes import FeatureScale, feature_scale
from proset.explain.number_subject import NumberSubject, measured_rows, number_subject
from proset.explain.numbers.typical import shares
from proset.study.number_study import NumberStudy

_HEARD = 0.05
"""A batch with a smaller share of the answers does not widen the range over batches."""
_NOTHING = 0.001  # standard deviations of the target
_COLUMNS = ["step", "change", "lowest", "highest"]


@dataclass(frozen=True, eq=False)
class NumberSlopes(Displayed):
    """Amounts that are added for a step of each column, beside a known case that is alike otherwise.

    Attributes
    ----------
    frame : DataFrame
        Index ``feature``, the heaviest first, one line for each level of a category but the usual one: ``step`` in
        words, ``change`` of what known cases say (in units of the target, the mean over batches by their share of the
        answers), ``lowest`` and ``highest`` of any batch that has 5 % of them.
    batches : Series
        Share of each batch in the answers for the rows measured, index number of the batch from 1; the rest is what
        everybody says.
    unit : float
        Standard deviation of the training targets.
    """

    frame: pd.DataFrame
    batches: pd.Series
    unit: float

    @property
    def added(self) -> tuple[str, ...]:
        """One sentence for each line of the frame: the amount that it adds."""
        return tuple(self._words(line) for line in self.frame.to_dict("records"))

    def words(self, feature: str) -> tuple[str, ...]:
        """Say what is added for one column, a sentence for each of its lines."""
        own = self.frame.index == feature
        said = [added for added, here in zip(self.added, own, strict=True) if here]
        return tuple(f"{step}: {added}." for step, added in zip(self.frame.loc[own, "step"], said, strict=True))

    def to_frame(self) -> pd.DataFrame:
        """Return the lines, see `frame`."""
        return self.frame.reset_index()

    def _words(self, line: dict[Hashable, Any]) -> str:
        """Say what one step adds."""
        change, low, high = (float(line[name]) for name in ("change", "lowest", "highest"))
        least = _NOTHING * self.unit
        if max(abs(change), abs(low), abs(high)) < least:
            return "nothing"
        disagree = low < -least and high > least
        return f"about {signed(change)}{f', by batch from {signed(low)} to {signed(high)}' if disagree else ''}"


def number_slopes(explained: NumberStudy, cases: Iterable[int] | None = None) -> NumberSlopes:
    r"""Return how much answers are adjusted for what tells a case from the known ones.

    Parameters
    ----------
    cases : iterable of int or None
        Row ids in whose answers batches are weighed; None for the held-out rows, or the training rows without any.

    Returns
    -------
    NumberSlopes
        A step is a power of ten near the standard deviation of the column; on a scale that is bent, the way from the
        lower to the upper quartile of the training rows; of a category, another level than the most frequent one.

    Examples
    --------
    >>> import proset
    >>> from proset.data.role_guess import guess_roles
    >>> lines = ["size,price"] + [f"{value},{3 * value}" for value in range(60)]
    >>> table = proset.read_table("\n".join(lines).encode(), name="prices.csv")
    >>> found = number_slopes(proset.fit_number_study(table, guess_roles(table, target="price").roles))
    >>> found.frame["step"].tolist(), bool(abs(found.frame["change"].iloc[0] - 30.0) < 3.0)
    (['10 more'], True)
    """
    subject, X = number_subject(explained), explained.encode(measured_rows(explained, cases)).X
    slopes, weights = _slopes(subject), _batch_shares(subject, X)
    heard = weights >= min(_HEARD, weights.max(initial=0.0))
    lines = []
    for name in subject.used:
        i = subject.features.index(name)
        scale = feature_scale(subject, i)
        for words, here, there in _steps(subject, scale):
            moved = (scale.matrix(np.array([there])) - scale.matrix(np.array([here])))[0]
            changes = slopes[:, scale.columns] @ moved
            mean = float(changes @ weights / weights.sum()) if weights.sum() > 0.0 else float(changes.mean())
            lines.append((name, words, mean, float(changes[heard].min()), float(changes[heard].max())))
    index = pd.Index([line[0] for line in lines], dtype="str", name="feature")
    frame = pd.DataFrame([line[1:] for line in lines], index=index, columns=_COLUMNS)
    return NumberSlopes(frame, pd.Series(weights, index=_numbers(subject), name="share"), explained.unit)


def signed(value: float) -> str:
    """Write a difference with its sign and three digits.

    Examples
    --------
    >>> signed(8.3412), signed(-0.5)
    ('+8.34', '−0.5')
    """
    return f"{'−' if value < 0 else '+'}{rough(abs(value))}"


def _numbers(subject: NumberSubject) -> list[int]:
    """Return the numbers of the batches that hold prototypes."""
    return [k for k, batch in enumerate(subject.manager.batches, start=1) if batch is not None]


def _slopes(subject: NumberSubject) -> NDArray[np.float64]:
    """Return what each batch adds per unit of each matrix column, in units of the target, shape (B, D)."""
    wide = np.zeros((len(subject.manager.density_batches), subject.manager.num_features))
    for line, batch in zip(wide, subject.manager.density_batches, strict=True):
        line[batch.active_features] = subject.study.unit * batch.slopes
    return wide


def _batch_shares(subject: NumberSubject, X: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the mean share of each batch in answers, shape (B,)."""
    ends = np.cumsum([0, *map(len, subject.manager.density_batches)])
    total = np.zeros(ends[-1])
    for _, share in shares(subject.manager, X):
        total += share.sum(axis=0)
    return np.array([total[a:b].sum() for a, b in pairwise(ends.tolist())]) / max(1, len(X))


def _steps(subject: NumberSubject, scale: FeatureScale) -> list[tuple[str, float, float]]:
    """Return the steps along a feature: in words, from where, and to where."""
    study = subject.study
    positions = scale.positions(study.encode(study.split.train).X)
    positions = positions[np.isfinite(positions)]
    if scale.axis.kind == "level":
        places = np.arange(len(scale.axis.levels))
        usual = int(np.bincount(positions.astype(np.int64), minlength=len(places)).argmax())
        named = [shown(name, 30) for name in scale.axis.levels]
        return [
            (f"'{named[k]}' rather than '{named[usual]}'", float(usual), float(k))
            for k in places.tolist()
            if k != usual
        ]
    if scale.bend is not None:
        low, high = np.quantile(positions, [0.25, 0.75]).tolist()
        return [(f"{scale.axis.text(high)} rather than {scale.axis.text(low)}", low, high)]
    at = float(np.median(positions))
    step = 10.0 ** math.floor(math.log10(scale.scale))
    if scale.axis.kind == "date":
        step = max(step, 1.0)
        return [(f"{number(step)} {'day' if step == 1.0 else 'days'} later", at, at + step)]
    if (np.round(positions) == positions).all():
        step = max(step, 1.0)
    return [(f"{number(step)} more", at, at + step)]
