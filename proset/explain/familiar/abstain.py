"""Quality of the estimates that remain when doubtful cases are left to a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.notebook import DisplayedFrame
from proset.common.spread import spread_out
from proset.engine.metrics import losses_of
from proset.explain.familiar.novel import novelty
from proset.explain.judged.judged_cases import JudgedCases, judge_cases
from proset.explain.plain_values import plain_columns
from proset.explain.subject import Cases, Explained
from proset.selection.matrices import named_as
from proset.study import Study
from proset.study.decision import MOST_PROBABLE, DecisionRule

FAMILIARITY, CONFIDENCE, NOVELTY, NOVELTY_ALL = "familiarity", "confidence", "novelty", "novelty_all"
ORDERS = (FAMILIARITY, CONFIDENCE, NOVELTY, NOVELTY_ALL)
"""By what cases can be ordered: how familiar they are, how probable their class, how near the nearest known case is in
the model's metric, and in that of all features."""
_POINTS = 200


@dataclass(frozen=True, eq=False)
class Abstention(DisplayedFrame):
    """Quality of what is answered, by the share of cases that is.

    Attributes
    ----------
    by : str
        What decides who goes to a person first: "familiarity", "confidence", "novelty" or "novelty_all".
    frame : DataFrame
        ``share`` (of the cases answered, rising to 1), ``cases``, ``accuracy``, ``log_loss``, ``errors`` (among those
        answered), ``threshold`` (value of the last case that is answered).
    """

    by: str
    frame: pd.DataFrame

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {"by": self.by, **plain_columns(self.frame)}

    def at(self, share: float) -> pd.Series:
        """Return the line that answers the smallest share of cases that is at least this."""
        later = self.frame[self.frame["share"] >= share - 1e-12]
        return (later if len(later) else self.frame.tail(1)).iloc[0]


def abstention(
    explained: Explained,
    cases: Cases | None = None,
    y: ArrayLike | None = None,
    *,
    by: str = FAMILIARITY,
    known: ArrayLike | None = None,
    rule: DecisionRule = MOST_PROBABLE,
) -> Abstention:
    """Measure the estimates that remain when a share of the cases is left to a person.

    Parameters
    ----------
    cases : array-like of shape (n, D), row ids or None
        Beside a model: a matrix. Beside a study: row ids; None for the held-out rows, or the training rows if none were
        held out.
    by : {"familiarity", "confidence", "novelty", "novelty_all"}
        Which cases are left to a person first: the least familiar, those with the least probable class, or those
        farthest from known cases in the model's metric or in that of all features.
    known : array-like of shape (m, D) or None
        Beside a model, for novelty: what it was fitted to.

    Returns
    -------
    Abstention
        Cases that tie are answered together. Without cases the frame is empty.

    Raises
    ------
    ValueError
        If there is no such order, or a model alone is asked for novelty without known cases.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> curve = abstention(fit_sample("iris_2f"))
    >>> int(curve.at(0.5)["cases"]), float(curve.at(1.0)["share"])
    (23, 1.0)
    """
    if by not in ORDERS:
        raise ValueError(f"Cases are ordered by one of {', '.join(ORDERS)}, not by '{by}'.")
    found = judge_cases(explained, cases, y, rule)
    values = _values(explained, found, by, known)
    with_class = np.flatnonzero(found.actual >= 0)
    order = with_class[np.argsort(-values[with_class], kind="stable")]
    ranked = values[order]
    right = (found.actual == found.predicted)[order]
    of_actual = found.probabilities[order, found.actual[order]]
    losses = losses_of(of_actual)
    count = np.arange(1, len(order) + 1)
    ends = np.flatnonzero(np.append(ranked[1:] < ranked[:-1], True)) if len(order) else np.zeros(0, dtype=np.int64)
    ends = spread_out(ends, _POINTS)
    frame = pd.DataFrame(
        {
            "share": count / max(1, len(order)),
            "cases": count,
            "accuracy": np.cumsum(right) / count,
            "log_loss": np.cumsum(losses) / count,
            "errors": np.cumsum(~right),
            "threshold": ranked,
        }
    )
    return Abstention(by, frame.iloc[ends].reset_index(drop=True))


def _values(explained: Explained, found: JudgedCases, by: str, known: ArrayLike | None) -> NDArray[np.float64]:
    """Return by what cases are ordered, low for those that a person would look at first."""
    if by == FAMILIARITY:
        return found.familiarity
    if by == CONFIDENCE:
        result: NDArray[np.float64] = found.probabilities[np.arange(len(found)), found.predicted]
        return result
    same = found.matrix.index if isinstance(explained, Study) else named_as(explained, found.matrix.X)
    near = novelty(explained, same, known=known)
    return near.similarity if by == NOVELTY else near.similarity_all
