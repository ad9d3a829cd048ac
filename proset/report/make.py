"""Makes a report on a model or on one case from the parts that are asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from proset.common.errors import StudyError
from proset.common.words import listed, shown
from proset.explain.cases.known_rows import NEW
from proset.report.case_parts import CASE_PARTS, AboutCase, case_part
from proset.report.document import Document
from proset.report.model_parts import MODEL_PARTS, ReportedModel, model_part
from proset.report.number_case_parts import NUMBER_CASE_PARTS, AboutNumberCase, number_case_part
from proset.report.number_parts import NUMBER_PARTS, number_part
from proset.study.decision import MOST_PROBABLE, DecisionRule

if TYPE_CHECKING:
    from proset.explain.cases.case import CaseReport
    from proset.explain.evidence import Evidence
    from proset.explain.slices.slice import Slice
    from proset.explain.study_only.stability_result import Stability
    from proset.study import NumberStudy, Study
    from proset.study.any_study import AnyStudy
    from proset.study.case import Case


def part_titles(*, case: bool, number: bool = False) -> dict[str, str]:
    """Return the names of all parts with their headings, in order.

    Parameters
    ----------
    case : bool
        Of a report on a case; else of one on a model.
    number : bool
        Of a model of a number.

    Examples
    --------
    >>> list(part_titles(case=True))[:2]
    ['verdict', 'evidence']
    """
    if number:
        return {name: title for name, (title, _) in (NUMBER_CASE_PARTS if case else NUMBER_PARTS).items()}
    return {name: title for name, (title, _) in (CASE_PARTS if case else MODEL_PARTS).items()}


def model_report(
    study: Study,
    *,
    parts: Sequence[str] | None = None,
    rule: DecisionRule = MOST_PROBABLE,
    stability: Stability | None = None,
    chosen: Slice | None = None,
) -> Document:
    """Make a report on a model.

    Parameters
    ----------
    parts : sequence of str or None
        Names of :func:`part_titles`; None for all, but for stability where that was not looked at.
    stability : Stability or None
        From :func:`proset.explain.stability`.
    chosen : Slice or None
        Rows whose quality is stated beside that of all rows.

    Returns
    -------
    Document
        The parts in the order of the report, whatever the order of `parts`.

    Raises
    ------
    StudyError
        If there is no such part.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> [part.name for part in model_report(study, parts=["limits", "summary"]).parts]
    ['summary', 'limits']
    """
    usual = [name for name in MODEL_PARTS if name != "stability" or stability is not None]
    wanted = _wanted(parts, MODEL_PARTS, usual)
    about = ReportedModel(study, rule, stability, chosen)
    title = f"Model of '{shown(study.roles.target)}' from {shown(study.table.name)}"
    return Document(title, _lead(study), tuple(model_part(name, about) for name in wanted))


def number_report(study: NumberStudy, *, parts: Sequence[str] | None = None) -> Document:
    """Make a report on a model of a number.

    Parameters
    ----------
    parts : sequence of str or None
        Names of :func:`part_titles`; None for all.

    Returns
    -------
    Document
        The parts in the order of the report, whatever the order of `parts`.

    Raises
    ------
    StudyError
        If there is no such part.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> number_report(fit_sample("cars", n_iter=1)).title
    "Model of 'fuel economy (miles per gallon)' from cars.csv"
    """
    wanted = _wanted(parts, NUMBER_PARTS, list(NUMBER_PARTS))
    title = f"Model of '{shown(str(study.roles.target))}' from {shown(study.table.name)}"
    return Document(title, _lead(study), tuple(number_part(name, study) for name in wanted))


def number_case_report(study: NumberStudy, case: Case, *, parts: Sequence[str] | None = None) -> Document:
    """Make a report on one case of a model of a number.

    Parameters
    ----------
    case : Case
        From ``study.case``.
    parts : sequence of str or None
        Names of :func:`part_titles`; None for all.

    Raises
    ------
    StudyError
        If there is no such part.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> number_case_report(study, study.case(31), parts=["verdict"]).title.split(",")[0][:32]
    'Row 31 of cars.csv: fuel economy'
    """
    wanted = _wanted(parts, NUMBER_CASE_PARTS, list(NUMBER_CASE_PARTS))
    about = AboutNumberCase(study, case)
    where = "new data" if case.row is None else shown(study.table.name)
    title = f"{_name(case)} of {where}: {about.said}"
    return Document(title, _lead(study), tuple(number_case_part(name, about) for name in wanted))


def case_report(
    evidence: Evidence, *, parts: Sequence[str] | None = None, stability: Stability | None = None
) -> Document:
    """Make a report on one case.

    Parameters
    ----------
    evidence : Evidence
        The case of a study, such as ``Evidence(study.case(17))``; only what the parts need is computed.
    parts : sequence of str or None
        Names of :func:`part_titles`; None for all.
    stability : Stability or None
        From :func:`proset.explain.stability`.

    Raises
    ------
    StudyError
        If there is no such part.
    TypeError
        If it is the case of a model alone.

    Examples
    --------
    >>> from proset.explain import Evidence
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> case_report(Evidence(study.case(17)), parts=["verdict"]).title
    'Row 17 of iris_2f.csv: setosa'
    """
    wanted = _wanted(parts, CASE_PARTS, list(CASE_PARTS))
    study, explained = evidence.study, evidence.report
    about = AboutCase(evidence, stability)
    said = "left to a person" if explained.left else explained.predicted
    where = "new data" if explained.part == NEW else shown(study.table.name)
    stated = explained.actual
    apart = "" if stated is None or stated == explained.predicted else f", actually {shown(stated)}"
    title = f"{_name(explained)} of {where}: {shown(said)}{apart}"
    return Document(title, _lead(study), tuple(case_part(name, about) for name in wanted))


def _name(case: Case | CaseReport) -> str:
    """Return the name of a case at the beginning of a title; what an identifier says stays as it is."""
    return f"Row {case.row}" if case.name == f"row {case.row}" else shown(case.name)


def _wanted(parts: Sequence[str] | None, known: Collection[str], usual: list[str]) -> list[str]:
    """Return the parts that are asked for, in their order."""
    if parts is None:
        return usual
    unknown = [name for name in parts if name not in known]
    if unknown:
        raise StudyError(f"There is no part {listed(unknown)} in this report.", hint=f"Parts: {', '.join(known)}.")
    return [name for name in known if name in parts]


def _lead(study: AnyStudy) -> tuple[str, ...]:
    """Say what the report is of, and when it was written."""
    made = study.provenance.created.replace("T", " ").removesuffix("+00:00")
    written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    return (
        f"Model {study.id[:12]}, fitted {made} UTC; data with the fingerprint {study.table.fingerprint[:12]}.",
        f"Written {written} UTC by proset.",
    )
