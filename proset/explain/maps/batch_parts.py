"""One batch of what is explained: its features by weight, its prototypes as a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import ProsetError
from proset.common.words import count_words
from proset.explain.number_subject import NumberSubject
from proset.explain.subject import Subject

if TYPE_CHECKING:
    from proset.engine.set_manager import Batch, SetManager

SPAN_A_PLANE = 3  # prototypes


def find_batch(subject: Subject | NumberSubject, number: int) -> Batch | None:
    """Return a batch by its number from 1, or None if it has no prototypes; every model has a first one.

    Raises
    ------
    ProsetError
        If there is no such batch.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> from proset.explain.subject import subject_of
    >>> model = ClassifierModel().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb"))
    >>> len(find_batch(subject_of(model), 1)) > 0
    True
    """
    batches = subject.manager.batches or (None,)
    if not 1 <= number <= len(batches):
        known = count_words(len(batches), "batch", "batches")
        raise ProsetError(f"There is no batch {number}.", hint=f"The model has {known}, counted from 1.")
    return batches[number - 1]


def map_batch(manager: SetManager) -> int:
    """Return the number of the batch whose map is drawn where none is named.

    The first one, unless it has too few prototypes to span a plane, as joined and thinned votes may: then that with the
    most.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> model = ClassifierModel(n_iter=2).fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb"))
    >>> map_batch(model.set_manager_)
    1
    """
    sizes = [0 if batch is None else len(batch) for batch in manager.batches] or [0]
    return 1 if sizes[0] >= SPAN_A_PLANE else int(np.argmax(sizes)) + 1


def by_weight(batch: Batch) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the matrix columns that a batch uses and their weights, by descending weight."""
    weights = batch.feature_weights.astype(np.float64)
    order = np.argsort(-weights, kind="stable")
    return batch.active_features[order], weights[order]


def prototype_frame(subject: Subject, number: int) -> pd.DataFrame:
    """Return the prototypes of a batch by descending weight, in the form of :attr:`proset.study.Study.prototypes`.

    ``row`` is the row id in a study's table, or the place in the training data of a model.
    """
    batch = find_batch(subject, number)
    if batch is None:
        empty = {"batch": "int64", "row": "int64", "class": "str", "weight": "float64"}
        return pd.DataFrame({name: [] for name in empty}).astype(empty)
    rows = batch.sample_index if subject.study is None else subject.study.split.train[batch.sample_index]
    frame = pd.DataFrame(
        {
            "batch": number,
            "row": rows,
            "class": np.asarray(subject.classes, dtype=object)[batch.target],
            "weight": batch.weights.astype(np.float64),
        }
    ).astype({"class": "str"})
    return frame.sort_values("weight", ascending=False, kind="stable", ignore_index=True)


def wide_rows(batch: Batch, n_columns: int) -> NDArray[np.float64]:
    """Return the prototypes as rows of the whole matrix, shape (J, D), by descending weight; the rest is 0."""
    rows = np.zeros((len(batch), n_columns))
    rows[:, batch.active_features] = batch.prototypes
    return rows[np.argsort(-batch.weights.astype(np.float64), kind="stable")]


def all_prototypes(subject: Subject) -> tuple[pd.DataFrame, NDArray[np.floating]]:
    """Return the prototypes of all batches, and their rows of the matrix, shape (J, D).

    A model keeps the features of a prototype only as far as its batch uses them: the others are NaN.
    """
    numbers = range(1, max(1, subject.manager.num_batches) + 1)
    frame = pd.concat([prototype_frame(subject, number) for number in numbers], ignore_index=True)
    if subject.study is not None:
        return frame, subject.study.encode(frame["row"].tolist()).X
    rows = [np.zeros((0, subject.manager.num_features))]
    for batch in filter(None, subject.manager.batches):
        wide = wide_rows(batch, subject.manager.num_features)
        wide[:, np.setdiff1d(np.arange(wide.shape[1]), batch.active_features)] = np.nan
        rows.append(wide)
    return frame, np.concatenate(rows)
