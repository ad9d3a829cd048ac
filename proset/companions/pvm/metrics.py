"""Dissimilarities: a name, a function of two blocks of rows, a kernel, or a matrix worked out before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances
from sklearn.metrics.pairwise import PAIRWISE_DISTANCE_FUNCTIONS, PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from proset.common.errors import ProsetError
from proset.companions.protocol import FloatArray, IntArray

Metric = Callable[[FloatArray, FloatArray], NDArray[Any]]
PRECOMPUTED = "precomputed"
_FARTHEST, _FARTHEST_OUT = 1e18, 1e38  # of one difference, so that its square, and a distance in units, can be held
NAMES = frozenset(
    {*PAIRWISE_DISTANCE_FUNCTIONS, "braycurtis", "canberra", "chebyshev", "correlation", "minkowski", "sqeuclidean"}
) - {"nan_euclidean", "haversine"}


@runtime_checkable
class PreparedMetric(Protocol):
    """A metric for which rows cost something to prepare, such as the tangents of an image.

    Of what `prepare` returns, nothing is asked but rows, by an array of positions.
    """

    def __call__(self, A: FloatArray, B: FloatArray) -> NDArray[Any]:
        """Return the dissimilarities of points `A` (a, D) and candidates `B` (b, D), shape (a, b)."""
        ...

    def prepare(self, X: FloatArray) -> Any:
        """Prepare rows."""
        ...

    def between(self, A: Any, B: Any) -> NDArray[Any]:
        """Return the dissimilarities of prepared points and candidates, shape (a, b)."""
        ...


@dataclass(frozen=True)
class KernelDistance:
    """The distance of two points in the space of a kernel, sqrt(K(x, x) + K(z, z) - 2 K(x, z)).

    Parameters
    ----------
    kernel : str
        As scikit-learn names it: "rbf", "laplacian", "polynomial", "cosine", ...
    parameters : mapping of str to float
        Its parameters, such as ``{"gamma": 0.5}``.

    Raises
    ------
    ProsetError
        If there is no such kernel.

    Examples
    --------
    >>> rows = np.array([[0.0], [1.0]])
    >>> KernelDistance("linear")(rows, rows).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """

    kernel: str = "rbf"
    parameters: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a kernel that is unknown."""
        if self.kernel not in PAIRWISE_KERNEL_FUNCTIONS:
            hint = f"Use one of {', '.join(sorted(PAIRWISE_KERNEL_FUNCTIONS))}."
            raise ProsetError(f"There is no kernel {self.kernel!r}.", hint=hint)

    def __call__(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Return the distances of all pairs, shape (a, b)."""
        squares = self._own(A)[:, None] + self._own(B)[None, :] - 2.0 * self._between(A, B)
        distances: FloatArray = np.sqrt(np.clip(squares, 0.0, None))
        return distances

    def _between(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Return the kernel of all pairs."""
        return cast(FloatArray, pairwise_kernels(A, B, metric=self.kernel, **self.parameters))

    def _own(self, A: FloatArray) -> FloatArray:
        """Return the kernel of each row with itself, a hundred rows at a time."""
        parts = [np.diag(self._between(A[at : at + 100], A[at : at + 100])) for at in range(0, len(A), 100)]
        return np.concatenate(parts) if parts else np.empty(0)


@dataclass(frozen=True, eq=False)
class _Points:
    """Rows in single precision, and the same with points adjoining."""

    rows: NDArray[np.float32]

    def __getitem__(self, index: IntArray) -> _Points:
        return _Points(self.rows[index])

    @cached_property
    def columns(self) -> NDArray[np.float32]:
        """The transposed rows, shape (D, n)."""
        return np.ascontiguousarray(self.rows.T)


@dataclass(frozen=True, eq=False)
class Euclidean:
    """The Euclidean distance by differences, in single precision around a centre.

    It costs more operations than a matrix product, but a short distance far from the centre keeps its digits, and a
    distance is the same number in every block and from both ends.
    """

    centre: FloatArray
    unit: float

    @classmethod
    def around(cls, X: FloatArray) -> Euclidean:
        """Take the centre and the largest difference from it, so that single precision can hold every distance."""
        centre = X.mean(axis=0) if len(X) else np.zeros(X.shape[1])
        largest = float(np.abs(X - centre).max(initial=0.0))
        return cls(centre, largest if largest > 0.0 and np.isfinite(largest) else 1.0)

    def __call__(self, A: FloatArray, B: FloatArray) -> NDArray[np.float32]:
        """Return the distances of all pairs, shape (a, b)."""
        return self.between(self.prepare(A), self.prepare(B))

    def prepare(self, X: FloatArray) -> _Points:
        """Centre rows and turn them into single precision; one farther off than it can hold is put at its end."""
        with np.errstate(over="ignore"):
            inner = (X - self.centre) / self.unit
        # Long before its end, no prototype is nearer than another as far as single precision can tell.
        end = max(1.0, min(_FARTHEST, _FARTHEST_OUT / self.unit) / max(1.0, X.shape[1]) ** 0.5)
        return _Points(np.clip(inner, -end, end).astype(np.float32))

    def between(self, A: _Points, B: _Points) -> NDArray[np.float32]:
        """Return the distances of prepared rows, shape (a, b), in memory with points adjoining."""
        from proset.companions.pvm.compiled import euclidean

        found = np.empty((len(B.rows), len(A.rows)), dtype=np.float32)
        euclidean(A.columns, np.ascontiguousarray(B.rows), found)
        if self.unit != 1.0:
            found *= np.float32(self.unit)
        return found.T


@dataclass(frozen=True)
class _Plain:
    """A metric that prepares nothing."""

    metric: str | Metric

    def __call__(self, A: FloatArray, B: FloatArray) -> NDArray[Any]:
        if callable(self.metric):
            return np.asarray(self.metric(A, B))
        return cast(FloatArray, pairwise_distances(A, B, metric=self.metric))

    def prepare(self, X: FloatArray) -> FloatArray:
        return X

    def between(self, A: FloatArray, B: FloatArray) -> NDArray[Any]:
        return self(A, B)


def check_metric(metric: object) -> None:
    """Refuse what is no metric.

    Raises
    ------
    ProsetError
        Naming the metrics that there are.

    Examples
    --------
    >>> check_metric("euclidean")
    >>> check_metric("euklid")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    proset.common.errors.ProsetError: metric is 'euklid'. Use 'precomputed', a function of two blocks of rows, or ...
    """
    if not callable(metric) and metric != PRECOMPUTED and not (isinstance(metric, str) and metric in NAMES):
        names = ", ".join(sorted(NAMES - {PRECOMPUTED}))
        hint = f"Use 'precomputed', a function of two blocks of rows, or one of {names}."
        raise ProsetError(f"metric is {metric!r}.", hint=hint)


def is_euclidean(metric: object) -> bool:
    """Tell whether a metric is the Euclidean distance, by name.

    Examples
    --------
    >>> is_euclidean("l2"), is_euclidean("cosine")
    (True, False)
    """
    return isinstance(metric, str) and metric in ("euclidean", "l2")


def prepared_metric(metric: str | Metric, X: FloatArray) -> PreparedMetric:
    """Return a metric with all three methods; `X` are the rows that a model is fitted to.

    Examples
    --------
    >>> rows = np.array([[0.0], [3.0]])
    >>> prepared_metric("euclidean", rows)(rows, rows).tolist()
    [[0.0, 3.0], [3.0, 0.0]]
    >>> prepared_metric("cosine", rows + 1.0)(rows + 1.0, rows + 1.0).round(6).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    if is_euclidean(metric):
        return Euclidean.around(X)
    return metric if isinstance(metric, PreparedMetric) else _Plain(metric)
