"""Our gbmap along its stages: what a model of the first m stages says, for every m from one fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from benchmarks.gbmap_tables.sets import Kind
from benchmarks.gbmap_tables.splits import Part

BLOCK = 1_000


def fitted(part: Part, n_boosts: int, seed: int, **parameters: Any) -> Any:
    """Fit our estimator to the training rows, which are scaled already."""
    from proset.companions.gbmap import GBMapClassifier, GBMapRegressor

    kind = GBMapRegressor if part.kind == "regression" else GBMapClassifier
    return kind(n_boosts=n_boosts, standardize=False, random_state=seed, **parameters).fit(part.X, part.y)


def stages(model: Any, X: np.ndarray) -> np.ndarray:
    """Predictions of the models of 1, 2, ... stages, one column each.

    The coordinates of the embedding are the stages' contributions, and targets have mean 0 here: their running sum is
    the prediction.
    """
    return np.cumsum(model.transform(X), axis=1)


def at(path: np.ndarray, m: int) -> np.ndarray:
    """Column of a model of m stages; the last one where the fit ended before, zero where it found nothing."""
    if not path.shape[1]:
        return np.zeros(len(path))
    return np.asarray(path[:, min(m, path.shape[1]) - 1])


def neighbour_means(
    phi: np.ndarray, values: np.ndarray, phi_test: np.ndarray, lengths: tuple[int, ...], k: int
) -> dict[int, np.ndarray]:
    """Means over the k nearest training rows by the distance in the first m coordinates, for several m.

    Distances are sums over coordinates, so that of a longer embedding is that of a shorter one plus the rest.
    """
    most = phi.shape[1]
    found: dict[int, list[np.ndarray]] = {m: [] for m in lengths}
    for begin in range(0, len(phi_test), BLOCK):
        rows = phi_test[begin : begin + BLOCK]
        distance, done = np.zeros((len(rows), len(phi))), 0
        for m in lengths:
            upto = min(m, most)
            if upto > done:
                distance += cdist(rows[:, done:upto], phi[:, done:upto], "cityblock")
                done = upto
            nearest = np.argpartition(distance, k - 1, axis=1)[:, :k]
            found[m].append(values[nearest].mean(axis=1))
    return {m: np.concatenate(parts) for m, parts in found.items()}


def vote(kind: Kind, means: np.ndarray) -> np.ndarray:
    """Turn means of neighbours into predictions: half the votes count for the class +1."""
    return means if kind == "regression" else np.where(means >= 0.0, 1.0, -1.0)
