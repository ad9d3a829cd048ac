"""Quality of the more and the less familiar half of the estimates (table 4.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.notebook import DisplayedFrame
from proset.engine.metrics import evaluate
from proset.explain.judged.judged_cases import JudgedCases, judge_cases
from proset.explain.plain_values import plain_columns, plain_fields
from proset.explain.subject import Cases, Explained
from proset.study.decision import MOST_PROBABLE, DecisionRule


@dataclass(frozen=True, eq=False)
class FamiliarityHalves(DisplayedFrame):
    """Quality of the estimates for all cases, for the more and for the less familiar half.

    Attributes
    ----------
    frame : DataFrame
        Index "overall", "high" and "low" familiarity, then further groups; columns ``cases``, ``log_loss``,
        ``roc_auc``, ``balanced_accuracy``, ``accuracy``. NaN where a measure is not defined.
    border : float
        Familiarity of the least familiar case of the more familiar half.
    """

    frame: pd.DataFrame
    border: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        columns = plain_columns(self.frame)
        return {"part": self.frame.index.tolist(), **columns, **plain_fields(self, "border")}


def familiarity_halves(
    explained: Explained,
    cases: Cases | None = None,
    y: ArrayLike | None = None,
    *,
    groups: ArrayLike | None = None,
    rule: DecisionRule = MOST_PROBABLE,
) -> FamiliarityHalves:
    """Measure the more and the less familiar half of some cases (table 4.1).

    Parameters
    ----------
    cases : array-like of shape (n, D), row ids or None
        Beside a model: a matrix. Beside a study: row ids; None for the held-out rows, or the training rows if none were
        held out.
    groups : array-like of shape (n,) or None
        Further groups to measure, such as "easy" and "hard".

    Returns
    -------
    FamiliarityHalves
        Of an odd number of cases, the one in the middle is in the less familiar half; of equally familiar ones, the
        first in order counts as more familiar.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> halves = familiarity_halves(fit_sample("iris_2f")).to_frame()
    >>> halves["cases"].to_dict()
    {'overall': 45, 'high': 22, 'low': 23}
    """
    found = judge_cases(explained, cases, y, rule)
    known = np.flatnonzero(found.actual >= 0)
    order = known[np.argsort(-found.familiarity[known], kind="stable")]
    half = len(order) // 2
    parts = {"overall": order, "high": order[:half], "low": order[half:]}
    if groups is not None:
        names = np.asarray(groups).astype(str)
        if names.shape != found.actual.shape:
            raise ValueError(f"groups has the shape {names.shape}, but there are {len(found.actual):,} rows.")
        parts |= {str(name): known[names[known] == name] for name in dict.fromkeys(names.tolist())}
    frame = pd.DataFrame([_quality(found, rows) for rows in parts.values()], index=pd.Index(parts, name="part"))
    return FamiliarityHalves(frame, float(found.familiarity[order[half - 1]]) if half else float("nan"))


def _quality(found: JudgedCases, rows: NDArray[np.int64]) -> dict[str, float]:
    """Return the measures of table 4.1; balanced accuracy and accuracy of what the rule says."""
    actual, marginals = found.actual[rows], found.subject.manager.marginals
    metrics = evaluate(actual, found.probabilities[rows], classes=found.subject.classes, marginals=marginals)
    right = actual == found.predicted[rows]
    by_class = [right[actual == k].mean() for k in np.unique(actual)]
    return {
        "cases": len(right),
        "log_loss": metrics.log_loss,
        "roc_auc": metrics.roc_auc,
        "balanced_accuracy": float(np.mean(by_class)) if by_class else float("nan"),
        "accuracy": float(right.mean()) if len(right) else float("nan"),
    }
