"""An estimate for one case in short, and what a decision rule makes of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from proset.common.notebook import Displayed
from proset.engine.evidence.contributions import Contributions, contributions
from proset.engine.evidence.familiarity import familiarity_quantile, quantile_reference
from proset.explain.subject import Subject
from proset.study.case import Case
from proset.study.decision import DecisionRule
from proset.study.new_rows import row_notes


@dataclass(frozen=True, eq=False)
class CaseEstimate(Displayed):
    """An estimate for one case.

    Attributes
    ----------
    probabilities : Series
        Estimated probabilities, index class, summing to one.
    predicted : str
        Class that the decision rule says.
    left : bool
        Whether the rule leaves the case to a person.
    familiarity, quantile : float
        Total impact of the prototypes, at least 0, and the share of held-out rows (of the known rows beside a model)
        that are at most as familiar; NaN where a model has no known rows.
    note : str
        Values that had to be assumed; empty if none.
    """

    probabilities: pd.Series
    predicted: str
    left: bool
    familiarity: float
    quantile: float
    note: str


def estimate_of(subject: Subject, case: Case, rule: DecisionRule) -> tuple[CaseEstimate, Contributions]:
    """Return the estimate for a case, and the contributions that it is the sum of.

    Examples
    --------
    >>> from proset.explain.subject import subject_of
    >>> from proset.study import DecisionRule, fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found, parts = estimate_of(subject_of(study), study.case(1), DecisionRule())
    >>> found.predicted, bool(np.isclose(parts.familiarity, found.familiarity))
    ('setosa', True)
    """
    parts = contributions(subject.manager, case.x)
    familiarity, quantile, note = parts.familiarity, float("nan"), ""
    if subject.study is not None:
        note = str(row_notes(subject.study.design, case.encoded, case.frame, only=subject.study.used_columns).iloc[0])
    if subject.study is not None and case.row is not None:
        # Taken from the study, not computed anew: a row evaluated alone differs in the last digit, which is enough to
        # fall behind itself among the held-out rows.
        familiarity, quantile = map(float, subject.study.predictions.loc[case.row, ["familiarity", "quantile"]])
    elif subject.study is not None or case.known is not None:
        quantile = float(familiarity_quantile([familiarity], _reference(subject, case))[0])
    return CaseEstimate(
        probabilities=pd.Series(parts.probabilities, index=pd.Index(subject.classes, dtype="str"), name="probability"),
        predicted=subject.classes[int(rule.choose(parts.probabilities[None, :])[0])],
        left=bool(rule.leaves([quantile])[0]),
        familiarity=familiarity,
        quantile=quantile,
        note=note,
    ), parts


def _reference(subject: Subject, case: Case) -> np.ndarray:
    """Return the familiarity of the rows that quantiles refer to."""
    if subject.study is not None:
        return subject.study.reference
    assert case.known is not None
    return quantile_reference(subject.manager.familiarity(np.asarray(case.known.X)))
