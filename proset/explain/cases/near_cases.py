"""The known cases most like one case, some of each class: what prototypes stand for, seen without their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import StudyError
from proset.engine.evidence.nearness import Nearness
from proset.engine.model import ClassifierModel
from proset.explain.cases.neighbours import active_sources, row_names
from proset.explain.familiar.novel import encode_new, nearness_of
from proset.explain.subject import Explained, point_of
from proset.study import Study


@dataclass(frozen=True, eq=False)
class NearestCases:
    """The known cases nearest to one case, by class.

    Attributes
    ----------
    frame : DataFrame
        At most k rows of each class, classes in their order, most similar first: ``class``, ``rank`` (from 1), ``row``
        (row id or position), ``name``, ``similarity`` (in the model's metric, in [0, 1]), ``batch`` (the one with the
        largest part in the similarity; 0 if none uses a feature), ``similarity_all`` (in the metric of all features),
        ``prototype`` (whether it is one).
    values : DataFrame
        Their original values in the columns that the model uses, index like `frame`; no columns for a model alone.
    classes : tuple of str
        All classes.
    """

    frame: pd.DataFrame
    values: pd.DataFrame
    classes: tuple[str, ...]

    def of(self, name: str) -> pd.DataFrame:
        """Return the rows of one class."""
        return self.frame[self.frame["class"] == name]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per known case."""
        return self.frame

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {str(name): values.tolist() for name, values in self.frame.items()}


def nearest_cases(
    explained: Explained, case: Any, *, k: int = 3, known: ArrayLike | None = None, y: ArrayLike | None = None
) -> NearestCases:
    """Find the known cases of each class that are most like one case.

    Parameters
    ----------
    explained : ClassifierModel or Study
        A fitted model.
    case : int, DataFrame or array-like of shape (D,)
        Beside a study: a row id, a new row as a DataFrame, or a row of the matrix. Beside a model: a row of the matrix.
    k : int, default 3
        How many of each class.
    known : array-like of shape (m, D) or None
        Beside a model: what it was fitted to.
    y : array-like of shape (m,) or None
        Beside a model: the classes of these rows.

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
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> found = nearest_cases(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")), 1)
    >>> found.frame["class"].value_counts().tolist(), found.of("setosa")["similarity"].is_monotonic_decreasing
    ([3, 3, 3], True)
    """
    if isinstance(explained, Study):
        return _of_study(explained, case, k)
    if known is None or y is None:
        raise ValueError("A model alone knows no cases: pass the training matrix as 'known', its classes as 'y'.")
    near, x = nearness_of(explained, known), point_of(explained, case)
    targets = np.asarray(y).astype(str)
    frame = _nearest(explained, near, x, np.arange(len(x)), targets, own=-1, k=k)
    frame.insert(3, "name", [f"row {row}" for row in frame["row"]])
    return NearestCases(frame, pd.DataFrame(index=frame.index), tuple(map(str, explained.classes_)))


def _of_study(study: Study, case: Any, k: int) -> NearestCases:
    """Find training rows."""
    train = study.split.train
    features, own = study.design.sources, -1
    if isinstance(case, pd.DataFrame):
        if len(case) != 1:
            raise StudyError(
                f"One row can be compared at a time, but {len(case):,} were given.", hint="Choose one row."
            )
        X, features, _ = encode_new(study, case)
        x = X[0].astype(np.float64)
    else:
        x = point_of(study, case)
        if isinstance(case, (int, np.integer)):
            own = int(pd.Index(train).get_indexer(pd.Index([case]))[0])
    compared = np.array(
        [i for i, column in enumerate(study.design.columns) if column.source in features], dtype=np.int64
    )
    targets = study.labels.loc[pd.Index(train)].to_numpy(dtype=str)
    frame = _nearest(study.model, study.nearness, x, compared, targets, own=own, k=k)
    frame["row"] = train[frame["row"]]
    rows = study.table.frame.loc[frame["row"]]
    frame.insert(3, "name", row_names(study, rows))
    return NearestCases(frame, rows[list(active_sources(study))].set_axis(frame.index, axis=0), study.classes)


def _nearest(
    model: ClassifierModel,
    near: Nearness,
    x: NDArray[np.float64],
    columns: NDArray[np.int64],
    targets: NDArray[np.str_],
    *,
    own: int,
    k: int,
) -> pd.DataFrame:
    """Return the k nearest of each class, rows as positions among the known cases."""
    distance, kernel = near.by_model.known.distances(x)
    batches = model.set_manager_.batches
    numbers = [n for n, batch in enumerate(batches, 1) if batch is not None and len(batch.active_features)] or [0]
    used = [batch.sample_index for batch in batches if batch is not None]
    parts = []
    for name in map(str, model.classes_):
        own_class = np.flatnonzero((targets == name) & (np.arange(len(targets)) != own))
        rows = own_class[np.argsort(distance[own_class], kind="stable")[:k]]
        part = {
            "class": name,
            "rank": np.arange(1, len(rows) + 1),
            "row": rows,
            "similarity": np.exp(-0.5 * distance[rows]),
            "batch": np.asarray(numbers)[kernel[rows]],
            "similarity_all": near.similarities(x, rows, columns) if len(rows) else np.zeros(0),
            "prototype": np.isin(rows, np.concatenate(used) if used else []),
        }
        parts.append(pd.DataFrame(part))
    return pd.concat(parts, ignore_index=True).astype({"class": "str"})
