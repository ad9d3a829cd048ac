"""Which judgements may stand behind those that are kept: each by itself, and beside what it refers to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields

from proset.workspace.border import checked_judgement, words_of
from proset.workspace.verdicts import Judgement, RefusedJudgementError, ReviewVerdict

Refused = Callable[[RefusedJudgementError], None]
"""Is told of a judgement that is refused."""


def admitted(
    judgements: Iterable[Judgement],
    known_by: Callable[[set[str]], Mapping[str, Judgement]],
    refused: Refused | None = None,
) -> list[Judgement]:
    """Return the judgements that are to be kept, checked, in their order; what is kept already is passed over.

    Parameters
    ----------
    judgements : iterable of Judgement
        What is said.
    known_by : callable
        Returns what is kept under some entries.
    refused : callable or None
        Told of each judgement that is refused, and the others are taken; with None the first one is raised.

    Raises
    ------
    RefusedJudgementError
        If a judgement is refused at the border, has the name of another one, takes back what its reviewer has not said
        of this row, or settles what nobody has said of it.
    """
    tell = refused or _raised
    checked = _checked(judgements, tell)
    known = dict(known_by({name for one in checked for name in (one.entry, one.takes_back, *one.settles) if name}))
    new = []
    for judgement in checked:
        try:
            if judgement.entry in known:
                _refuse_other_words(judgement, known[judgement.entry])
                continue
            _refuse_foreign_undo(judgement, known)
            _refuse_foreign_settlement(judgement, known)
        except RefusedJudgementError as error:
            tell(error)
            continue
        known[judgement.entry] = judgement
        new.append(judgement)
    return new


def _raised(error: RefusedJudgementError) -> None:
    """Refuse all for the sake of one."""
    raise error


def _checked(judgements: Iterable[Judgement], tell: Refused) -> list[Judgement]:
    """Return what may come in."""
    found = []
    for judgement in judgements:
        try:
            found.append(checked_judgement(judgement))
        except RefusedJudgementError as error:
            tell(error)
    return found


def _refuse_other_words(judgement: Judgement, kept: Judgement) -> None:
    """Refuse a judgement whose name stands for another one."""
    names = [field.name for field in fields(kept)]
    other = [words_of(name) for name in names if getattr(kept, name) != getattr(judgement, name)]
    if other:
        raise RefusedJudgementError(
            f"Row {judgement.row}: the entry '{judgement.entry}' is kept already with another {', '.join(other)}.",
            entry=judgement.entry,
            hint="Nothing that is kept is written over; send it as a new entry.",
        )


def _refuse_foreign_undo(judgement: Judgement, known: Mapping[str, Judgement]) -> None:
    """Refuse to take back what somebody else has said, of another row, or nobody."""
    if judgement.takes_back is None:
        return
    taken = known.get(judgement.takes_back)
    if taken is None:
        problem = "is not there"
    elif taken.verdict is ReviewVerdict.UNDONE:
        problem = "takes something back itself; say again what you mean"
    elif (taken.row, taken.reviewer) != (judgement.row, judgement.reviewer):
        problem = "is of another row or reviewer"
    else:
        return
    raise RefusedJudgementError(
        f"Row {judgement.row}: the entry '{judgement.takes_back}' cannot be taken back: it {problem}.",
        entry=judgement.entry,
    )


def _refuse_foreign_settlement(judgement: Judgement, known: Mapping[str, Judgement]) -> None:
    """Refuse to settle what nobody has said of this row."""
    for entry in judgement.settles:
        settled = known.get(entry)
        if settled is None:
            problem = "is not there"
        elif settled.row != judgement.row:
            problem = "is of another row"
        elif settled.verdict is ReviewVerdict.UNDONE or settled.settles:
            problem = "is no verdict of somebody on the case"
        else:
            continue
        raise RefusedJudgementError(
            f"Row {judgement.row}: the entry '{entry}' cannot be settled: it {problem}.", entry=judgement.entry
        )
