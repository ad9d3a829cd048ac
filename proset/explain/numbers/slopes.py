"""Amounts that a model of a number adds for what tells a case from a known one, column by column."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.notebook import Displayed
from proset.common.words import number, rough, shown
from proset.explain.maps.feature_axes import FeatureScale, feature_scale
from proset.explain.number_subject import NumberSubject, measured_rows, number_subject
from proset.explain.numbers.typical import shares
from proset.study.number_study import NumberStudy

_ENDS = (0.1, 0.9)
"""Shares of the votes below the lowest and the highest of what is told."""
_NOTHING = 0.001  # standard deviations of the target
_COLUMNS = ["step", "change", "lowest", "highest"]


@dataclass(frozen=True, eq=False)
class NumberSlopes(Displayed):
    """Amounts that are added for a step of each column, beside a known case that is alike otherwise.

    Attributes
    ----------
    frame : DataFrame
        Index ``feature``, the heaviest first, one line for each level of a category but the usual one: ``step`` in
        words, ``change`` of what known cases say (in units of the target, the mean over prototypes by their share of
        the answers), ``lowest`` and ``highest``, between which eight of ten votes lie.
    unit : float
        What changes are small or large beside, see ``study.unit``.
    """

    frame: pd.DataFrame
    unit: float

    @property
    def added(self) -> tuple[str, ...]:
        """One sentence for each line of the frame: the amount that it adds."""
        return tuple(self._words(place) for place in range(len(self.frame)))

    def tells_nothing(self, place: int) -> bool:
        """Tell whether next to nothing is added in a line, whoever votes."""
        line = self.frame.iloc[place]
        return max(abs(float(line[name])) for name in ("change", "lowest", "highest")) < _NOTHING * self.unit

    def words(self, feature: str) -> tuple[str, ...]:
        """Say what is added for one column, a sentence for each of its lines."""
        own = self.frame.index == feature
        said = [added for added, here in zip(self.added, own, strict=True) if here]
        return tuple(f"{step}: {added}." for step, added in zip(self.frame.loc[own, "step"], said, strict=True))

    def to_frame(self) -> pd.DataFrame:
        """Return the lines, see `frame`."""
        return self.frame.reset_index()

    def _words(self, place: int) -> str:
        """Say what one step adds."""
        if self.tells_nothing(place):
            return "nothing"
        change, low, high = (float(self.frame.iloc[place][name]) for name in ("change", "lowest", "highest"))
        disagree = low < -_NOTHING * self.unit and high > _NOTHING * self.unit
        return f"about {signed(change)}{f', by prototype from {signed(low)} to {signed(high)}' if disagree else ''}"


def number_slopes(explained: NumberStudy, cases: Iterable[int] | None = None) -> NumberSlopes:
    r"""Return how much answers are adjusted for what tells a case from the known ones.

    Parameters
    ----------
    cases : iterable of int or None
        Row ids in whose answers prototypes are weighed; None for the held-out rows, or the training rows without any.

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
    slopes, weights = _slopes(subject), _shares(subject, X)
    values = np.concatenate([np.zeros(0), *(batch.values for batch in subject.manager.density_batches)])
    lines = []
    for name in subject.used:
        i = subject.features.index(name)
        scale = feature_scale(subject, i)
        for words, here, there in _steps(subject, scale):
            moved = (scale.matrix(np.array([there])) - scale.matrix(np.array([here])))[0]
            moves = np.einsum("jd,d->j", slopes[:, scale.columns], moved)
            changes = moves * explained.model.units_.secants(values, moves)
            lines.append((name, words, float(np.average(changes, weights=weights)), *_ends(changes, weights)))
    index = pd.Index([line[0] for line in lines], dtype="str", name="feature")
    frame = pd.DataFrame([line[1:] for line in lines], index=index, columns=_COLUMNS)
    return NumberSlopes(frame, explained.unit)


def signed(value: float) -> str:
    """Write a difference with its sign and three digits.

    Examples
    --------
    >>> signed(8.3412), signed(-0.5)
    ('+8.34', '−0.5')
    """
    return f"{'−' if value < 0 else '+'}{rough(abs(value))}"


def _slopes(subject: NumberSubject) -> NDArray[np.float64]:
    """Return what each prototype adds per unit of each matrix column, standardised, shape (P, D)."""
    parts = [np.zeros((0, subject.manager.num_features))]
    for batch in subject.manager.density_batches:
        wide = np.zeros((len(batch), subject.manager.num_features))
        wide[:, batch.active_features] = batch.total_slopes
        parts.append(wide)
    return np.vstack(parts)


def _shares(subject: NumberSubject, X: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the share of each prototype in what all of them say of some rows; equal ones if they say nothing."""
    total = np.zeros(subject.manager.get_num_prototypes())
    for _, share in shares(subject.manager, X):
        total += share.sum(axis=0)
    return total / total.sum() if total.sum() > 0.0 else np.ones(len(total))


def _ends(changes: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[float, float]:
    """Return between which amounts most of the votes lie."""
    found = np.quantile(changes, _ENDS, weights=weights, method="inverted_cdf")
    return float(found[0]), float(found[1])


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
