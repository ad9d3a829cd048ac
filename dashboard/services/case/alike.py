"""Columns in which a case and the prototypes beside it are alike, and cases and one prototype are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proset import explain

if TYPE_CHECKING:
    from dashboard.services.case.selected import CaseEvidence
    from proset.study import Study

_MOST_NAMED = 3


def alike_marks(evidence: CaseEvidence) -> frozenset[tuple[int, str]]:
    """Return the row of a leading prototype and the column, wherever it is alike to the case and that counts.

    Examples
    --------
    >>> from dashboard.services.case.selected import CaseEvidence
    >>> from dashboard.services.cases import CaseRef
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> evidence = CaseEvidence(study, CaseRef.in_table(16))
    >>> {row for row, _ in alike_marks(evidence)} <= {side.voices[0].row for side in evidence.sides if side.voices}
    True
    """
    classes = (evidence.contradictions.said, evidence.contradictions.other)
    leads = [side.voices[0] for side in evidence.sides if side.label in classes and side.voices]
    found = {
        (lead.row, column)
        for lead in leads
        if lead.row != evidence.case.row
        for column in explain.where_alike(evidence.study, lead.batch, lead.row, evidence.case).columns()[0]
    }
    return frozenset(found)


def alike_words(study: Study, batch: int, row: int, cases: tuple[int, ...]) -> list[str]:
    """Name the columns in which each case and a prototype are alike where it counts, those first where few are."""
    found = explain.where_alike(study, batch, row, cases).columns()
    return [_some(columns) for columns in found]


def _some(columns: tuple[str, ...]) -> str:
    """Name the first of some columns, and say how many more there are."""
    left = len(columns) - _MOST_NAMED
    named = ", ".join(columns[:_MOST_NAMED])
    return f"{named} and {left:,} more" if left > 0 else named
