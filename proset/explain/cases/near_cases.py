"""The known cases most like one case, some of each class: what prototypes stand for, seen without their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.notebook import DisplayedFrame
from proset.engine.evidence.nearness import Nearness
from proset.explain.cases.known_rows import known_rows, nearness_to, place_among, seen
from proset.explain.plain_values import plain_columns
from proset.explain.subject import Explained, Subject, as_case, subject_of
from proset.study.case import KnownRows


@dataclass(frozen=True, eq=False)
class NearestCases(DisplayedFrame):
    """The known cases nearest to one case, by class.

    Attributes
    ----------
    frame : DataFrame
        At most `n_cases` rows of each class, classes in their order, most similar first: ``class``, ``rank`` (from 1),
        ``row`` (row id or position), ``name``, ``similarity`` (in the model's metric, in [0, 1]), ``batch`` (the
        one with the largest part in the similarity; 0 if none uses a feature), ``similarity_all`` (in the metric of all
        features), ``prototype`` (whether it is one).
    values : DataFrame
        Their original values in the columns that the model uses, index like `frame`; no columns for a model alone.
    """

    frame: pd.DataFrame
    values: pd.DataFrame
    classes: tuple[str, ...]

    def of(self, name: str) -> pd.DataFrame:
        """Return the rows of one class."""
        return self.frame[self.frame["class"] == name]

    def first(self, n_cases: int) -> NearestCases:
        """Return the same with fewer cases of each class."""
        kept = (self.frame["rank"] <= n_cases).to_numpy(dtype=bool)
        frame, values = self.frame[kept].reset_index(drop=True), self.values[kept].reset_index(drop=True)
        return NearestCases(frame, values, self.classes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return plain_columns(self.frame)


def nearest_cases(
    explained: Explained, case: Any, *, n_cases: int = 3, known: ArrayLike | None = None, y: ArrayLike | None = None
) -> NearestCases:
    """Find the known cases of each class that are most like one case.

    Parameters
    ----------
    n_cases : int, default 3
        How many of each class.
    known, y : array-like of shape (m, D) and (m,), or None
        Beside a model: what it was fitted to, and the classes of these rows.

    Returns
    -------
    NearestCases
        Without the case itself, if it is a training row.

    Raises
    ------
    ValueError
        If a model gets no known cases with their classes.
    StudyError
        If the table has no such row, or several new rows are given.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = nearest_cases(fit_sample("iris_2f"), 1)
    >>> found.frame["class"].value_counts().tolist(), found.of("setosa")["similarity"].is_monotonic_decreasing
    ([3, 3, 3], True)
    """
    subject, case = subject_of(explained), as_case(explained, case, known=known, y=y)
    study, learned = subject.study, known_rows(subject, case, with_classes=True)
    x, features = seen(subject, case)
    compared, own = subject.values_of(features), place_among(case, learned)
    frame = _nearest(subject, nearness_to(subject, case), x, compared, learned, own=own, n_cases=n_cases)
    if study is None:
        names, values = [f"row {row}" for row in frame["row"]], pd.DataFrame(index=frame.index)
    else:
        rows = study.table.frame.loc[frame["row"]]
        names, values = study.names_of(rows), rows[list(subject.by_weight)].set_axis(frame.index, axis=0)
    frame.insert(3, "name", names)
    return NearestCases(frame, values, subject.classes)


def _nearest(
    subject: Subject,
    near: Nearness,
    x: NDArray[np.float64],
    columns: NDArray[np.int64],
    learned: KnownRows,
    *,
    own: int,
    n_cases: int,
) -> pd.DataFrame:
    """Return the nearest of each class."""
    distance, kernel = near.by_model.known.distances(x)
    batches = subject.manager.batches
    numbers = [n for n, batch in enumerate(batches, 1) if batch is not None and len(batch.active_features)] or [0]
    used = [batch.sample_index for batch in batches if batch is not None]
    others = np.arange(len(distance)) != own
    ranks, labels, nearest = [], [], []
    for name in subject.classes:
        own_class = np.flatnonzero((learned.y == name) & others)
        rows = own_class[np.argsort(distance[own_class], kind="stable")[:n_cases]]
        nearest.append(rows)
        labels += [name] * len(rows)
        ranks.append(np.arange(1, len(rows) + 1))
    rows = np.concatenate(nearest)
    return pd.DataFrame(
        {
            "class": pd.Series(labels, dtype="str"),
            "rank": np.concatenate(ranks),
            "row": learned.rows[rows],
            "similarity": np.exp(-0.5 * distance[rows]),
            "batch": np.asarray(numbers)[kernel[rows]],
            "similarity_all": near.similarities(x, rows, columns) if len(rows) else np.zeros(0),
            "prototype": np.isin(rows, np.concatenate(used) if used else []),
        }
    )
