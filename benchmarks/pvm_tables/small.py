"""Table 2: four classifiers by nearest prototype on six tables, their numbers chosen by cross-validation."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.metrics import pairwise_distances

from benchmarks.cells import Cell
from benchmarks.peers.environment import ROOT, Environment
from benchmarks.peers.processes import Engine, run
from benchmarks.pvm_tables.choice import one_standard_error
from benchmarks.pvm_tables.olvq import fit_vectors
from benchmarks.pvm_tables.sets import FOLDS, Arrays, folds
from proset.companions.pvm import PVMClassifier

PEERS = Path(__file__).parents[1] / "peers"
MEDOIDS = Environment(ROOT / ".peers" / "medoids", (PEERS / "medoids_requirements.txt",), "k-medoids")
MEDOIDS_RUNNER = PEERS / "medoids_runner.py"
PER_CLASS = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 64, 100)
VECTORS_PER_CLASS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)


def nearest(X: np.ndarray, prototypes: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Give each row the class of its nearest prototype."""
    return classes[pairwise_distances(X, prototypes).argmin(axis=1)]


def cell(error: np.ndarray, n_prototypes: int, chosen: object, start: float) -> Cell:
    """Put what is told of one method on one split together."""
    return {
        "error": 100.0 * float(error.mean()),
        "n_prototypes": int(n_prototypes),
        "chosen": chosen,
        "seconds": time.perf_counter() - start,
    }


def one_nearest(arrays: Arrays, seed: int) -> Cell:
    """All training rows are prototypes."""
    del seed
    start = time.perf_counter()
    found = nearest(arrays["X_test"], arrays["X"], arrays["y"])
    return cell(found != arrays["y_test"], len(arrays["y"]), None, start)


def prototype_vector_machine(arrays: Arrays, seed: int) -> Cell:
    """Ours, by its own ten folds and the rule of one standard error."""
    start = time.perf_counter()
    model = PVMClassifier(standardize=False, cv=FOLDS, random_state=seed).fit(arrays["X"], arrays["y"])
    wrong = model.predict(arrays["X_test"]) != arrays["y_test"]
    return cell(wrong, len(model.prototype_labels_), float(model.eps_), start)


def medoids(arrays: Arrays, seed: int) -> Cell:
    """K medoids of every class; K by ten folds and the rule of one standard error."""
    start = time.perf_counter()
    X, y = arrays["X"], arrays["y"]
    sizes = [size for size in PER_CLASS if size < np.bincount(y).max()]
    fold = folds(y, seed)
    given = {"D": pairwise_distances(X).astype(np.float32), "y": y, "fold": fold}
    engine = Engine("medoids", MEDOIDS.python(), runner=MEDOIDS_RUNNER)
    rows = run(engine, "medoids", given, sizes=sizes, seed=seed)["medoids"]
    errors, counts = np.empty((len(sizes), FOLDS)), np.empty((len(sizes), FOLDS))
    for number in range(FOLDS):
        held_out = fold == number
        for place, own in enumerate(rows[str(number)]):
            errors[place, number] = (nearest(X[held_out], X[own], y[own]) != y[held_out]).mean()
            counts[place, number] = len(own)
    best = one_standard_error(errors, counts.mean(axis=1))
    own = rows["-1"][best]
    return cell(nearest(arrays["X_test"], X[own], y[own]) != arrays["y_test"], len(own), sizes[best], start)


def vector_quantization(arrays: Arrays, seed: int) -> Cell:
    """Vectors that learn; how many, by ten folds and the rule of one standard error."""
    start = time.perf_counter()
    X, y = arrays["X"], arrays["y"]
    n_classes = len(np.unique(y))
    sizes = [n_classes * size for size in VECTORS_PER_CLASS if n_classes * size < len(y)]
    fold = folds(y, seed)
    errors = np.empty((len(sizes), FOLDS))
    for number in range(FOLDS):
        held_out = fold == number
        for place, size in enumerate(sizes):
            learned = fit_vectors(X[~held_out], y[~held_out], size, seed)
            errors[place, number] = (nearest(X[held_out], *learned) != y[held_out]).mean()
    best = one_standard_error(errors, np.array(sizes))
    vectors, classes = fit_vectors(X, y, sizes[best], seed)
    return cell(nearest(arrays["X_test"], vectors, classes) != arrays["y_test"], len(vectors), sizes[best], start)


METHODS: dict[str, Callable[[Arrays, int], Cell]] = {
    "1-NN": one_nearest,
    "PVM": prototype_vector_machine,
    "K-medoids": medoids,
    "LVQ": vector_quantization,
}
