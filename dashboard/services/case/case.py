"""One case in short, as the Case page says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.case.any_case import explain
from dashboard.services.cases import CaseRef, CaseSource
from proset.common.errors import StudyError
from proset.explain.familiar.case_standing import standing
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.find_row import identifier_text

if TYPE_CHECKING:
    from proset.study import Study

_PART_WORDS = {"train": "training row", "held_out": "held-out row", "unlabelled": "row without a target"}
_SOURCE_WORDS = {CaseSource.NEW: "new row", CaseSource.EDITED: "edited copy"}


@dataclass(frozen=True)
class Headline:
    """One case in a few words.

    Attributes
    ----------
    name : str
        Such as ``"Row 17"``, with the identifier's value where the table has one.
    part : str
        What the row was used for, in words.
    predicted : str
        The class that the decision rule says.
    confidence : float
        Its probability, in [0, 1].
    actual : str or None
        The class in the table; None if it is missing.
    correct : bool or None
        Whether the two agree; None without an actual class, or if a person decides.
    left : bool
        Whether the rule leaves the case to a person.
    quantile : float
        Familiarity: share of the held-out rows that are at most as familiar, in [0, 1].
    familiarity : str
        Whether prototypes speak for it and a known case is near, as a phrase.
    """

    name: str
    part: str
    predicted: str
    confidence: float
    actual: str | None
    correct: bool | None
    left: bool
    quantile: float
    familiarity: str


def headline(study: Study, case: CaseRef, judged: pd.DataFrame) -> Headline:
    """Sum up one case.

    Parameters
    ----------
    judged : DataFrame
        From :meth:`proset.study.Study.judged`.

    Raises
    ------
    StudyError
        If the table has no such row.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> lines = headline(study, CaseRef.in_table(1), study.judged())
    >>> lines.name, lines.actual, 0.0 <= lines.confidence <= 1.0
    ('Row 1', 'setosa', True)
    """
    if case.source is not CaseSource.TABLE or case.row not in judged.index:
        raise StudyError(f"The table has no {case.label.lower()}.", hint="Choose another case.")
    line = judged.loc[[case.row]].to_dict("records")[0]
    return Headline(
        name=case_name(study, case.row),
        part=_part_words(str(line["part"]), labelled=not pd.isna(line["actual"])),
        predicted=str(line["predicted"]),
        confidence=float(line["confidence"]),
        actual=None if pd.isna(line["actual"]) else str(line["actual"]),
        correct=None if pd.isna(line["correct"]) else bool(line["correct"]),
        left=bool(line["left"]),
        quantile=float(line["quantile"]),
        familiarity=standing(study, [case.row]).words(case.row).short,
    )


def any_headline(
    study: Study,
    case: CaseRef,
    judged: pd.DataFrame,
    others: Mapping[CaseSource, pd.DataFrame] | None = None,
    *,
    rule: DecisionRule = MOST_PROBABLE,
) -> Headline:
    """Sum up one case, wherever it comes from.

    Parameters
    ----------
    judged : DataFrame
        From :meth:`proset.study.Study.judged`.
    others : mapping of CaseSource to DataFrame, or None
        The rows of other sources than the table.

    Returns
    -------
    Headline
        As :func:`headline`.

    Raises
    ------
    StudyError
        If there is no such case.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> new = {CaseSource.NEW: study.table.frame.loc[[71]]}
    >>> lines = any_headline(study, CaseRef(CaseSource.NEW, 71), study.judged(), new)
    >>> lines.name, lines.part, lines.predicted == study.judged().loc[71, "predicted"]
    ('New row 71', 'new row', True)
    """
    if case.source is CaseSource.TABLE:
        return headline(study, case, judged)
    report = explain(study, case, others, rule=rule)
    return Headline(
        name=case.label,
        part=_SOURCE_WORDS[case.source],
        predicted=report.predicted,
        confidence=float(report.probabilities[report.predicted]),
        actual=report.actual,
        correct=None if report.actual is None or report.left else report.actual == report.predicted,
        left=report.left,
        quantile=report.quantile,
        familiarity=report.standing.short,
    )


def _part_words(part: str, *, labelled: bool) -> str:
    """Say what a row was used for; one with a class may be set aside because its time is missing."""
    return "row set aside" if part == "unlabelled" and labelled else _PART_WORDS[part]


def case_name(study: Study, row: int) -> str:
    """Name a row by its id and, where the table has an identifier, by that.

    Returns
    -------
    str
        Such as ``"Row 17 (patient A-3)"``.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> case_name(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")), 3)
    'Row 3'
    """
    column = study.roles.identifier
    if column is None:
        return f"Row {row}"
    value = identifier_text(study.table.frame[column]).loc[row]
    return f"Row {row}" if pd.isna(value) else f"Row {row} ({column} {value})"
