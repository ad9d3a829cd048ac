"""All evidence on one case in one place: what a report and a workbook are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from proset.common.frames import beside
from proset.explain.attribution.familiarity_attribution import FamiliarityAttribution, attribute_familiarity
from proset.explain.attribution.reference import ReferencePoint, choose_reference_point
from proset.explain.attribution.shapley import ShapValues, shap_values
from proset.explain.cases.case import CaseReport, explain_case, explain_frame
from proset.explain.cases.near_cases import NearestCases, nearest_cases
from proset.explain.cases.places import ValuePlaces, value_places
from proset.explain.familiar.novel import encode_new
from proset.study.decision import MOST_PROBABLE, DecisionRule

if TYPE_CHECKING:
    from proset.study import Study

EXACT_UP_TO = 14
"""Columns in use up to which SHAP values of one case are exact."""


@dataclass(frozen=True, eq=False)
class CaseEvidence:
    """One case with everything that speaks for or against its estimate.

    Attributes
    ----------
    case : CaseReport
        Estimate, prototypes and sums.
    nearest : NearestCases
        The nearest known cases of each class.
    places : ValuePlaces
        Each value's place in the distribution of each class.
    shap : ShapValues
        Of this case alone, against `reference`.
    familiarity : FamiliarityAttribution
        Which columns make the case more or less familiar than `reference`.
    reference : ReferencePoint
        The row of the table that the case is compared with.
    cells : DataFrame
        Index: the columns in use; columns ``here`` and ``reference``: what the table says of both.
    """

    case: CaseReport
    nearest: NearestCases
    places: ValuePlaces
    shap: ShapValues
    familiarity: FamiliarityAttribution
    reference: ReferencePoint
    cells: pd.DataFrame

    def shap_frame(self) -> pd.DataFrame:
        """Return the SHAP values of the columns in use, those that count most first.

        Returns
        -------
        DataFrame
            Columns ``column``, then one per class: what the column adds to its probability, compared with the
            reference. The first line is the reference's estimate, the last one that of the case: the sum of all others.
        """
        values = self.shap.values[0]
        used = np.flatnonzero(np.abs(values).sum(axis=1) > 0.0)
        order = used[np.argsort(-np.abs(values[used]).max(axis=1, initial=0.0), kind="stable")]
        lines = np.vstack([self.shap.base_values, values[order], self.shap.estimates[0]])
        names = [
            f"estimate for {self._reference_name}",
            *(self.shap.features[j] for j in order),
            "estimate for the case",
        ]
        own = pd.DataFrame({"column": pd.array(names, dtype="str")})
        return beside(own, pd.DataFrame(lines, columns=list(self.shap.classes)), word="class")

    def familiarity_frame(self) -> pd.DataFrame:
        """Return what each column adds to the familiarity, compared with the reference, like :meth:`shap_frame`."""
        values = self.familiarity.values[0]
        used = np.flatnonzero(values != 0.0)
        order = used[np.argsort(-np.abs(values[used]), kind="stable")]
        names = [
            f"familiarity of {self._reference_name}",
            *(self.familiarity.features[j] for j in order),
            "familiarity of the case",
        ]
        adds = [self.familiarity.base, *values[order].tolist(), float(self.familiarity.familiarity[0])]
        return pd.DataFrame({"column": pd.array(names, dtype="str"), "adds": adds})

    @property
    def _reference_name(self) -> str:
        """How the reference is called."""
        return f"the reference, row {self.reference.index}"


def gather_evidence(study: Study, case: int | pd.DataFrame, *, rule: DecisionRule = MOST_PROBABLE) -> CaseEvidence:
    """Explain one case in every way there is.

    Parameters
    ----------
    study : Study
        A fitted study.
    case : int or DataFrame
        A row id of the table, or one new row with the columns that the model uses.
    rule : DecisionRule
        How the case is decided.

    Returns
    -------
    CaseEvidence

    Raises
    ------
    StudyError
        If the table has no such row, or the frame has not one row.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> found = gather_evidence(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")), 71)
    >>> frame = found.shap_frame()
    >>> bool(np.allclose(frame.iloc[:-1, 1:].sum(), frame.iloc[-1, 1:].astype(float)))
    True
    """
    matrix: Any
    if isinstance(case, pd.DataFrame):
        explained, matrix = explain_frame(study, case, rule=rule), encode_new(study, case)[0].astype(np.float64)
    else:
        explained, matrix = explain_case(study, int(case), rule=rule), [int(case)]
    reference = choose_reference_point(study)
    return CaseEvidence(
        case=explained,
        nearest=nearest_cases(study, case),
        places=value_places(study, case),
        shap=shap_values(study, matrix, reference, exact_up_to=EXACT_UP_TO),
        familiarity=attribute_familiarity(study, matrix, reference),
        reference=reference,
        cells=_cells(study, case, int(reference.index)),
    )


def _cells(study: Study, case: int | pd.DataFrame, reference: int) -> pd.DataFrame:
    """Return the values of the case and of the reference in the columns in use."""
    frame = study.prepared(case) if isinstance(case, pd.DataFrame) else study.table.frame.loc[[int(case)]]
    names = list(study.used_columns)
    here = [frame[name].iloc[0] for name in names]
    there = [study.table.frame.loc[reference, name] for name in names]
    return pd.DataFrame(
        {"here": here, "reference": there}, index=pd.Index(names, name="column", dtype="str"), dtype=object
    )
