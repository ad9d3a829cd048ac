"""Distances between the digits, worked out once and kept in ``benchmarks/cache/``, which git ignores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import euclidean_distances

from benchmarks.pvm_tables.sets import IMAGE, Arrays
from proset.common.files import replacing
from proset.companions.pvm.tangent import TangentDistance

CACHE = Path(__file__).parents[1] / "cache"
CENTRES = 10  # of every class
SIGMAS = (0.0, 0.5, 0.7, 0.9, 1.1)
RIDGES = (0.01, 0.1)
Metric = Callable[[np.ndarray, np.ndarray | None], np.ndarray]


def choices() -> list[TangentDistance]:
    """Return the tangent distances to choose from; with a width of 0 nothing is smoothed, whatever the kind."""
    return [
        TangentDistance(IMAGE, IMAGE, sigma=sigma, smooth_images=smooth_images, ridge=ridge)
        for sigma in SIGMAS
        for smooth_images in ((False, True) if sigma else (False,))
        for ridge in RIDGES
    ]


def left_out(D: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Tell which rows the nearest of all other rows would misclassify."""
    others = D.copy()
    np.fill_diagonal(others, np.inf)
    wrong: np.ndarray = y[others.argmin(axis=1)] != y
    return wrong


def euclidean(A: np.ndarray, B: np.ndarray | None = None) -> np.ndarray:
    """Return Euclidean distances in single precision."""
    return euclidean_distances(A, B).astype(np.float32)


def centres(arrays: Arrays) -> np.ndarray:
    """Return ten centres of every class, by k-means from five starts."""
    X, y = arrays["X"], arrays["y"]
    return np.vstack(
        [KMeans(CENTRES, n_init=5, random_state=0).fit(X[y == label]).cluster_centers_ for label in np.unique(y)]
    )


def kept(name: str, work: Callable[[], np.ndarray]) -> np.ndarray:
    """Return an array, working it out first if it is not in the cache."""
    path = CACHE / f"{name}.npy"
    if not path.exists():
        CACHE.mkdir(exist_ok=True)
        found = work()
        with replacing(path) as draft, draft.open("wb") as stream:
            np.save(stream, found)
    return np.load(path)


def of_digits(metric: Metric, name: str, arrays: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """Return the distances of training digits to training digits, and of test digits to training digits."""
    return (
        kept(f"usps-{name}-train", lambda: metric(arrays["X"], None)),
        kept(f"usps-{name}-test", lambda: metric(arrays["X_test"], arrays["X"])),
    )
