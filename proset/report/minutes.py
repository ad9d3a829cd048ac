"""Minutes of a review: who has judged which cases, what follows, how far people agree; on one page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import pandas as pd

from proset.common.words import count_words
from proset.report.document import Document, Facts, ReportPart, ReportTable, Words
from proset.workspace.agreement import agreement
from proset.workspace.outcomes import CaseOutcome, OutcomeState, meaning, outcomes
from proset.workspace.verdicts import ReviewVerdict, not_taken_back

if TYPE_CHECKING:
    from proset.workspace.agreement import Agreement, AgreementMeasure
    from proset.workspace.verdicts import Record

_MOST = 20  # lines of a list
_NOBODY = "(no name)"
_MINUTE = "%Y-%m-%d %H:%M"
_COUNTED = {str(verdict): verdict.words for verdict in ReviewVerdict if verdict is not ReviewVerdict.UNDONE}


def review_minutes(records: Sequence[Record], name: str) -> Document:
    """Return the minutes of a review.

    Parameters
    ----------
    records : sequence of Record
        All of a study that may be told, in the order of their numbers.
    name : str
        What was reviewed.

    Examples
    --------
    >>> [part.title for part in review_minutes([], "cancer.csv").parts]
    ['Who', 'What changes', 'Disputes', 'Agreement', 'Models']
    """
    found = outcomes(records)
    when = [record.judgement.at for record in records]
    span = f"{min(when):{_MINUTE}} to {max(when):{_MINUTE}} (UTC)" if when else "Nothing was said."
    last = (f"Hash of the last record: {records[-1].hash}.",) if records else ()
    return Document(
        f"Minutes of the review of {name}",
        (span, f"{count_words(len(found), 'case')} judged, {count_words(len(records), 'record')}.", *last),
        (
            ReportPart("who", "Who", (_who(records),)),
            ReportPart("changes", "What changes", (_changes(found),)),
            ReportPart("disputes", "Disputes", _disputes(found)),
            ReportPart("agreement", "Agreement", _agreement(agreement(records))),
            ReportPart("models", "Models", (_models(records),)),
        ),
    )


def interval_words(found: AgreementMeasure) -> str:
    """Return a measure with its interval and the number of cases behind it.

    Examples
    --------
    >>> from proset.workspace.agreement import AgreementMeasure
    >>> interval_words(AgreementMeasure(0.51, (0.2, 0.81), 40)), interval_words(AgreementMeasure(None, None, 1))
    ('0.51 (0.20 to 0.81), n = 40', 'not defined, n = 1')
    >>> interval_words(AgreementMeasure(-0.07, None, 7))
    '−0.07, n = 7'
    """
    value = "not defined" if found.value is None else _decimals(found.value)
    ends = "" if found.interval is None else f" ({' to '.join(map(_decimals, found.interval))})"
    return f"{value}{ends}, n = {found.n:,}"


def agreement_facts(found: Agreement) -> tuple[tuple[str, str], ...]:
    """Return the measures of agreement with their names, in words.

    Examples
    --------
    >>> agreement_facts(agreement([]))[0]
    ('Same answer, mean over cases', 'not defined, n = 0')
    """
    kappas = ((f"Cohen's kappa, {_named(one)} and {_named(two)}", each) for (one, two), each in found.kappas.items())
    measures = (("Same answer, mean over cases", found.raw), ("Krippendorff's alpha", found.alpha), *kappas)
    return tuple((name, interval_words(measure)) for name, measure in measures)


def _who(records: Iterable[Record]) -> ReportTable | Words:
    """Say who has given how many verdicts of which kind, when."""
    by: dict[str, list[Record]] = {}
    for record in not_taken_back(records):
        by.setdefault(record.judgement.reviewer, []).append(record)
    if not by:
        return Words(("Nobody has said anything that stands.",))
    lines = []
    for name, said in sorted(by.items()):
        last = {one.judgement.row: one.judgement for one in said if not one.judgement.settles}
        counts = Counter(str(one.verdict) for one in last.values())
        times = [one.judgement.at for one in said]
        line = {"who": _named(name), "first": f"{min(times):{_MINUTE}}", "last": f"{max(times):{_MINUTE}}"}
        verdicts = {words: counts[verdict] for verdict, words in _COUNTED.items()}
        lines.append(line | verdicts | {"settled": sum(bool(one.judgement.settles) for one in said)})
    frame = pd.DataFrame(lines)
    empty = [name for name in (*_COUNTED.values(), "settled") if not frame[name].any()]
    return ReportTable(frame.drop(columns=empty), caption="The last word of each on a case; times are UTC.")


def _changes(found: dict[int, CaseOutcome]) -> ReportTable | Words:
    """Say which rows get another class or are faulty, by what holds."""
    lines = []
    for row, one in found.items():
        word = one.word
        if word is None or not (word.verdict is ReviewVerdict.FAULTY or (one.label and one.label != word.label)):
            continue
        why = "; ".join([*word.reasons, *([" / ".join(word.note.splitlines())] if word.note else [])])
        result = one.label or f"faulty{f': {word.cell}' if word.cell else ''}"
        by = ", ".join(map(_named, one.by))
        lines.append({"row": row, "in the table": word.label, "should be": result, "by": by, "why": why})
    if not lines:
        return Words(("No row gets another class or number, and none is faulty.",))
    rest = len(lines) - _MOST
    caption = f"{count_words(rest, 'row')} more: see the file of verdicts." if rest > 0 else ""
    frame = pd.DataFrame(lines[:_MOST])
    return ReportTable(frame if frame["why"].any() else frame.drop(columns="why"), caption=caption)


def _disputes(found: dict[int, CaseOutcome]) -> tuple[Words]:
    """Say on which rows people differ, and what was settled."""
    counts = Counter(one.state for one in found.values())
    n_open, n_settled = counts[OutcomeState.DISPUTED], counts[OutcomeState.SETTLED]
    if not n_open + n_settled:
        return (Words(("On no case do people differ.",)),)
    lines = [f"{n_open:,} open, {n_settled:,} settled."]
    told = [(row, one) for row, one in found.items() if one.state is not OutcomeState.AGREED]
    for row, one in sorted(told, key=lambda each: each[1].state is OutcomeState.SETTLED)[:_MOST]:
        said = "; ".join(f"{_named(w.judgement.reviewer)}: {meaning(w.judgement).words}" for w in one.words)
        if one.word is None:
            lines.append(f"Row {row}, open. {said}.")
            continue
        own = " (who is one of them)" if one.word.reviewer in {w.judgement.reviewer for w in one.words} else ""
        lines.append(f"Row {row}, settled by {_named(one.word.reviewer)}{own}: {meaning(one.word).words}. {said}.")
    if len(told) > _MOST:
        lines.append(f"{count_words(len(told) - _MOST, 'row')} more: see the file of verdicts.")
    return (Words(tuple(lines), as_list=True),)


def _agreement(found: Agreement) -> tuple[Words | Facts, ...]:
    """Say how far people agree on the cases that they share."""
    if not found.raw.n:
        return (Words(("No case was judged by two people.",)),)
    about = (
        "In brackets the middle 95 % over draws of the cases; n counts cases that both, or at least two, have judged."
    )
    return (Facts(agreement_facts(found)), Words((*([found.words] if found.words else []), about)))


def _models(records: Iterable[Record]) -> Words:
    """Say which models were looked at."""
    said = [record.judgement for record in records if record.judgement.model]
    counts = Counter(one.model for one in said)
    settings = {one.model: one.settings for one in said if one.settings}
    lines = [
        f"{model[:12]}: {count_words(count, 'record')}{f'; {settings[model]}' if model in settings else ''}"
        for model, count in counts.most_common(_MOST)
    ]
    return Words(tuple(lines) or ("No model was looked at.",), as_list=bool(lines))


def _decimals(value: float) -> str:
    """Return two decimals, without a minus before a zero."""
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def _named(name: str) -> str:
    """Return a name; one that is empty in words."""
    return name or _NOBODY
