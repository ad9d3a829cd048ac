"""Changes of a case that would change what is said of it, under what a person lets change."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.params import Number, Param
from proset.common.words import leading, percent, shown
from proset.explain import counterfactuals
from proset.explain.cases.counterfactual_result import ColumnChange, Counterfactuals
from proset.explain.cases.value_range import ValueKind
from proset.study.settings import Bounds

if TYPE_CHECKING:
    from dashboard.services.case.selected import CaseEvidence

MOST_POSITIONS = 500
"""Columns that an address names."""
USUAL, ANY = -1, -2
"""Instead of the position of a class: the one in the table where another is said, else any; and any other."""
STAYS = "as now"
_LONGEST = 4


@dataclass(frozen=True)
class ColumnsParam(Param[tuple[int, ...]]):
    """Some columns of a table by their positions: an address holds no names of an uploaded file.

    Examples
    --------
    >>> param = ColumnsParam("locked", ())
    >>> param.read("3,1,3"), param.read(""), param.read("one"), param.read("-1"), param.write((1, 3))
    ((1, 3), (), None, None, '1,3')
    """

    allowed = "a list of positions of columns"

    def read(self, text: str) -> tuple[int, ...] | None:
        """Return the positions that a text names, ascending."""
        parts = text.split(",", MOST_POSITIONS) if text else []
        if len(parts) > MOST_POSITIONS or not all(
            part.isascii() and part.isdigit() and len(part) <= _LONGEST for part in parts
        ):
            return None
        return tuple(sorted({int(part) for part in parts}))

    def write(self, value: tuple[int, ...]) -> str:
        """Return the positions with commas between them."""
        return ",".join(map(str, value))


LOCKED, RISE, FALL = ColumnsParam("locked", ()), ColumnsParam("rise", ()), ColumnsParam("fall", ())
"""Columns that stay, may only rise, may only fall."""
AIM = Number("aim", USUAL, of_model=True, bounds=Bounds(ANY, 10_000, whole=True))
"""Position of the class that is to be said."""


@dataclass(frozen=True)
class ChangeWish:
    """Columns that may change, and the class that is to be said.

    Attributes
    ----------
    to : str or None
        Class that is to be said; None for any other.
    locked, rise, fall : tuple of str
        Columns in use that stay, may only rise, may only fall.
    """

    to: str | None = None
    locked: tuple[str, ...] = ()
    rise: tuple[str, ...] = ()
    fall: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnswerLine:
    """One column: its value now, in each answer, and in the real case.

    Attributes
    ----------
    column, now : str
        Name and value as it is.
    would : tuple of str
        Value in each answer; empty where it stays.
    real : str
        Value in the real case; empty without one.
    """

    column: str
    now: str
    would: tuple[str, ...]
    real: str


def aimed_at(evidence: CaseEvidence, position: int) -> str | None:
    """Return the class that is to be said; None for any other than now."""
    classes, said, actual = evidence.study.classes, evidence.report.predicted, evidence.report.actual
    if position == USUAL:
        return actual if actual in classes and actual != said else None
    return classes[position] if 0 <= position < len(classes) and classes[position] != said else None


def wish_of(
    evidence: CaseEvidence, *, aim: int, locked: tuple[int, ...], rise: tuple[int, ...], fall: tuple[int, ...]
) -> ChangeWish:
    """Return what is wished of this model: positions of columns that it does not use, or that do not fit, count not."""
    ordered = ordered_columns(evidence)

    def among(positions: tuple[int, ...], columns: Collection[str]) -> tuple[str, ...]:
        every = evidence.study.table.frame.columns
        named = {str(every[place]) for place in positions if place < len(every)}
        return tuple(name for name in columns if name in named)

    return ChangeWish(
        aimed_at(evidence, aim), among(locked, evidence.ranges), among(rise, ordered), among(fall, ordered)
    )


def ordered_columns(evidence: CaseEvidence) -> list[str]:
    """Return the columns in use whose values can rise and fall."""
    return [name for name, scope in evidence.ranges.items() if scope.kind is not ValueKind.LEVEL]


def changed_positions(
    evidence: CaseEvidence, before: tuple[int, ...], offered: Collection[str], chosen: Collection[str]
) -> tuple[int, ...]:
    """Return positions after a choice among some columns; those of all others stay as they were.

    Another model of the same table may use columns that this one does not.
    """
    every = list(map(str, evidence.study.table.frame.columns))
    others = {place for place in before if place >= len(every) or every[place] not in offered}
    return tuple(sorted(others | {every.index(name) for name in chosen}))


def change_of_mind(evidence: CaseEvidence, wish: ChangeWish | None = None) -> Counterfactuals:
    """Return what would have to be for something else to be said.

    Examples
    --------
    >>> from dashboard.services.case.selected import CaseEvidence
    >>> from dashboard.services.cases import CaseRef
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = change_of_mind(CaseEvidence(study, CaseRef.in_table(71)))
    >>> [line.would for line in answer_lines(CaseEvidence(study, CaseRef.in_table(71)), found)]
    [('6.2',), ('',)]
    """
    asked = ChangeWish(aimed_at(evidence, USUAL)) if wish is None else wish

    def search() -> Counterfactuals:
        return counterfactuals(
            evidence.study,
            evidence.case,
            to=asked.to,
            locked=asked.locked,
            may_only_rise=asked.rise,
            may_only_fall=asked.fall,
            rule=evidence.rule,
            ranges=evidence.ranges,
        )

    return evidence.kept("change of mind", search, asked)


def sentence(evidence: CaseEvidence) -> str:
    """Return the first answer without any lock in one sentence, for where there is room for no more.

    Where less of a change does, in a case that is less familiar than answers have to be, that comes first.
    """
    found = change_of_mind(evidence)
    if not found.found:
        return found.words
    first = found.found[0]
    said = f"{first.words[:-1]} ({_facts(first.probability, first.quantile)})"
    least = f"familiarity {percent(found.least_familiarity)} or more"
    flip = next((one for one in evidence.flip.flips if one.predicted in found.to and not one.left), None)
    alone = len(first.changes) == 1
    if flip is None or (alone and (flip.size is None or flip.size >= first.size)):  # a level is no smaller change
        return f"{said}; only cases of {least} were tried."
    least_change = ColumnChange(flip.feature, flip.before, flip.after, flip.texts).words
    flipped = f"It would say '{shown(flip.predicted)}' if {least_change} ({_facts(flip.probability, flip.quantile)})."
    if flip.quantile is not None and flip.quantile >= found.least_familiarity:
        return flipped  # familiar enough: a larger change is no second answer
    return f"{flipped} With {least}, {said[0].lower()}{said[1:]}."


def _facts(probability: float, quantile: float | None) -> str:
    """Say how probable something would be, and how familiar the case."""
    familiar = "" if quantile is None else f", familiarity {percent(quantile)}"
    return f"probability {leading(probability)}{familiar}"


def answer_lines(evidence: CaseEvidence, found: Counterfactuals) -> list[AnswerLine]:
    """Return the columns that any answer changes, with their values now, in each answer and in the real case.

    Those in which the real case differs come after them.
    """
    cells, ranges = evidence.case.cells, evidence.ranges
    texts = [{change.column: change.texts[1] for change in one.changes} for one in found.found]
    real = {} if found.real is None else found.real.values
    names = [name for name in ranges if any(name in text for text in texts)]
    names += [name for name in differing(evidence, found) if name not in names]
    return [
        AnswerLine(
            name,
            ranges[name].text(cells.get(name)),
            tuple(text.get(name, "") for text in texts),
            ranges[name].text(real[name]) if name in real else "",
        )
        for name in names
    ]


def differing(evidence: CaseEvidence, found: Counterfactuals) -> tuple[str, ...]:
    """Return the columns in use in which the real case differs, the heaviest first."""
    cells, real = evidence.case.cells, {} if found.real is None else found.real.values
    return tuple(
        name
        for name, scope in evidence.ranges.items()
        if name in real and scope.text(cells.get(name)) != scope.text(real[name])
    )


def changed_frame(evidence: CaseEvidence, values: dict[str, object]) -> pd.DataFrame:
    """Return the case as one row with other values."""
    frame = evidence.case.frame.astype(object)
    return frame.assign(**{name: pd.Series([value], index=frame.index, dtype=object) for name, value in values.items()})
