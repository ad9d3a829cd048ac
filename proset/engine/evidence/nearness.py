"""Nearness of a row to known cases, as a quantile of that of rows that the model was tested on.

Familiarity (4.5) follows the weights of the prototypes, and prototypes sit where classes meet: a case in the middle of
its class may have little of it. Here all known cases count alike, whether they became prototypes or not; once in the
model's own metric, once in a metric of all columns, for the model looks at few of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proset.common.lazy import lazy_property
from proset.common.spread import spread_out
from proset.engine.evidence.known_cases import Kernel, KnownCases, NearestKnown
from proset.engine.kernels.similarity import FloatArray, IntArray

_TIE = 1e-9  # a row of the reference ties with itself, although sums of another order round differently
_OPERATIONS = 1e10  # what the reference of a quantile may cost; about a second
FEWEST_REFERENCE, MOST_REFERENCE = 200, 2_000
_MOST_KEPT = 4
MOST_CELLS = 20_000_000
"""Cells of known cases that the metric of all columns holds, 160 MB; of larger tables it takes a part."""


@dataclass(frozen=True, eq=False)
class Metric:
    """Known cases, and how far reference rows are from the nearest of them.

    Attributes
    ----------
    known : KnownCases
        By the kernels of the metric.
    reference : ndarray of shape (m,)
        Squared distances of the reference rows to their nearest known case.
    rows : ndarray of int64
        Which of all known cases they are, ascending.
    """

    known: KnownCases
    reference: FloatArray
    rows: IntArray

    def place(self, X: NDArray[np.floating], own: IntArray | None = None) -> tuple[NearestKnown, FloatArray]:
        """Return the nearest known case of each row, and its nearness as a quantile; see :meth:`KnownCases.nearest`."""
        found = self.known.nearest(X, own=None if own is None else positions_among(self.rows, own))
        position = np.where(found.position < 0, -1, self.rows[found.position])
        return NearestKnown(found.distance, position), nearness_quantile(found.distance[:, 0], self.reference)


class Nearness:
    """Known cases and reference rows of one model, with the two metrics in which they are compared.

    Parameters
    ----------
    known : ndarray of shape (m, D)
        Known cases, as the model was fitted on them; m at least 1.
    reference : ndarray of shape (r, D) or None
        Rows that quantiles refer to, preferably held out. None or no rows: the known cases, each without itself.
    kernels : sequence of Kernel
        The model's metric, from :func:`~proset.engine.evidence.known_cases.batch_kernels`.
    units : ndarray of shape (D,)
        What a unit of each column counts in the metric of all columns.

    Examples
    --------
    >>> known = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 9.0]])
    >>> near = Nearness(known, None, [Kernel(np.array([0]), np.ones(1))], np.ones(2))
    >>> near.by_model.place(np.array([[1.1, 5.0]]))[1].tolist(), near.n_reference
    ([1.0], 3)
    >>> near.by_columns(np.array([0, 1])).place(np.array([[1.1, 50.0]]))[1].tolist()
    [0.0]
    """

    def __init__(
        self,
        known: NDArray[np.floating],
        reference: NDArray[np.floating] | None,
        kernels: Sequence[Kernel],
        units: FloatArray,
    ) -> None:
        self._known = known
        given = reference is not None and len(reference) > 0
        rows = reference if reference is not None and given else known
        chosen = spread_out(np.arange(len(rows)), reference_size(len(known), known.shape[1]))
        self._reference = rows[chosen]
        self._own = None if given else chosen
        self._kernels = tuple(kernels)
        self._units = units
        self._by_columns: dict[tuple[int, ...], Metric] = {}

    @property
    def n_known(self) -> int:
        """Number of known cases."""
        return len(self._known)

    @property
    def n_reference(self) -> int:
        """Number of rows that quantiles refer to: at most 2,000, evenly spread."""
        return len(self._reference)

    @lazy_property
    def by_model(self) -> Metric:
        """The model's metric: the mean of the batches' kernels, weighted as familiarity weighs the batches."""
        return self._metric(self._kernels)

    def by_columns(self, columns: IntArray) -> Metric:
        """Return the metric of some columns; its bandwidth is the typical distance of a known case to its nearest.

        Of very large tables it takes a part of the known cases, evenly spread: the reference rows are compared with the
        same part, so that quantiles hold, though similarities are a little low.
        """
        key = tuple(columns.tolist())
        if key not in self._by_columns:
            units, rows = self._units[columns], self._some(len(columns))
            scale = typical_distance(self._known[np.ix_(rows, columns)] * units)
            if len(self._by_columns) >= _MOST_KEPT:
                self._by_columns.pop(next(iter(self._by_columns)), None)
            self._by_columns[key] = self._metric([Kernel(columns, units / scale)] if len(columns) else [], rows)
        return self._by_columns[key]

    def similarities(self, x: NDArray[np.floating], rows: IntArray, columns: IntArray) -> FloatArray:
        """Return how alike one row of shape (D,) and some known cases are in the metric of some columns."""
        known = KnownCases(self._known[rows], self.by_columns(columns).known.kernels)
        result: FloatArray = np.exp(-0.5 * known.distances(x)[0])
        return result

    def votes(
        self, X: NDArray[np.floating], weights: FloatArray, k: int, own: IntArray | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Sum weights of the nearest known cases of many rows, without looking up the reference rows.

        Parameters
        ----------
        X, k, own
            As for :meth:`KnownCases.votes`.
        weights : ndarray of shape (m, K)
            What each known case gives to each class.

        Returns
        -------
        by_model, by_columns : ndarray of shape (n, K)
            In the model's metric, and in that of all columns; the latter takes a part of very many known cases.
        """
        every = np.arange(self._known.shape[1])
        rows = self._some(len(every))
        plain = [Kernel(every, self._units)] if len(every) else []  # which are nearest does not depend on a bandwidth
        known = KnownCases(self._known, self._kernels), KnownCases(self._known[rows], plain)
        among = None if own is None else positions_among(rows, own)
        return known[0].votes(X, weights, k, own=own), known[1].votes(X, weights[rows], k, own=among)

    def _some(self, width: int) -> IntArray:
        """Return which known cases the metric of so many columns takes."""
        return spread_out(np.arange(len(self._known)), max(1, MOST_CELLS // max(1, width)))

    def _metric(self, kernels: Sequence[Kernel], rows: IntArray | None = None) -> Metric:
        """Look up the reference rows."""
        rows = np.arange(len(self._known)) if rows is None else rows
        known = KnownCases(self._known if len(rows) == len(self._known) else self._known[rows], kernels)
        own = None if self._own is None else positions_among(rows, self._own)
        return Metric(known, known.nearest(self._reference, own=own).distance[:, 0], rows)


def typical_distance(X: FloatArray) -> float:
    """Return the typical distance of a row to the nearest other one.

    Parameters
    ----------
    X : ndarray of shape (m, d)
        Rows.

    Returns
    -------
    float
        Median over at most 2,000 rows; the mean where more than half are alike, 1 where all are.

    Examples
    --------
    >>> typical_distance(np.array([[0.0], [1.0], [3.0]]))
    1.0
    """
    plain = KnownCases(X, [Kernel(np.arange(X.shape[1]), np.ones(X.shape[1]))])
    asked = spread_out(np.arange(len(plain)), reference_size(*X.shape))
    squares = plain.nearest(X[asked], own=asked).distance[:, 0]
    distances = np.sqrt(squares[np.isfinite(squares)])
    if not len(distances) or distances.max() == 0.0:
        return 1.0
    return float(np.median(distances)) or float(distances.mean())


def reference_size(known: int, columns: int) -> int:
    """Return how many rows a quantile may refer to, so that finding their nearest known cases takes about a second."""
    return int(np.clip(_OPERATIONS / max(1, known * columns), FEWEST_REFERENCE, MOST_REFERENCE))


def positions_among(rows: IntArray, wanted: IntArray) -> IntArray:
    """Return where some numbers stand among ascending ones; -1 for those that are not there.

    Examples
    --------
    >>> positions_among(np.array([0, 3, 6]), np.array([6, 5, -1, 0])).tolist()
    [2, -1, -1, 0]
    """
    place = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
    return np.where(rows[place] == wanted, place, -1).astype(np.int64)


def nearness_quantile(distance: FloatArray, reference: FloatArray) -> FloatArray:
    """Express squared distances to the nearest known case as a quantile of those of reference rows.

    Parameters
    ----------
    distance : ndarray of shape (n,)
        Of the rows in question.
    reference : ndarray of shape (m,)
        Of the rows to compare with, m at least 1.

    Returns
    -------
    ndarray of shape (n,)
        Share of the reference rows that are no nearer to theirs, in [0, 1]; low for a row that is far from all.

    Examples
    --------
    >>> nearness_quantile(np.array([0.5, 9.0]), np.array([0.1, 0.5, 1.0, 4.0])).tolist()
    [0.75, 0.0]
    """
    ordered = np.sort(reference) * (1.0 + _TIE)
    nearer = np.searchsorted(ordered, distance, side="left")
    return (ordered.shape[0] - nearer) / ordered.shape[0]
