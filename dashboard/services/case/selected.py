"""Evidence on the case that pages show."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import pandas as pd

from dashboard.services.case.case import SOURCE_WORDS, Headline, case_name, part_words
from dashboard.services.case.evidence import Side, sides
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.exports import file_stem
from dashboard.services.references import POINT
from proset.common.lazy import lazy_property
from proset.explain.cases.flip import smallest_flip
from proset.explain.cases.near_cases import NearestCases, nearest_cases
from proset.explain.evidence import Evidence, Keep, compute_now
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.guidance import GuidanceKind

if TYPE_CHECKING:
    from dashboard.services.references import Reference
    from proset.explain.attribution.shapley import ShapValues
    from proset.explain.cases.case import CaseReport
    from proset.explain.cases.flips import SmallestFlip
    from proset.study import Study

T = TypeVar("T")
N_NEAREST = 20
"""Known cases of each class that are looked up."""


class CaseEvidence(Evidence):
    """Evidence on a case of a study, with its address and names for its files.

    Parameters
    ----------
    ref : CaseRef
        Address of the case.
    others : mapping of CaseSource to DataFrame, or None
        Rows of other sources than the table, index row id.
    against : callable or None
        Returns the reference when it is needed; None for the reference point.
    rule, keep
        As :class:`~proset.explain.evidence.Evidence` takes them.

    Raises
    ------
    StudyError
        If there is no such case.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = CaseEvidence(study, CaseRef.in_table(17))
    >>> found.stem, found.headline.name
    ('iris_2f-row-17', 'Row 17')
    """

    def __init__(
        self,
        study: Study,
        ref: CaseRef,
        others: Mapping[CaseSource, pd.DataFrame] | None = None,
        *,
        against: Callable[[], Reference] | None = None,
        rule: DecisionRule = MOST_PROBABLE,
        keep: Keep = compute_now,
    ) -> None:
        super().__init__(ref.open(study, others), rule=rule, keep=keep, reference=against)
        self.ref = ref

    def kept(self, name: str, compute: Callable[[], T], *depends: Hashable) -> T:
        """Return ``compute()``, computed once for this case, what is decided of it, and what else it depends on."""
        return self._keep(name, compute, self.case, self.rule, *depends)

    def flip_of(self, frame: pd.DataFrame, changes: Hashable) -> SmallestFlip:
        """Return what would change the answer for the case with other values; `changes` tell them apart."""

        def found() -> SmallestFlip:
            return smallest_flip(self.study, self.study.case(frame), rule=self.rule, ranges=self.ranges)

        return self.kept("flip of a copy", found, changes)

    @lazy_property
    def neighbours(self) -> NearestCases:
        """The :data:`N_NEAREST` nearest known cases of each class."""
        return self._keep("neighbours", lambda: nearest_cases(self.study, self.case, n_cases=N_NEAREST), self.case)

    @lazy_property
    def nearest(self) -> NearestCases:
        """The three nearest known cases of each class."""
        return self.neighbours.first(3)

    @lazy_property
    def sides(self) -> tuple[Side, ...]:
        """Prototypes of the case by class."""
        return sides(self.report)

    @lazy_property
    def listed(self) -> CaseReport:
        """The report with the short names of its prototypes, by which the lists of the pages call them."""
        full = self.report.report
        names = [
            name if pd.isna(batch) else self.study.short_name(str(name), int(row))
            for name, batch, row in zip(full["sample name"], full["batch"], full["sample"], strict=True)
        ]
        return replace(self.report, report=full.assign(**{"sample name": names}))

    @lazy_property
    def headline(self) -> Headline:
        """The case in a few words."""
        study, report, row = self.study, self.report, self.case.row
        # A row evaluated alone differs in the last digit; lists and pages say the same of it.
        shares = report.probabilities if row is None else study.probabilities.loc[[row]].iloc[0]
        part = SOURCE_WORDS.get(self.ref.source) or part_words(
            report.part,
            labelled=report.actual is not None,
            left_out=row in study.guidance.rows_of(GuidanceKind.LEAVE_OUT),
        )
        return Headline(
            name=self.ref.label if row is None else case_name(study, row),
            part=part,
            predicted=report.predicted,
            confidence=float(shares[report.predicted]),
            actual=report.actual,
            correct=None if report.actual is None or report.left else report.actual == report.predicted,
            left=report.left,
            quantile=report.quantile,
            familiarity=report.standing.short,
        )

    @property
    def usual_reference(self) -> str:
        """Name of what the case is compared with at first: of a wrong one, the typical case of its own class."""
        actual = self.report.actual
        return POINT if actual in (None, self.report.predicted) else f"class-{self.study.classes.index(actual)}"

    @property
    def stem(self) -> str:
        """The beginning of the names of its files."""
        return file_stem(self.study.table.name, self.ref.label.lower().replace(" ", "-"))


def how_words(found: ShapValues) -> str:
    """Say how SHAP values were computed, and how far off they may be.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> how_words(SimpleNamespace(exact=np.array([True]), evaluations=np.array([64])))
    'Exact: the model was evaluated for all 64 combinations of columns.'
    """
    most = int(found.evaluations.max(initial=1))
    if found.exact.all():
        return f"Exact: the model was evaluated for all {most:,} combinations of columns."
    error = 100.0 * float(found.standard_error.max(initial=0.0))
    return (
        f"Estimated from {most:,} evaluations of the model along random orders of the columns: "
        f"a value may be off by about {max(error, 0.01):.2g} percentage points. The sum is exact."
    )
