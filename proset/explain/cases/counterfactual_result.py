"""Changes of a case that would change the decision on it, and the nearest real case that is decided so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from proset.common.notebook import Displayed
from proset.common.words import count_words, leading, listed, percent, shown
from proset.explain.plain_values import plain_fields, plain_value

_MOST_NAMED = 6


@dataclass(frozen=True)
class ColumnChange:
    """Another value of one column.

    Attributes
    ----------
    column : str
        The column.
    before, after : object
        Its value now (None if missing) and the one that it would have to have.
    texts : (str, str)
        The same two values, written to the column's precision.
    """

    column: str
    before: Any
    after: Any
    texts: tuple[str, str]

    @property
    def words(self) -> str:
        """Such as ``worst area were 812 instead of 640``."""
        before, after = (shown(text) for text in self.texts)
        return f"{shown(self.column)} were {after} instead of {before}"


@dataclass(frozen=True)
class Counterfactual:
    """A case like the one in question of which something else is said.

    Attributes
    ----------
    changes : tuple of ColumnChange
        The columns that differ, at least one, the heaviest first; all others stay.
    predicted : str
        What is said then.
    probability : float
        Its estimated probability then.
    quantile : float
        Familiarity of the changed case as a quantile of the held-out rows, or of the known rows of a model.
    size : float
        Sum of the changes in standard deviations; another level counts 1.
    """

    changes: tuple[ColumnChange, ...]
    predicted: str
    probability: float
    quantile: float
    size: float

    @property
    def values(self) -> dict[str, Any]:
        """The new values by column, as :func:`~proset.explain.what_if` takes them."""
        return {change.column: change.after for change in self.changes}

    @property
    def words(self) -> str:
        """The answer in a sentence: "It would say 'malignant' if worst area were 812 instead of 640."."""
        return f"It would say '{shown(self.predicted)}' if {_conditions(self.changes)}."


@dataclass(frozen=True)
class RealCase:
    """A row of the data of which something else is said, and rightly.

    Attributes
    ----------
    row : int
        Row id of a study's table, or position among a model's known rows.
    name : str
        The identifier's value, or "row 17".
    actual : str
        Its class, which is also what is said of it.
    probability, quantile : float
        Estimated probability of the class, and familiarity as a quantile.
    similarity : float
        To the case in question, in the model's metric, in [0, 1].
    values : dict of str to object
        Its values in the columns that the model uses.
    """

    row: int
    name: str
    actual: str
    probability: float
    quantile: float
    similarity: float
    values: dict[str, Any]


@dataclass(frozen=True, eq=False)
class Counterfactuals(Displayed):
    """Smallest sets of changes that would change what is said of a case, under what may change.

    Attributes
    ----------
    predicted : str
        What is said now.
    to : tuple of str
        The classes of which one was looked for.
    found : tuple of Counterfactual
        Few columns first; none changes all the columns of another. Empty where nothing was found.
    real : RealCase or None
        The nearest real case that belongs to one of these classes and of which that is said, whatever is locked; None
        where there is none or classes are not known.
    held : tuple of str
        Columns in use that were locked or bound to one direction, or that hang together with others.
    tied : tuple of str
        Those of them that nobody locked: days, hours and the times they are counted from, which stay together.
    unlock : tuple of str
        Where nothing was found under these locks: those of `held` that the best answer without any would change.
    unfamiliar : Counterfactual or None
        Where nothing was found: the best answer among cases of any familiarity.
    searched : tuple of str
        Columns whose values were tried.
    least_familiarity : float
        Quantile that every answer reaches, in [0, 1].
    """

    predicted: str
    to: tuple[str, ...]
    found: tuple[Counterfactual, ...]
    real: RealCase | None
    held: tuple[str, ...]
    tied: tuple[str, ...]
    unlock: tuple[str, ...]
    unfamiliar: Counterfactual | None
    searched: tuple[str, ...]
    least_familiarity: float

    @property
    def impossible(self) -> bool:
        """True where nothing was found."""
        return not self.found

    @property
    def words(self) -> str:
        """The answer in a sentence or two."""
        if self.found:
            first = self.found[0]
            return f"{first.words} Probability {leading(first.probability)}, familiarity {percent(first.quantile)}."
        if not self.searched and not self.held:
            return "The model uses no column that could change, so no value changes its mind."
        where = f"in a case of familiarity {percent(self.least_familiarity)} or more"
        if self.held:
            tied = f"while {listed(self.tied, most=_MOST_NAMED)} stay, which hang together with other columns"
            where = tied if self.tied == self.held else "under these locks"
        said = f"Impossible {where}, as far as values of the table were tried."
        if self.unlock:
            said += f" It would be possible if {listed(self.unlock, most=_MOST_NAMED)} could change freely."
        if self.unfamiliar is not None:
            said += (
                f" {self.unfamiliar.words} But such a case would be unfamiliar: "
                f"familiarity {percent(self.unfamiliar.quantile)}."
            )
        return said

    def to_frame(self) -> pd.DataFrame:
        """Return one line per changed column: ``answer`` (from 1), column, values as text, numbers."""
        lines = [
            [number, change.column, *change.texts, one.predicted, one.probability, one.quantile]
            for number, one in enumerate(self.found, 1)
            for change in one.changes
        ]
        names = ["answer", "column", "before", "after", "predicted", "probability", "quantile"]
        return pd.DataFrame(lines, columns=names)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        real = self.real
        return {
            **plain_fields(self, "predicted", "to", "held", "tied", "unlock", "searched", "least_familiarity"),
            "found": [_plain(one) for one in self.found],
            "real": None if real is None else {name: _plain_any(value) for name, value in vars(real).items()},
            "unfamiliar": None if self.unfamiliar is None else _plain(self.unfamiliar),
        }


def _conditions(changes: Sequence[ColumnChange]) -> str:
    """Join what would have to be."""
    parts = [change.words for change in changes[:_MOST_NAMED]]
    more = len(changes) - len(parts)
    if more:
        return f"{', '.join(parts)} and {count_words(more, 'more value')} were another"
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _plain(one: Counterfactual) -> dict[str, Any]:
    """Return an answer as plain values."""
    return {
        "changes": {change.column: [plain_value(change.before), plain_value(change.after)] for change in one.changes},
        "predicted": one.predicted,
        "probability": one.probability,
        "quantile": one.quantile,
        "size": one.size,
    }


def _plain_any(value: Any) -> Any:
    """Return a field of a real case as plain values."""
    return {name: plain_value(cell) for name, cell in value.items()} if isinstance(value, dict) else plain_value(value)
