"""Maps of rows, each drawn with the distance of one system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from proset.common.errors import StudyError
from proset.common.notebook import Displayed
from proset.common.spread import spread_out
from proset.common.words import count_words, percent
from proset.companions.protocol import NotOfferedError, Offer, PrototypeModel
from proset.compare.disputes import check_same
from proset.compare.ground import drawn
from proset.compare.measures import FloatArray, IntArray

if TYPE_CHECKING:
    from proset.compare.result import Comparison, SystemResult
    from proset.study import Study

RAW, RAW_TITLE = "raw", "Plain distance"
MOST_ROWS, MOST_PROTOTYPES = 500, 300


@dataclass(frozen=True, eq=False)
class DistanceMap(Displayed):
    """Rows in the plane that shows the distances of one system best.

    Attributes
    ----------
    key, title : str
        The system, or ``"raw"`` for the plain distance of matrix rows.
    rows : DataFrame
        Index ``row``; ``x``, ``y``, ``part`` ("train" or "held_out"), ``actual``, ``predicted`` (by the system; by the
        study's model on the plain map).
    prototypes : DataFrame
        ``id``, ``row`` (of a made point, the row nearest to it), ``made``, ``class``, ``weight``, ``x``, ``y``.
    kept : float
        Share of the squared distances that the plane shows, in [0, 1]; what it shows too long counts against it as
        what it shows too short does.
    n_rows, n_prototypes : int
        How many there are in all.
    """

    key: str
    title: str
    rows: pd.DataFrame
    prototypes: pd.DataFrame
    kept: float
    n_rows: int
    n_prototypes: int

    @property
    def words(self) -> tuple[str, ...]:
        """Sentences on the rows shown and on what the plane keeps."""
        drawn_rows = f"{len(self.rows):,} of {count_words(self.n_rows, 'row')}"
        rows = drawn_rows if len(self.rows) < self.n_rows else f"all {count_words(self.n_rows, 'row')}"
        first = f"The map shows {rows}; the plane keeps {percent(self.kept)} of the squared distances."
        if len(self.prototypes) < self.n_prototypes:
            which = " with the largest weights" if np.ptp(self.prototypes["weight"]) > 0.0 else ""
            return first, f"{len(self.prototypes):,} of its {self.n_prototypes:,} prototypes{which} are drawn."
        return (first,)

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`rows` with the row ids as a column."""
        return self.rows.reset_index()


def map_keys(comparison: Comparison) -> tuple[str, ...]:
    """Return what a map can be drawn with: the plain distance and every fitted system that has one of its own.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False))
    >>> map_keys(found)
    ('raw', 'proset', 'knn')
    """
    return (RAW, *(entry.key for entry in comparison.fitted if entry.has(Offer.DISTANCE)))


def distance_map(
    study: Study, comparison: Comparison, key: str = RAW, *, max_rows: int = MOST_ROWS, random_state: int = 0
) -> DistanceMap:
    """Draw a map with a system's own distance (classical scaling; prototypes are placed in it afterwards).

    Parameters
    ----------
    key : str
        One of :func:`map_keys`.
    max_rows : int
        Rows at most, drawn class by class among those that were learned from or measured.
    random_state : int
        Draws them.

    Raises
    ------
    NotOfferedError
        If the system has no distance.
    StudyError
        If it has no model, or the comparison is of another study.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False))
    >>> distance_map(study, found, "knn").words
    ('The map shows all 150 rows; the plane keeps 100 % of the squared distances.',)
    """
    check_same(study, comparison)
    entry = None if key == RAW else comparison.system(key)
    model = _measuring(entry)
    everything = np.union1d(comparison.rows, comparison.measured)
    codes = pd.Index(comparison.classes).get_indexer(pd.Index(study.labels.reindex(everything))).astype(np.int64)
    rows = everything[drawn(codes, max_rows, random_state)]
    X = study.encode(rows).X
    apart = _apart(model, X, X)
    spots, plane = _scaled(0.5 * (apart + apart.T))
    facts = study.predictions.loc[rows, ["part", "actual", "predicted"]].copy()
    if model is not None:
        facts["predicted"] = pd.array(np.asarray(model.predict(X)).astype(str), dtype="str")
    facts.insert(0, "x", spots[:, 0])
    facts.insert(1, "y", spots[:, 1])
    prototypes, count = _prototypes(comparison, entry, plane, X)
    title = RAW_TITLE if entry is None else entry.title
    return DistanceMap(key, title, facts, prototypes, plane.kept, len(everything), count)


@dataclass(frozen=True, eq=False)
class _Plane:
    """Plane of a map: places a further point by its distances to those that the map was made of."""

    axes: FloatArray
    mean: FloatArray
    kept: float

    def place(self, squared: FloatArray) -> FloatArray:
        """Return coordinates of points with these squared distances to the points of the map, shape (k, 2)."""
        spots: FloatArray = 0.5 * (self.mean - squared) @ self.axes
        return spots


def _scaled(apart: FloatArray) -> tuple[FloatArray, _Plane]:
    """Return coordinates by classical scaling, shape (n, 2), and the plane."""
    squared = np.square(apart)
    mean = squared.mean(axis=0)
    inner = -0.5 * (squared - mean - mean[:, np.newaxis] + mean.mean())
    n = len(inner)
    values, vectors = eigh(inner, subset_by_index=[max(0, n - 2), n - 1])
    values, vectors = values[::-1], vectors[:, ::-1]
    if n < 2:
        values, vectors = np.append(values, 0.0), np.column_stack([vectors, np.zeros(n)])
    values = np.maximum(values, 0.0)
    # A sign is left open by the decomposition: the largest coordinate counts as positive, so that maps stay put.
    vectors = vectors * np.where(vectors[np.abs(vectors).argmax(axis=0), [0, 1]] < 0.0, -1.0, 1.0)
    roots = np.sqrt(values)
    spots = vectors * roots
    # A share of eigenvalues would pass 1 where distances fit into no space at all, as those of proset and gbmap.
    missed, total = np.abs(squared - cdist(spots, spots, "sqeuclidean")).sum(), squared.sum()
    kept = max(0.0, 1.0 - round(float(missed / total), 6)) if total > 0.0 else 1.0  # what rounding leaves is no loss
    axes = np.divide(vectors, roots, out=np.zeros_like(vectors), where=roots > 1e-9 * max(1.0, float(roots[0])))
    return spots, _Plane(axes, mean, kept)


def _prototypes(
    comparison: Comparison, entry: SystemResult | None, plane: _Plane, X: NDArray[np.floating]
) -> tuple[pd.DataFrame, int]:
    """Return the prototypes of a system with their places, the heaviest if there are many, and their number."""
    columns = ("id", "row", "made", "class", "weight", "x", "y")
    if entry is None or entry.model is None or entry.prototype_rows is None or not len(entry.prototype_rows):
        return pd.DataFrame({name: [] for name in columns}), 0
    table = entry.model.prototypes()
    chosen = _drawn_prototypes(table.weight)
    spots = plane.place(np.square(_apart(entry.model, table.X[chosen], X)))
    frame = pd.DataFrame(
        {
            "id": chosen,
            "row": entry.prototype_rows[chosen],
            "made": table.sample_index[chosen] < 0,
            "class": pd.array(np.asarray(table.target)[chosen].astype(str), dtype="str"),
            "weight": table.weight[chosen],
            "x": spots[:, 0],
            "y": spots[:, 1],
        }
    )
    return frame, len(table)


def _drawn_prototypes(weight: FloatArray) -> IntArray:
    """Return the heaviest prototypes if there are many; an even spread of them where all weigh the same."""
    if np.ptp(weight) > 0.0:
        return np.argsort(-weight, kind="stable")[:MOST_PROTOTYPES].astype(np.int64)
    return spread_out(np.arange(len(weight)), MOST_PROTOTYPES)


def _measuring(entry: SystemResult | None) -> PrototypeModel | None:
    """Return the model whose distance is drawn; None for the plain one."""
    if entry is None:
        return None
    if entry.model is None:
        raise StudyError(f"{entry.title} has no model: {entry.failed}", hint="Choose another system.")
    if not entry.has(Offer.DISTANCE):
        raise NotOfferedError(entry.title, Offer.DISTANCE)
    return entry.model


def _apart(model: PrototypeModel | None, A: NDArray[Any], B: NDArray[Any]) -> FloatArray:
    """Return distances, at least 0, shape (n, m)."""
    found = pairwise_distances(A, B) if model is None else model.distance(A, B)
    distances: FloatArray = np.maximum(np.asarray(found, dtype=np.float64), 0.0)
    return distances
