"""Smallest changes of single features that change a decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from proset.common.notebook import Displayed
from proset.common.words import leading, shown
from proset.explain.plain_values import plain_value

_FIELDS = ["feature", "before", "after", "size", "predicted", "probability", "quantile", "left"]


@dataclass(frozen=True)
class Flip:
    """One change that makes the model say something else.

    Attributes
    ----------
    feature : str
        The column that changes.
    before, after : object
        Its value now (None if missing) and the nearest one that changes what is said.
    texts : (str, str)
        The same two values, written to the column's precision.
    size : float or None
        The change in standard deviations of the column; None for a category, whose levels have no distance.
    predicted : str
        What is said then.
    probability : float
        Its estimated probability then.
    quantile : float or None
        Familiarity of the changed case as a quantile of the held-out rows; None for a model alone.
    left : bool
        Whether the decision rule leaves the changed case to a person: `predicted` is then what it leans to.
    """

    feature: str
    before: Any
    after: Any
    texts: tuple[str, str]
    size: float | None
    predicted: str
    probability: float
    quantile: float | None
    left: bool

    @property
    def outcome(self) -> str:
        """Such as ``'malignant' is said, with 64.0 %``."""
        name, share = shown(self.predicted), leading(self.probability)
        if self.left:
            return f"it leans to '{name}', with {share}, and is left to a person"
        return f"'{name}' is said, with {share}"

    @property
    def words(self) -> str:
        """Such as ``worst radius from 15.3 to 16.8 (0.3 standard deviations)``."""
        how_far = "" if self.size is None else f" ({_size_words(self.size)})"
        return f"{shown(self.feature)} from {shown(self.texts[0])} to {shown(self.texts[1])}{how_far}"


@dataclass(frozen=True)
class SmallestFlip(Displayed):
    """Smallest change of each feature that alone changes the decision on a case.

    Attributes
    ----------
    predicted : str
        What is said now.
    flips : tuple of Flip
        The nearest change of each feature that has one: numbers and dates by size, then categories.
    searched : tuple of str
        All features that were tried.
    coarse : tuple of str
        Those of them that take more values than were tried: a flip back and forth between two values tried is missed.
    """

    predicted: str
    flips: tuple[Flip, ...]
    searched: tuple[str, ...]
    coarse: tuple[str, ...]

    @property
    def smallest(self) -> Flip | None:
        """The smallest change; None if no single change flips it."""
        return self.flips[0] if self.flips else None

    @property
    def words(self) -> str:
        """The answer in a sentence or two."""
        first = self.smallest
        if first is None:
            return (
                "No single change within the range of the data flips it."
                if self.searched
                else "The model uses no feature, so no change flips it."
            )
        kind = "smallest single change" if first.size is not None else "only kind of single change"
        text = f"The {kind} that flips it: {first.words}; then {first.outcome}."
        level = next((flip for flip in self.flips if flip.size is None), None)
        if first.size is not None and level is not None:
            text += f" Another level does it as well: {level.words}."
        return text

    def to_frame(self) -> pd.DataFrame:
        """Return one line per feature that can flip it, with the fields of :class:`Flip` but the texts."""
        lines = [[getattr(flip, name) for name in _FIELDS] for flip in self.flips]
        return pd.DataFrame(lines, columns=_FIELDS).astype({"size": float, "probability": float, "quantile": float})

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain values; dates as text."""
        return {
            "predicted": self.predicted,
            "flips": [{name: plain_value(getattr(flip, name)) for name in _FIELDS} for flip in self.flips],
            "searched": list(self.searched),
            "coarse": list(self.coarse),
        }


def _size_words(size: float) -> str:
    """Write how far a change goes."""
    if size < 0.05:
        return "less than a tenth of a standard deviation"
    return "1 standard deviation" if f"{size:.1f}" == "1.0" else f"{size:.1f} standard deviations"
