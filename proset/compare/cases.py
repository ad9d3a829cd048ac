"""One row of the table as every system sees it, in the words and units of the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.frames import beside
from proset.common.notebook import Displayed
from proset.common.spread import spread_out
from proset.companions.protocol import Explanation, Offer, PrototypeModel
from proset.compare.disputes import check_same
from proset.explain.maps.feature_axes import feature_scale
from proset.explain.subject import subject_of

if TYPE_CHECKING:
    from proset.compare.measures import IntArray
    from proset.compare.result import Comparison, SystemResult
    from proset.study import Study

MOST_REFERENCE = 2_000
"""Measured rows that familiarity is compared with, at most."""

PROTOTYPE_COLUMNS = ("id", "row", "made", "class", "similarity", "distance", "contribution")


@dataclass(frozen=True, eq=False)
class SystemCase(Displayed):
    """A row as one system sees it.

    Attributes
    ----------
    key, title : str
        The system.
    predicted : str
        The class that it says.
    probabilities : Series of float64
        Index ``class``.
    prototypes : DataFrame
        The prototypes that matter most for what is said, the most important first; columns ``id``, ``row`` (id of its
        row; of a point that is no row, the row nearest to it), ``made`` (whether it is no row), ``class`` (that it
        speaks for), ``similarity``, ``distance``, ``contribution`` (to the score of what is said); nan where the system
        has no such notion. Of a system without prototypes but with a distance, the nearest rows it learned from.
    features : DataFrame
        Index ``feature`` (columns of the table, the one with the largest share first); ``case`` (its value as text),
        ``share`` (of the system's weights; nan if it has none), and one column ``p1``, ``p2``, ... per line of
        `prototypes` with the values there.
    quantile : float
        Share of the measured rows that are at most as familiar; nan if the system has no such notion.
    notes : tuple of str
        What the system cannot say, in words.
    """

    key: str
    title: str
    predicted: str
    probabilities: pd.Series
    prototypes: pd.DataFrame
    features: pd.DataFrame
    quantile: float
    notes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return the prototypes with the values of the features."""
        return beside(self.prototypes, self.features.drop(columns=["case", "share"]).T)


def explain_row(study: Study, comparison: Comparison, row: int, *, n_prototypes: int = 5) -> tuple[SystemCase, ...]:
    """Explain a row by every system that has a model.

    Parameters
    ----------
    row : int
        Row id of the table.
    n_prototypes : int, default 5
        Number of prototypes named by each system; fewer if it has fewer.

    Returns
    -------
    tuple of SystemCase
        In the order of the plan, without the systems that failed.

    Raises
    ------
    StudyError
        If there is no such row, or the comparison is of another study.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False))
    >>> cases = explain_row(study, found, 1, n_prototypes=2)
    >>> [(case.key, case.predicted, case.prototypes["row"].tolist()) for case in cases]
    [('proset', 'setosa', [1, 8]), ('knn', 'setosa', [1, 18])]
    """
    check_same(study, comparison)
    x = study.encode([row]).X[0].astype(np.float64)
    held_out = study.encode(spread_out(comparison.measured, MOST_REFERENCE)).X
    return tuple(_case(study, comparison, entry, x, held_out, n_prototypes) for entry in comparison.fitted)


def _case(
    study: Study,
    comparison: Comparison,
    entry: SystemResult,
    x: NDArray[np.float64],
    held_out: NDArray[np.floating],
    n_prototypes: int,
) -> SystemCase:
    """Explain a row of the matrix by one system."""
    model = entry.model
    assert model is not None  # `fitted` has those with a model only
    explained = model.explain(x, n_prototypes=n_prototypes, held_out=held_out)
    index = pd.Index([str(name) for name in explained.classes], dtype="str", name="class")
    probabilities = pd.Series(explained.probabilities, index=index).reindex(list(comparison.classes)).fillna(0.0)
    predicted = str(probabilities.idxmax())
    if entry.prototype_rows is not None:
        prototypes, at = _prototypes(entry, explained, predicted), x - explained.delta
    elif entry.has(Offer.DISTANCE):
        prototypes, at = _nearest(study, comparison, model, x, n_prototypes)
    else:
        prototypes, at = pd.DataFrame({name: [] for name in PROTOTYPE_COLUMNS}), np.zeros((0, len(x)))
    return SystemCase(
        key=entry.key,
        title=entry.title,
        predicted=predicted,
        probabilities=probabilities,
        prototypes=prototypes,
        features=_features(study, entry, x, at),
        quantile=explained.quantile,
        notes=_notes(entry),
    )


def _prototypes(entry: SystemResult, explained: Explanation, predicted: str) -> pd.DataFrame:
    """Return the prototypes that an explanation names, with the rows they are."""
    assert entry.model is not None
    assert entry.prototype_rows is not None
    ids: IntArray = explained.prototypes
    table = entry.model.prototypes()
    said = [str(name) for name in explained.classes].index(predicted)
    return pd.DataFrame(
        {
            "id": ids,
            "row": entry.prototype_rows[ids],
            "made": table.sample_index[ids] < 0,
            "class": pd.array(np.asarray(table.target)[ids].astype(str), dtype="str"),
            "similarity": explained.similarity,
            "distance": explained.distance,
            "contribution": explained.contribution[:, said],
        }
    )


def _nearest(
    study: Study, comparison: Comparison, model: PrototypeModel, x: NDArray[np.float64], n_prototypes: int
) -> tuple[pd.DataFrame, NDArray[np.float64]]:
    """Return the rows learned from that are nearest in a system's own distance, instead of prototypes."""
    X = study.encode(comparison.rows).X.astype(np.float64)
    apart = np.asarray(model.distance(x[np.newaxis], X))[0]
    ids = np.argsort(apart, kind="stable")[:n_prototypes]
    rows = comparison.rows[ids]
    frame = pd.DataFrame(
        {
            "id": ids,
            "row": rows,
            "made": False,
            "class": pd.array(study.labels.reindex(rows).to_numpy(dtype=object), dtype="str"),
            "similarity": np.nan,
            "distance": apart[ids],
            "contribution": np.nan,
        }
    )
    return frame, X[ids]


def _features(study: Study, entry: SystemResult, x: NDArray[np.float64], at: NDArray[np.float64]) -> pd.DataFrame:
    """Return the values of a row and of prototypes as text, by column of the table."""
    subject = subject_of(study)
    columns: dict[str, list[str]] = {}
    for i, name in enumerate(subject.features):
        if not len(subject.groups[i]):
            columns[name] = ["the same in all training rows"] * (1 + len(at))
            continue
        scale = feature_scale(subject, i)
        columns[name] = [scale.axis.text(value) for value in scale.positions(np.vstack([x, at]))]
    names = ["case", *(f"p{i}" for i in range(1, len(at) + 1))]
    frame = pd.DataFrame.from_dict(columns, orient="index", columns=names).rename_axis("feature")
    frame.insert(1, "share", entry.shares)
    order = frame["share"].fillna(0.0).sort_values(ascending=False, kind="stable").index
    return frame.loc[order]


def _notes(entry: SystemResult) -> tuple[str, ...]:
    """Say what a system has no notion of."""
    notes = []
    if not entry.has(Offer.PROTOTYPES):
        near = (
            " Displayed are the training rows nearest to this one in its own distance."
            if entry.has(Offer.DISTANCE)
            else ""
        )
        notes.append(f"It rests on no single cases.{near}")
    elif not entry.has(Offer.CONTRIBUTIONS):
        notes.append("Its estimate is no sum of contributions.")
    if not entry.has(Offer.FAMILIARITY):
        notes.append("It cannot say whether a case is familiar.")
    return tuple(notes)
