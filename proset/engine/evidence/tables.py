"""Tables of a fitted model: all prototypes (export) and one sample against them (explain, figure 4.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from proset.common.frames import free_names
from proset.engine.evidence.contributions import Contributions
from proset.engine.kernels.similarity import FloatArray
from proset.engine.set_manager import Batch, IntArray, SetManager

ToOriginal = Callable[[int, FloatArray], Sequence[Any] | FloatArray]

BASE_COLUMNS = ("batch", "sample", "sample name", "target", "prototype weight")
CASE_COLUMNS = ("similarity", "impact", "dominant set")
FEATURE_COLUMNS = ("weight", "value", "original", "similarity")


def class_column(label: object) -> str:
    """Return the column that holds what each row adds to the probability of a class."""
    return f"p class {label}"


def feature_headings(features: Sequence[str], classes: Sequence[object]) -> list[str]:
    """Return what stands before "weight", "value", "original" and "similarity" in the columns of each feature.

    It is the feature's name, unless one of the four would then be called like another column: a feature "prototype"
    is headed "prototype (column)", because "prototype weight" has its place already.

    Examples
    --------
    >>> feature_headings(["age", "prototype"], ["u"])
    ['age', 'prototype (column)']
    """
    others = (*BASE_COLUMNS, *CASE_COLUMNS, *map(class_column, classes))
    taken = [name.removesuffix(f" {last}") for name in others for last in FEATURE_COLUMNS if name.endswith(f" {last}")]
    return free_names(features, taken)


@dataclass(frozen=True, eq=False)
class Labels:
    """Names of matrix terms in a table.

    Attributes
    ----------
    classes : sequence of shape (K,)
        Class labels.
    features : sequence of str, shape (D,)
        Names of the feature columns.
    to_original : callable
        Maps a feature column's index and an array of its values to the values in original units.
    sample_names : callable
        Maps an array of training rows to their names.
    """

    classes: Sequence[Any]
    features: Sequence[str]
    to_original: ToOriginal
    sample_names: Callable[[IntArray], Sequence[str]]


def feature_columns(
    manager: SetManager, labels: Labels, batch: IntArray, position: IntArray, x: FloatArray | None
) -> dict[str, Any]:
    """Columns for every active feature; the first row belongs to the sample `x`, if there is one.

    Where a batch does not use a feature, its weight is 0 and the other columns are blank: the batch has not stored it.
    """
    weights, features = manager.get_feature_weights()
    columns: dict[str, Any] = {}
    headings = feature_headings(labels.features, labels.classes)
    for column, feature in enumerate(features):
        value = np.full(batch.shape[0], np.nan)
        for number, part in enumerate(manager.batches, start=1):
            here = batch == number
            if part is not None and weights[number - 1, column] > 0.0:
                stored = int(np.searchsorted(part.active_features, feature))
                value[here] = part.prototypes[position[here], stored]
        weight = np.append(weights[:, column], np.nan)[batch - 1]  # batch 0 stands for rows that belong to no batch
        name = headings[feature]
        if x is not None:
            value[0] = x[feature]
        columns[f"{name} weight"] = weight
        columns[f"{name} value"] = value
        original, known = np.full(batch.shape[0], None, dtype=object), np.flatnonzero(np.isfinite(value))
        for row, found in zip(known, labels.to_original(int(feature), value[known]), strict=True):
            original[row] = found
        columns[f"{name} original"] = pd.Series(original).infer_objects()
        if x is not None:
            similarity = np.exp(-0.5 * np.square(weight * (value - x[feature])))
            columns[f"{name} similarity"] = similarity
    return columns


def _marginal_names(classes: Sequence[Any]) -> list[str]:
    """Row names of the marginal distribution."""
    return [f"marginal probability class '{label}'" for label in classes]


def export_table(manager: SetManager, labels: Labels) -> pd.DataFrame:
    """List the marginals, all prototypes, their weights and active features.

    Returns
    -------
    pandas.DataFrame
        Columns batch, sample, sample name, target, prototype weight, and per active feature its weight, the prototype's
        value and the original value. First the K marginal probabilities, then each batch by descending weight.
    """
    k = manager.num_classes
    numbered = [(number, batch) for number, batch in enumerate(manager.batches, start=1) if batch is not None]
    order = [np.argsort(-batch.weights, kind="stable") for _, batch in numbered]

    def collect(pick: Callable[[Batch], np.ndarray], first: Any, dtype: type) -> np.ndarray:
        parts = [pick(batch)[rows] for (_, batch), rows in zip(numbered, order, strict=True)]
        return np.concatenate([np.asarray(first, dtype=dtype), *(part.astype(dtype) for part in parts)])

    zeros = np.zeros(k)
    batch = np.concatenate([zeros, *(np.full(len(b), n) for n, b in numbered)]).astype(np.int64)
    position = np.concatenate([zeros, *order]).astype(np.int64)
    sample = collect(lambda b: b.sample_index, zeros, np.int64)
    frame = {
        "batch": pd.array(batch, dtype="Int64"),
        "sample": pd.array(sample, dtype="Int64"),
        "sample name": _marginal_names(labels.classes) + list(labels.sample_names(sample[k:])),
        "target": np.asarray(labels.classes)[collect(lambda b: b.target, np.arange(k), np.int64)],
        "prototype weight": collect(lambda b: b.weights, manager.marginals, np.float64),
        **feature_columns(manager, labels, batch, position, None),
    }
    table = pd.DataFrame(frame)
    table.loc[: k - 1, ["batch", "sample"]] = pd.NA
    return table


def explain_table(
    manager: SetManager, labels: Labels, parts: Contributions, *, sample_name: str, target: Any, features: bool
) -> pd.DataFrame:
    """Relate one sample to every prototype (figure 4.5).

    Parameters
    ----------
    labels : Labels
        Names to use.
    parts : Contributions
        The breakdown of the sample's estimate.
    sample_name : str
        Name of the first row.
    target : object
        True class of the sample; None if unknown.
    features : bool
        Whether to append the columns of the active features.

    Returns
    -------
    pandas.DataFrame
        The sample, the marginals, then prototypes by descending impact. The columns "p class ..." of all rows but the
        first add up to the first row.
    """
    k, n = manager.num_classes, parts.impact.shape[0]
    blank, settled = np.array([np.nan]), bool(parts.dominant.any())
    classes = np.asarray(labels.classes)
    in_set = np.concatenate([[0], np.full(k, settled), parts.dominant]).astype(np.int64)
    frame: dict[str, Any] = {
        "batch": pd.array(np.concatenate([np.zeros(k + 1), parts.batch]).astype(np.int64), dtype="Int64"),
        "sample": pd.array(np.concatenate([np.zeros(k + 1), parts.sample_index]).astype(np.int64), dtype="Int64"),
        "sample name": [sample_name, *_marginal_names(labels.classes), *labels.sample_names(parts.sample_index)],
        "target": pd.Series([target, *classes, *classes[parts.target]], dtype=object).infer_objects(),
        "prototype weight": np.concatenate([blank, parts.marginals, parts.weight]),
        "similarity": np.concatenate([blank, np.ones(k), parts.similarity]),
        "impact": np.concatenate([blank, parts.marginals, parts.impact]),
        "dominant set": pd.array(in_set, dtype="Int64"),
    }
    for index, label in enumerate(classes):
        own = np.where(np.arange(k) == index, parts.marginal_shares, 0.0)
        frame[class_column(label)] = np.concatenate([[parts.probabilities[index]], own, parts.shares[:, index]])
    if features:
        batch = np.concatenate([np.zeros(k + 1), parts.batch]).astype(np.int64)
        position = np.concatenate([np.zeros(k + 1), parts.position]).astype(np.int64)
        frame |= feature_columns(manager, labels, batch, position, parts.x)
    table = pd.DataFrame(frame, index=range(n + k + 1))
    table.loc[:k, ["batch", "sample"]] = pd.NA
    table.loc[0, "dominant set"] = pd.NA
    return table
