"""From verdicts to guidance: what of all that was said a model can listen to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pandas as pd

from proset.common.words import count_words
from proset.study import NumberStudy
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind
from proset.workspace.outcomes import OutcomeState, outcomes
from proset.workspace.verdicts import ReviewVerdict

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy
    from proset.workspace.verdicts import Judgement, Record

_CHANGE = (ReviewVerdict.MODEL, ReviewVerdict.OTHER)


@dataclass(frozen=True)
class Heard:
    """Verdicts as a fit can obey them.

    Attributes
    ----------
    guidance : Guidance
        Training rows with another class, or number, and faulty ones, which are left out.
    corrected : dict of int to str
        Held-out rows that should have another class, or number: nothing is learned from them, but quality can be stated
        against what they should have.
    disputed : int
        Rows of which people say different things; they stay as they are.
    kept : int
        Rows that stay as they are because that was said, or because it cannot be decided.
    of : str
        What the table states: "class" or "number".
    faulty : tuple of int
        Held-out rows that are said to be faulty: quality is measured on them all the same.
    unknown : int
        Rows that should have a class which is no class of the study any more, or something that is no number.
    """

    guidance: Guidance = field(default_factory=Guidance)
    corrected: dict[int, str] = field(default_factory=dict)
    disputed: int = 0
    kept: int = 0
    of: str = "class"
    faulty: tuple[int, ...] = ()
    unknown: int = 0

    @property
    def words(self) -> str:
        """All of it in a sentence."""
        parts = [self.guidance.words(self.of)] if len(self.guidance) else []
        if self.corrected:
            many = count_words(len(self.corrected), "held-out row")
            parts.append(f"{many} with another {self.of}, from which nothing is learned")
        if self.faulty:
            parts.append(f"{count_words(len(self.faulty), 'held-out row')} said to be faulty, measured all the same")
        if self.disputed:
            parts.append(f"{count_words(self.disputed, 'row')} on which people differ")
        if self.unknown:
            what = "a class that there is no more" if self.of == "class" else "what is no number"
            parts.append(f"{count_words(self.unknown, 'row')} with {what}")
        if self.kept:
            parts.append(f"{count_words(self.kept, 'row')} as {'it is' if self.kept == 1 else 'they are'}")
        return f"From what was said: {'; '.join(parts)}." if parts else ""


def corrected_table(study: AnyStudy, found: Heard) -> pd.DataFrame | None:
    """Return the table with what people say its rows should have, all else as it is; None if that is nothing.

    Parameters
    ----------
    study : Study or NumberStudy
        Has the table, which does not change.
    found : Heard
        From :func:`heard`.

    Returns
    -------
    DataFrame or None
        None also where classes are not what the target column holds, but ranges of it or several of its values.
    """
    labels = found.corrected | {
        item.row: str(item.label)
        for item in found.guidance
        if item.kind is GuidanceKind.RELABEL and item.row is not None
    }
    target = study.roles.target
    if not labels or target is None or not study.roles.classes_are_values:
        return None
    frame = study.table.frame.copy()
    column = frame[target].astype(object)
    spelled = dict(zip(study.table_labels, column, strict=True))  # as the column holds the class
    plain = float if isinstance(study, NumberStudy) else str
    column.loc[pd.Index(list(labels))] = [spelled.get(label, plain(label)) for label in labels.values()]
    frame[target] = column
    return frame


def heard(records: Iterable[Record], study: AnyStudy) -> Heard:
    """Return what a fit can obey of all that was said of a table.

    Parameters
    ----------
    records : iterable of Record
        All of them; of each person the last word on a row that was not taken back counts.
    study : Study or NumberStudy
        Says which rows are held out, and what a row can be learned with.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> heard([], fit_sample("iris_2f")).words
    ''
    """
    by_row: dict[int, list[Judgement]] = {}
    for row, found in outcomes(records).items():
        settled = found.word if found.state is OutcomeState.SETTLED else None
        said = [one.judgement for one in found.words] if settled is None else [settled]
        by_row[row] = [one for one in (_as_named_now(one, study) for one in said) if _speaks_of(one, study)]
    held_out, known = set(study.split.held_out.tolist()), set(study.table.frame.index)
    corrected: dict[int, str] = {}
    items, faulty, disputed, kept, unknown = [], [], 0, 0, 0
    for row, said in sorted(by_row.items()):
        if row not in known or not said:
            continue
        wanted = {_wanted(one, study) for one in said}
        label = wanted.pop() if len(wanted) == 1 else None
        if wanted:
            disputed += 1
        elif label is None:
            kept += 1
        elif label and not study.is_label(label):
            unknown += 1
        elif row in held_out:
            corrected |= {row: label} if label else {}
            faulty += [] if label else [row]
        else:
            items.append(_item(row, label, said[-1]))
    return Heard(Guidance(tuple(items)), corrected, disputed, kept, study.roles.stated, tuple(faulty), unknown)


def _as_named_now(said: Judgement, study: AnyStudy) -> Judgement:
    """Return a judgement with classes that were renamed since under the names that they have now."""
    made = study.roles.classes
    if made is None or not made.names:
        return said

    def now(label: str | None) -> str | None:
        return label if label is None or study.is_label(label) else made.names.get(label, label)

    return replace(said, label=now(said.label), new_label=now(said.new_label))


def _speaks_of(said: Judgement, study: AnyStudy) -> bool:
    """Tell whether a judgement is of the target that a study learns: it names what the table has there."""
    faulty = said.verdict is ReviewVerdict.FAULTY  # the row is, whatever is learned
    return faulty or said.label is None or said.label == study.table_labels.get(said.row)


def _wanted(said: Judgement, study: AnyStudy) -> str | None:
    """Return what a row should have; an empty text to leave it out, None to leave it as it is."""
    if said.verdict is ReviewVerdict.FAULTY:
        return ""
    new = said.new_label if said.verdict in _CHANGE else None
    return new if new != study.table_labels.get(said.row) else None


def _item(row: int, label: str, said: Judgement) -> GuidanceItem:
    """Return what is asked for, by whom and why."""
    kind = GuidanceKind.RELABEL if label else GuidanceKind.LEAVE_OUT
    why = "; ".join([*said.reasons, *([said.note] if said.note else [])])
    return GuidanceItem(kind, row=row, label=label or None, by=said.reviewer, why=why[:4_000], at=said.at.isoformat())
