"""A case wherever it comes from: the table, new data, or an edited copy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.cases import CaseRef, CaseSource
from proset.common.errors import StudyError
from proset.explain.cases.case import explain_case, explain_frame
from proset.study.decision import MOST_PROBABLE, DecisionRule

if TYPE_CHECKING:
    from proset.explain.cases.case import CaseReport
    from proset.study import Study


def explain(
    study: Study,
    case: CaseRef,
    others: Mapping[CaseSource, pd.DataFrame] | None = None,
    *,
    rule: DecisionRule = MOST_PROBABLE,
) -> CaseReport:
    """Explain a case, wherever it comes from.

    Parameters
    ----------
    others : mapping of CaseSource to DataFrame, or None
        The rows of other sources than the table, index row id.

    Raises
    ------
    StudyError
        If there is no such case.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> explain(study, CaseRef.in_table(17)).name
    'row 17'
    """
    if case.source is CaseSource.TABLE:
        return explain_case(study, case.row, rule=rule)
    return explain_frame(study, case_frame(study, case, others), name=case.label.lower(), rule=rule)


def case_frame(study: Study, case: CaseRef, others: Mapping[CaseSource, pd.DataFrame] | None = None) -> pd.DataFrame:
    """Return a case as a frame of one row, wherever it comes from.

    Raises
    ------
    StudyError
        If there is no such case.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> case_frame(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")), CaseRef.in_table(17)).shape
    (1, 3)
    """
    frame = study.table.frame if case.source is CaseSource.TABLE else (others or {}).get(case.source)
    if frame is None or case.row not in frame.index:
        raise StudyError(f"There is no {case.label.lower()}.", hint="Choose another case.")
    row = frame.loc[[case.row]]
    return row if case.source is CaseSource.TABLE else row.infer_objects()
