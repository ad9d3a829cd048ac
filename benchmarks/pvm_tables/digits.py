"""The digits: errors over the radius, the radius that cross-validation chooses, what the greedy cover looks like."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.spatial.distance import squareform

from benchmarks.cells import Cell, Cells
from benchmarks.pvm_tables.choice import one_standard_error
from benchmarks.pvm_tables.distances import Metric, centres, of_digits
from benchmarks.pvm_tables.sets import FOLDS, Arrays, folds
from proset.companions.pvm.balls import class_bounds, find_balls
from proset.companions.pvm.distances import HeldDistances
from proset.companions.pvm.greedy import GreedyPath, greedy_path
from proset.companions.pvm.tangent import TangentDistance

LARGEST_SHARE = 0.14  # of the distances between training digits: the paper's largest radius
RADII = 29
HALVINGS = 20
DEAR = 6.0  # cost of a prototype at which the paper keeps 88


@dataclass(frozen=True, eq=False)
class Digits:
    """The digits with one distance, training digits sorted by class.

    Attributes
    ----------
    name : str
        Name of the distance and the candidates, for the cells.
    arrays : dict of str to ndarray
        Images and classes.
    D : ndarray of shape (n, m)
        Distances of training digits to candidates, which are the training digits, and centres after them.
    D_test : ndarray of shape (t, m)
        Distances of test digits to candidates.
    metric : callable
        The distance.
    with_centres : bool
        Whether there are centres.
    """

    name: str
    arrays: Arrays
    D: np.ndarray
    D_test: np.ndarray
    metric: Metric
    with_centres: bool = False

    @cached_property
    def radii(self) -> list[tuple[float, float]]:
        """Shares of the distances between training digits, with the distances that they lie below."""
        n = len(self.D)
        own = squareform(self.D[:, :n], checks=False)
        shares = LARGEST_SHARE * np.linspace(0.0, 1.0, RADII) ** 2  # close where errors are low
        places = np.round(shares * (len(own) - 1)).astype(np.int64)
        return list(zip(shares.tolist(), np.partition(own, places)[places].tolist(), strict=True))


def sorted_by_class(arrays: Arrays) -> Arrays:
    """Put training digits of a class together, otherwise in the order in which they are."""
    order = np.argsort(arrays["y"], kind="stable")
    return arrays | {"X": arrays["X"][order], "y": arrays["y"][order]}


def with_metric(name: str, metric: Metric, arrays: Arrays) -> Digits:
    """Work out the distances between the digits, or read what is kept."""
    return Digits(name, arrays, *of_digits(metric, name, arrays), metric)


def and_centres(digits: Digits) -> Digits:
    """Add ten centres of every class to the candidates."""
    more = centres(digits.arrays)
    D, D_test = (
        np.hstack([known, digits.metric(digits.arrays[rows], more)])
        for known, rows in ((digits.D, "X"), (digits.D_test, "X_test"))
    )
    return Digits(f"{digits.name} and centres", digits.arrays, D, D_test, digits.metric, with_centres=True)


def cover(D: np.ndarray, y: np.ndarray, eps: float) -> GreedyPath:
    """Return the greedy cover by balls of one radius for every cost of a prototype, digits sorted by class."""
    return greedy_path(find_balls(HeldDistances.of(D), class_bounds(y, int(y.max()) + 1), eps))


def wrong_ones(D: np.ndarray, y: np.ndarray, path: GreedyPath) -> np.ndarray:
    """Tell which rows are misclassified by the nearest prototype, in the order of the path."""
    if not len(path):
        return np.ones(len(y), dtype=bool)
    wrong: np.ndarray = path.label[D[:, path.candidate].argmin(axis=1)] != y
    return wrong


def curve_cell(digits: Digits, share: float, eps: float) -> Cell:
    """Cover the training digits with balls of one radius and classify the test digits."""
    start = time.perf_counter()
    y, y_test = digits.arrays["y"], digits.arrays["y_test"]
    path = cover(digits.D, y, eps)
    free, dear = path.at(1.0 / len(y)), path.at(DEAR)
    wrong, wrong_dear = wrong_ones(digits.D_test, y_test, free), wrong_ones(digits.D_test, y_test, dear)
    return {
        "share": share,
        "eps": eps,
        "n_prototypes": len(free),
        "of_centres": int((free.candidate >= len(y)).sum()),
        "wrong": int(wrong.sum()),
        "error": 100.0 * float(wrong.mean()),
        "per_class": np.bincount(free.label, minlength=int(y.max()) + 1).tolist(),
        "first": {"class": int(free.label[0]), "covers": int(free.covered[0]), "miscovers": int(free.miscovered[0])},
        "gain_above_1": int((free.score > 1).sum()),
        "only_themselves": int((free.covered == 1).sum()),
        "dear": {
            "n_prototypes": len(dear),
            "error": 100.0 * float(wrong_dear.mean()),
            "wrong_then_right": int((wrong_dear & ~wrong).sum()),
        },
        "seconds": time.perf_counter() - start,
    }


def alike_cell(digits: Digits, n_prototypes: int) -> Cell:
    """Cover with the radius whose number of prototypes is nearest to a given one, found by halving."""
    y = digits.arrays["y"]
    low, high = digits.radii[0][1], digits.radii[-1][1]
    best = (len(y), low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        count = len(cover(digits.D, y, middle).at(1.0 / len(y)))
        best = min(best, (abs(count - n_prototypes), middle))
        low, high = (middle, high) if count > n_prototypes else (low, middle)
    share = float((squareform(digits.D[:, : len(y)], checks=False) < best[1]).mean())
    return curve_cell(digits, share, best[1])


def one_sided_cell(metric: TangentDistance, arrays: Arrays) -> Cell:
    """Classify the test digits by the nearest training digit when only the test digit may move."""
    start = time.perf_counter()
    D = replace(metric, sides=1)(arrays["X_test"], arrays["X"])
    wrong = arrays["y"][D.argmin(axis=1)] != arrays["y_test"]
    return {"wrong": int(wrong.sum()), "error": 100.0 * float(wrong.mean()), "seconds": time.perf_counter() - start}


def fold_cell(digits: Digits, number: int) -> Cell:
    """Leave a fold of the training digits out; return errors and numbers of prototypes, radius by radius."""
    start = time.perf_counter()
    X, y = digits.arrays["X"], digits.arrays["y"]
    held_out = folds(y, 0) == number
    n = len(y)
    D, D_out = digits.D[:, :n][np.ix_(~held_out, ~held_out)], digits.D[:, :n][np.ix_(held_out, ~held_out)]
    if digits.with_centres:
        more = centres({"X": X[~held_out], "y": y[~held_out]})
        D, D_out = (np.hstack([old, digits.metric(X[rows], more)]) for old, rows in ((D, ~held_out), (D_out, held_out)))
    errors, counts = [], []
    for _, eps in digits.radii:
        path = cover(D, y[~held_out], eps).at(1.0 / len(D))
        errors.append(float(wrong_ones(D_out, y[held_out], path).mean()))
        counts.append(len(path))
    return {"errors": errors, "counts": counts, "seconds": time.perf_counter() - start}


def fill(cells: Cells, digits: Digits) -> None:
    """Measure what is missing: the curve, then the folds."""
    for place, (share, eps) in enumerate(digits.radii):
        cells.fill(f"{digits.name}/curve/{place:02d}", lambda share=share, eps=eps: curve_cell(digits, share, eps))
    for number in range(FOLDS):
        cells.fill(f"{digits.name}/fold/{number}", lambda number=number: fold_cell(digits, number))


def curve(cells: Cells, name: str) -> list[Cell]:
    """Return the finished points of a curve, from the smallest radius to the largest."""
    return sorted(cells.matching(f"{name}/curve/"), key=lambda cell: cell["share"])


def chosen(cells: Cells, name: str) -> int | None:
    """Return which radius ten folds choose by the rule of one standard error; None if a fold is missing."""
    found = cells.matching(f"{name}/fold/")
    if len(found) < FOLDS:
        return None
    errors = np.array([cell["errors"] for cell in found]).T
    counts = np.array([cell["counts"] for cell in found]).T.mean(axis=1)
    return one_standard_error(errors, counts)
