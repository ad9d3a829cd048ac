"""Reports as the Report page chooses them, and as files."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from dashboard.services.exports import file_stem, workbook_bytes
from dashboard.services.params import EnumParam, Param
from proset.explain.sheets.case_sheets import report_sheets
from proset.explain.sheets.model_sheets import model_sheets
from proset.report import case_report, model_report, part_titles, to_html

if TYPE_CHECKING:
    from dashboard.services.case.selected import CaseEvidence
    from proset.explain.slices.slice import Slice
    from proset.explain.study_only.stability_result import Stability
    from proset.report.document import Document
    from proset.study import DecisionRule, Study


class ReportSubject(StrEnum):
    """Subjects of a report."""

    MODEL = "model"
    CASE = "case"


ABOUT = EnumParam("about", ReportSubject.MODEL)
"""The subject that is chosen."""
PARTS = tuple({**part_titles(case=False), **part_titles(case=True)})
"""Names of the parts of both kinds."""


@dataclass(frozen=True)
class PartNames(Param[tuple[str, ...]]):
    """Names of parts, separated by commas.

    Examples
    --------
    >>> param = PartNames("without", ())
    >>> param.read("map,limits"), param.read("map,map"), param.read("nonsense"), param.write(("map", "data"))
    (('map', 'limits'), None, None, 'map,data')
    """

    def read(self, text: str) -> tuple[str, ...] | None:
        """Return the names, each once, all known."""
        names = tuple(text.split(",")) if text else ()
        return names if len(set(names)) == len(names) and set(names) <= set(PARTS) else None

    def write(self, value: tuple[str, ...]) -> str:
        """Return them with commas."""
        return ",".join(value)

    @property
    def allowed(self) -> str:
        """All of them."""
        return f"some of {', '.join(PARTS)}, separated by commas"


@dataclass(frozen=True, eq=False)
class Wish:
    """A report as it is wished for.

    Attributes
    ----------
    study : Study
        The model.
    rule : DecisionRule
        How cases are decided.
    stability : Stability or None
        If that was looked at.
    evidence : CaseEvidence or None
        The case; None for the model.
    chosen : Slice or None
        Rows whose quality a report on the model states beside that of all rows.
    """

    study: Study
    rule: DecisionRule
    stability: Stability | None = None
    evidence: CaseEvidence | None = None
    chosen: Slice | None = None

    @property
    def titles(self) -> dict[str, str]:
        """The parts that there are, with their headings."""
        titles = part_titles(case=self.evidence is not None)
        if self.evidence is None and self.stability is None:
            del titles["stability"]
        return titles

    @property
    def stem(self) -> str:
        """The name of its files, without the ending."""
        return file_stem(self.study.table.name, "report") if self.evidence is None else self.evidence.stem

    def document(self, parts: tuple[str, ...]) -> Document:
        """Return the report with these parts."""
        if self.evidence is None:
            return model_report(self.study, parts=parts, rule=self.rule, stability=self.stability, chosen=self.chosen)
        return case_report(self.evidence, parts=parts, stability=self.stability)

    def html(self, parts: tuple[str, ...]) -> bytes:
        """Return the report as a file."""
        return to_html(self.document(parts)).encode("utf-8")

    def workbook(self) -> bytes:
        """Return the workbook as a file."""
        if self.evidence is None:
            return workbook_bytes(
                model_sheets(self.study, rule=self.rule, stability=self.stability, chosen=self.chosen)
            )
        return workbook_bytes(report_sheets(self.evidence))
