"""Cases with what the model says of them and what they are: what halves and abstention curves are made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.engine.model import ClassifierModel
from proset.explain.novel import novelty
from proset.explain.subject import Cases, Explained, matrix_of
from proset.study import Study
from proset.study.decision import MOST_PROBABLE, DecisionRule

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JudgedCases:
    """Cases with a known class.

    Attributes
    ----------
    index : Index of length n
        Row ids, or what the matrix had for an index.
    actual, predicted : ndarray of int64, shape (n,)
        Positions of the classes.
    probabilities : ndarray of shape (n, K)
        Estimates.
    familiarity : ndarray of shape (n,)
        Total impact of the prototypes (4.5).
    marginals : ndarray of shape (K,)
        Share of each class among the training rows.
    classes : tuple of str
        All classes.
    """

    index: pd.Index
    actual: NDArray[np.int64]
    predicted: NDArray[np.int64]
    probabilities: FloatArray
    familiarity: FloatArray
    marginals: FloatArray
    classes: tuple[str, ...]

    def take(self, rows: NDArray[np.int64]) -> JudgedCases:
        """Return some of the cases, by position."""
        return JudgedCases(
            self.index[rows],
            self.actual[rows],
            self.predicted[rows],
            self.probabilities[rows],
            self.familiarity[rows],
            self.marginals,
            self.classes,
        )


def judged_cases(
    explained: Explained, cases: Cases | None, labels: ArrayLike | None, rule: DecisionRule = MOST_PROBABLE
) -> JudgedCases:
    """Collect cases with a known class.

    Parameters
    ----------
    explained : ClassifierModel or Study
        A fitted model.
    cases : array-like of shape (n, D), row ids or None
        Beside a model: a matrix. Beside a study: row ids, of which those without a known class are left out; None for
        the held-out rows, or the training rows if none were held out.
    labels : array-like of shape (n,) or None
        Beside a model: the actual classes.
    rule : DecisionRule
        How classes are chosen; whether it leaves cases to a person does not matter here.

    Raises
    ------
    ValueError
        If a model gets no labels, or labels that it does not know.
    """
    if isinstance(explained, Study):
        return _of_study(explained, cases, rule)
    if labels is None:
        raise ValueError("A model alone does not know the classes of cases: pass them as 'labels'.")
    matrix = matrix_of(explained, cases)
    names = tuple(map(str, explained.classes_))
    actual = pd.Index(names).get_indexer(pd.Index(np.asarray(labels).astype(str)))
    if (actual < 0).any() or len(actual) != len(matrix.X):
        raise ValueError("Labels have to be classes of the model, one for each row.")
    return _collect(explained, matrix.index, matrix.X, actual, rule)


def _of_study(study: Study, cases: Cases | None, rule: DecisionRule) -> JudgedCases:
    """Collect rows of the table."""
    usual = study.split.held_out if len(study.split.held_out) else study.split.train
    rows = pd.Index(usual if cases is None else np.fromiter(cases, dtype=np.int64), name="row")  # type: ignore[arg-type]
    X = study.encode(rows).X
    actual = pd.Index(study.classes).get_indexer(pd.Index(study.labels.loc[rows]))
    known = np.flatnonzero(actual >= 0)
    return _collect(study.model, rows[known], X[known], actual[known], rule)


def _collect(
    model: ClassifierModel, index: pd.Index, X: NDArray[np.floating], actual: NDArray[np.intp], rule: DecisionRule
) -> JudgedCases:
    """Evaluate the model."""
    # Scoring as scikit-learn does it refuses to score nothing.
    empty = np.zeros((0, len(model.classes_))), np.zeros(0)
    probabilities, familiarity = model.predict_with_familiarity(X) if len(X) else empty
    names = tuple(map(str, model.classes_))
    predicted = np.asarray(rule.choose(probabilities), dtype=np.int64)
    marginals = model.set_manager_.marginals
    return JudgedCases(index, actual.astype(np.int64), predicted, probabilities, familiarity, marginals, names)


FAMILIARITY, CONFIDENCE, NOVELTY, NOVELTY_ALL = "familiarity", "confidence", "novelty", "novelty_all"
ORDERS = (FAMILIARITY, CONFIDENCE, NOVELTY, NOVELTY_ALL)
"""By what cases can be ordered: how familiar they are, how probable their class, how near the nearest known case is in
the model's metric, and in that of all features."""


def order_values(
    explained: Explained, found: JudgedCases, by: str, X: Cases | None, known: ArrayLike | None
) -> FloatArray:
    """Return by what cases are ordered, low for those that a person would look at first.

    Raises
    ------
    ValueError
        If there is no such order, or a model alone is asked for novelty without known cases.
    """
    if by not in ORDERS:
        raise ValueError(f"Cases are ordered by one of {', '.join(ORDERS)}, not by '{by}'.")
    if by == FAMILIARITY:
        return found.familiarity
    if by == CONFIDENCE:
        result: FloatArray = found.probabilities[np.arange(len(found.actual)), found.predicted]
        return result
    near = novelty(explained, found.index if isinstance(explained, Study) else X, known=known)
    return near.similarity if by == NOVELTY else near.similarity_all
