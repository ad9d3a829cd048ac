"""The reference point for attributions (algorithm 4.2): the training case that is least out of the ordinary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import rankdata

from proset.common.errors import StudyError
from proset.common.notebook import Displayed
from proset.engine.kernels.similarity import row_blocks
from proset.explain.plain_values import plain_label
from proset.explain.subject import Cases, Explained, Subject, matrix_of, subject_of
from proset.study import Study

# Distances and entropies that differ by less, relative to the largest, differ by rounding and count as equal.
TIE = 1e-9
MAX_CASES = 2_000
"""Cases between which all distances are taken; of more, that many are drawn."""


@dataclass(frozen=True, eq=False)
class ReferencePoint(Displayed):
    """A case to compare others with, and how it came to be chosen.

    Attributes
    ----------
    index : int or object
        Row id in a study's table; else the label in the index of a DataFrame, or the position in the matrix.
    position : int
        Place among the cases that it was chosen from, from 0.
    x : float64 array of shape (D,)
        Its row of the matrix.
    probabilities : float64 array of shape (K,)
        Estimated class probabilities there.
    familiarity : float
        Total impact of the prototypes there, (4.5).
    ranking : DataFrame
        One line per case that took part, in the order of the cases, index as `index`: ``feature distance`` and
        ``probability distance`` (mean distance to all others, over the active features as the model sees them, or over
        the classes), ``feature points`` and ``probability points`` (Borda's rule), ``points`` (their sum) and
        ``entropy`` (of the estimate, in nats).
    n_cases : int
        Number of cases to choose from; if there are more than lines in the ranking, these were drawn from them.
    """

    index: Any
    position: int
    x: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    familiarity: float
    classes: tuple[str, ...]
    ranking: pd.DataFrame
    n_cases: int

    @property
    def words(self) -> str:
        """Name of the point in a sentence."""
        ranked = len(self.ranking)
        some = f", found among {ranked:,} of {self.n_cases:,} rows" if ranked < self.n_cases else ""
        return f"the reference point (row {self.index}{some})"

    def to_frame(self) -> pd.DataFrame:
        """Return the ranking, the winner first, then by descending points."""
        ranking = self.ranking
        order = np.lexsort((np.arange(len(ranking)), -ranking["entropy"], -ranking["points"]))
        winner = ranking.index[order] == self.index
        return ranking.iloc[np.concatenate([order[winner], order[~winner]])]

    def to_dict(self) -> dict[str, Any]:
        """Return the point, without the ranking, as plain Python values."""
        line = self.ranking.iloc[np.flatnonzero(self.ranking.index == self.index)[0]]
        return {
            "index": plain_label(self.index),
            "position": self.position,
            "x": self.x.tolist(),
            "probabilities": dict(zip(self.classes, self.probabilities.tolist(), strict=True)),
            "familiarity": self.familiarity,
            "points": float(line["points"]),
            "most_points_possible": 2.0 * (len(self.ranking) - 1),
            "entropy": float(line["entropy"]),
            "cases": self.n_cases,
            "cases_ranked": len(self.ranking),
        }


def choose_reference_point(
    explained: Explained, cases: Cases | None = None, *, max_cases: int = MAX_CASES, random_state: int = 0
) -> ReferencePoint:
    """Choose a case that is extreme neither in its features nor in its estimate, by algorithm 4.2.

    Parameters
    ----------
    cases : array-like of shape (n, D), iterable of int, or None
        Training rows: a matrix beside a model; row ids beside a study, None for its training rows.
    max_cases : int, default 2,000
        Distances between all pairs are needed, so of more cases that many are drawn and the others play no part;
        :attr:`ReferencePoint.n_cases` and the length of the ranking tell.
    random_state : int, default 0
        Draws them.

    Raises
    ------
    StudyError
        If there is no case.

    Notes
    -----
    An absolute distance, as opposed to a squared one, is the length of a difference. It is taken in the active
    features in the scale that the model sees, without the feature weights. Of a study's rows, those take part in which
    no column that the model uses is missing, if there are such: what was filled in lies in the middle and is no case.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2], [1.4]]
    >>> model = ClassifierModel().fit(X, list("aaabbbb"))
    >>> choose_reference_point(model, X).index
    3
    """
    subject, matrix = subject_of(explained), matrix_of(explained, cases)
    if len(matrix.X) == 0 or max_cases < 1:
        raise StudyError("There is no case to choose a reference point from.", hint="Give one row at least.")
    # "Lowest sample index" is the lowest row id of a study, whatever the order in which its rows are named.
    order = np.argsort(matrix.index) if subject.study is not None else np.arange(len(matrix.X))
    order = measured(explained, matrix.index, order)
    taken = order[some(len(order), max_cases, random_state)]
    X, index = matrix.X[taken], matrix.index[taken]
    probabilities, familiarity = subject.manager.evaluate(X)
    ranking = _ranking(subject, X, probabilities).set_axis(index, axis=0)
    most = np.flatnonzero(ranking["points"] == ranking["points"].max())
    entropy = ranking["entropy"].to_numpy()[most]
    winner = int(most[np.argmax(entropy >= entropy.max() - TIE)])
    return ReferencePoint(
        index=index[winner],
        position=int(taken[winner]),
        x=X[winner],
        probabilities=probabilities[winner],
        familiarity=float(familiarity[winner]),
        classes=subject.classes,
        ranking=ranking,
        n_cases=len(order),
    )


def measured(explained: Explained, index: pd.Index, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return those places of a study's rows where no column in use is missing; all of them if there is no such row."""
    if not isinstance(explained, Study):
        return order
    imputed = explained.encode(index[order]).imputed[list(explained.used_columns)]
    known = order[~imputed.any(axis=1).to_numpy()]
    return known if len(known) else order


def some(n: int, limit: int, random_state: int) -> NDArray[np.int64]:
    """Return the positions of all n cases, or of those drawn if there are more than `limit`, ascending."""
    if n <= limit:
        return np.arange(n)
    return np.sort(np.random.default_rng(random_state).choice(n, limit, replace=False)).astype(np.int64)


def _ranking(subject: Subject, X: NDArray[np.float64], probabilities: NDArray[np.float64]) -> pd.DataFrame:
    """Rank the cases in both spaces."""
    active = X[:, subject.manager.get_active_features()]
    distances = mean_distances(active), mean_distances(probabilities)
    points = [borda_points(values) for values in distances]
    logs = np.log(np.maximum(probabilities, np.finfo(np.float64).tiny))
    return pd.DataFrame(
        {
            "feature distance": distances[0],
            "probability distance": distances[1],
            "feature points": points[0],
            "probability points": points[1],
            "points": points[0] + points[1],
            "entropy": -(probabilities * logs).sum(axis=1),
        }
    )


def mean_distances(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean length of the difference of each row to all others.

    Parameters
    ----------
    values : float64 array of shape (n, d)
        Rows.

    Returns
    -------
    float64 array of shape (n,)
        Zero if there is no other row. Equal rows get equal numbers.

    Examples
    --------
    >>> mean_distances(np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 2.0]])).round(3).tolist()
    [3.5, 4.303, 2.803]
    """
    n = len(values)
    total = np.zeros(n)
    if values.shape[1]:
        for block in row_blocks(n, n):
            total[block] = cdist(values[block], values).sum(axis=1)
    return total / max(1, n - 1)


def borda_points(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Borda's points: one for every case with a larger value, half a one for every other with the same.

    Parameters
    ----------
    values : float64 array of shape (n,)
        Smaller is better. Differences that rounding explains are none.

    Returns
    -------
    float64 array of shape (n,)
        From 0 to n - 1.

    Examples
    --------
    >>> borda_points(np.array([0.1 + 0.2, 0.3, 0.1, 0.5])).tolist()
    [1.5, 1.5, 3.0, 0.0]
    """
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    step = np.diff(ascending) > TIE * float(np.abs(values).max(initial=0.0))
    ranks = np.empty(len(values))
    ranks[order] = rankdata(np.append(0, np.cumsum(step)), method="average")
    result: NDArray[np.float64] = len(values) - ranks
    return result
