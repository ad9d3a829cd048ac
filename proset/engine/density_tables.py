"""Tables of a model of a number: all prototypes (export), and the answer for one sample as a sum (explain)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.engine.density_sets import DensityBatch, DensityManager
from proset.engine.evidence.tables import Labels, feature_columns, feature_headings
from proset.engine.mixtures.mixture import FloatArray, Mixture
from proset.engine.mixtures.units import TargetUnits
from proset.engine.set_manager import IntArray

MARGINAL = "everybody"


def density_export(manager: DensityManager, labels: Labels, units: TargetUnits) -> pd.DataFrame:
    """List all prototypes with their targets, spreads, weights, and features with weights and slopes.

    Returns
    -------
    pandas.DataFrame
        Columns batch, sample, sample name, target, spread, prototype weight, and per active feature its weight, the
        prototype's value, the original value and the slope; target, spread and slope in units of the target (the latter
        per unit of the column of the matrix, and near the prototype's own target where that is bent). Each batch by
        descending weight.
    """
    table, batch, position = _prototypes(manager, labels, units)
    order = np.lexsort((-table["prototype weight"].to_numpy(), batch))
    features = _features(manager, labels, batch[order], position[order], units, None)
    ordered = table.iloc[order].reset_index(drop=True)
    return pd.concat([ordered, pd.DataFrame(features, index=ordered.index)], axis=1)


def density_explain(
    manager: DensityManager, labels: Labels, x: FloatArray, units: TargetUnits, *, sample_name: str, y: Any
) -> pd.DataFrame:
    """Relate one sample to every prototype: the mean of its distribution as a sum.

    Returns
    -------
    pandas.DataFrame
        The sample, the marginal distribution, then prototypes by descending impact. `says` is the target of a prototype
        with the adjustment (R2) for this sample, `share` the share of the sum (R1) that it has, and `mean part` their
        product: the parts of all rows but the first add up to the first row. Of a bent target `says` is the middle of
        what a prototype expects, whose mean is farther out; `mean part` is the share of that.
    """
    table, mixture, batch, position = density_lines(manager, labels, x, units)
    shares, n = mixture.weights[0], table.shape[0]
    means = units.means(mixture.means[0], mixture.spreads)
    rest = float(shares[n:].sum())
    table["mean part"] = shares[:n] * means[:n]
    order = np.argsort(-table["impact"].to_numpy(), kind="stable")
    mean = float(np.sum(shares * means))
    marginal = float(np.sum(shares[n:] * means[n:]))
    first = pd.DataFrame(
        {
            "batch": [pd.NA, pd.NA],
            "sample": [pd.NA, pd.NA],
            "sample name": [sample_name, MARGINAL],
            "target": [np.nan if y is None else float(y), np.nan],
            "impact": [np.nan, 1.0],
            "says": [mean, marginal / rest],
            "share": [1.0, rest],
            "mean part": [mean, marginal],
        }
    ).astype({"batch": "Int64", "sample": "Int64"})
    parts = pd.concat([first, table.iloc[order]], ignore_index=True)[["batch", "sample", "sample name", *_COLUMNS]]
    zeros = np.zeros(2, dtype=np.int64)
    features = _features(
        manager, labels, np.concatenate([zeros, batch[order]]), np.concatenate([zeros, position[order]]), units, x
    )
    return pd.concat([parts, pd.DataFrame(features, index=parts.index)], axis=1)


def density_lines(
    manager: DensityManager, labels: Labels, x: FloatArray, units: TargetUnits
) -> tuple[pd.DataFrame, Mixture, IntArray, IntArray]:
    """Relate one sample to every prototype, batch after batch as in the mixture that is its answer.

    Returns
    -------
    table : pandas.DataFrame
        What :func:`density_explain` says of each prototype, but for the features and its part of the mean.
    mixture : Mixture
        The answer, standardised.
    batch, position : ndarray of int64, shape (P,)
        Batch of each prototype, from 1, and its place in it.
    """
    table, batch, position = _prototypes(manager, labels, units)
    mixture, n = manager.mixture(x[None, :]), table.shape[0]
    similarity = _joined([one.similarity(x[None, :])[0] for one in manager.density_batches])
    table["similarity"], table["impact"] = similarity, similarity * table["prototype weight"]
    table["says"] = units.outward(mixture.means[0, :n])
    table["adjustment"], table["share"] = table["says"] - table["target"], mixture.weights[0, :n]
    return table, mixture, batch, position


_COLUMNS = (
    "target", "spread", "prototype weight", "similarity", "impact", "adjustment", "says", "share", "mean part",
)  # fmt: skip


def _prototypes(manager: DensityManager, labels: Labels, units: TargetUnits) -> tuple[pd.DataFrame, IntArray, IntArray]:
    """Return what every prototype is, batch after batch, with batch and position within it."""
    numbered = [number for number, batch in enumerate(manager.batches, start=1) if batch is not None]
    batches = manager.density_batches
    number = np.repeat(np.array(numbered, dtype=np.int64), [len(batch) for batch in batches])
    position = _joined([np.arange(len(batch)) for batch in batches]).astype(np.int64)
    sample = _joined([batch.sample_index for batch in batches]).astype(np.int64)
    values = _joined([batch.values for batch in batches])
    frame = pd.DataFrame(
        {
            "batch": pd.array(number, dtype="Int64"),
            "sample": pd.array(sample, dtype="Int64"),
            "sample name": list(labels.sample_names(sample)),
            "target": units.outward(values),
            "spread": units.widths(values, _joined([batch.spreads for batch in batches])),
            "prototype weight": _joined([batch.weights for batch in batches]),
        }
    )
    return frame, number, position


def _joined(parts: Sequence[NDArray[Any]]) -> FloatArray:
    """Return what batches hold, one after the other."""
    joined: FloatArray = np.concatenate([np.zeros(0), *parts])
    return joined


def _features(
    manager: DensityManager,
    labels: Labels,
    batch: IntArray,
    position: IntArray,
    units: TargetUnits,
    x: FloatArray | None,
) -> dict[str, Any]:
    """Return the columns of the active features, slopes among them."""
    columns = feature_columns(manager, labels, batch, position, x)
    headings = feature_headings(labels.features, labels.classes)
    for feature in manager.get_active_features().tolist():
        slope = np.full(batch.shape, np.nan)  # of rows that belong to no batch
        for number, one in enumerate(manager.batches, start=1):
            if isinstance(one, DensityBatch):
                here, own = batch == number, one.total_slopes[:, one.active_features == feature]
                slope[here] = (units.slopes(one.values)[:, None] * own)[position[here]].sum(axis=1)
        columns[f"{headings[feature]} slope"] = slope
    return columns
