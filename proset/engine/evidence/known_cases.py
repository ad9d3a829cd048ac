"""The nearest known cases of a row, by one or several Gaussian kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proset.engine.kernels.similarity import (
    FloatArray,
    IntArray,
    exponents,
    row_blocks,
    scaled_prototypes,
    single_threaded_blas,
)
from proset.engine.kernels.units import KERNEL_UNIT, bounded
from proset.engine.set_manager import SetManager

_SPARE = 2  # neighbours looked at beyond those asked for, so that rounding and a row itself do not cost one


@dataclass(frozen=True, eq=False)
class Kernel:
    """A Gaussian kernel over some columns: ``exp(-0.5 * sum((weights * (x - y)[columns]) ** 2))``, as (2.3).

    Attributes
    ----------
    columns : ndarray of int64, shape (d,)
        Columns of the feature matrix.
    weights : ndarray of shape (d,)
        Inverse bandwidths, positive.
    """

    columns: IntArray
    weights: FloatArray


def batch_kernels(manager: SetManager) -> tuple[Kernel, ...]:
    """Return the kernels of a model's batches; none for a batch that uses no feature."""
    return tuple(
        Kernel(batch.active_features, batch.feature_weights.astype(np.float64))
        for batch in manager.batches
        if batch is not None and len(batch.active_features)
    )


@dataclass(frozen=True, eq=False)
class Nearest:
    """The known cases nearest to some rows, nearest first.

    Attributes
    ----------
    distance : ndarray of shape (n, k)
        Squared distances in kernel units, those of the kernel that finds them nearest; infinite where there are fewer.
    position : ndarray of int64, shape (n, k)
        Rows of the known cases; -1 where there are fewer.
    kernel : ndarray of int64, shape (n, k)
        Which of the kernels.
    """

    distance: FloatArray
    position: IntArray
    kernel: IntArray

    @property
    def similarity(self) -> FloatArray:
        """Kernel values in [0, 1], shape (n, k)."""
        result: FloatArray = np.exp(-0.5 * self.distance)
        return result


class KnownCases:
    """Known cases among which the nearest ones are looked up.

    Parameters
    ----------
    X : ndarray of shape (m, D)
        The known cases, finite; m at least 1.
    kernels : sequence of Kernel
        A case is as near as the kernel says that finds it nearest. Without any, all are equally near.

    Notes
    -----
    With the kernels of a model's batches, no prototype is nearer to a row than its nearest known case, whatever the
    batch: what is said of the two cannot disagree.

    Examples
    --------
    >>> known = KnownCases(np.array([[0.0], [1.0], [5.0]]), [Kernel(np.array([0]), np.ones(1))])
    >>> found = known.nearest(np.array([[0.9], [5.0]]))
    >>> found.position[:, 0].tolist(), found.similarity[:, 0].round(3).tolist()
    ([1, 2], [0.995, 1.0])
    >>> known.nearest(np.array([[5.0]]), own=np.array([2])).position.tolist()
    [[1]]
    """

    def __init__(self, X: NDArray[np.floating], kernels: Sequence[Kernel]) -> None:
        self.kernels = tuple(kernels)
        self._size = int(X.shape[0])
        self._sides = [
            scaled_prototypes(X[:, kernel.columns].astype(np.float64), kernel.weights) for kernel in self.kernels
        ]

    def __len__(self) -> int:
        return self._size

    def nearest(self, X: NDArray[np.floating], k: int = 1, *, own: IntArray | None = None) -> Nearest:
        """Find the k nearest known cases of each row.

        Parameters
        ----------
        X : ndarray of shape (n, D)
            Rows, finite.
        k : int, default 1
            How many.
        own : ndarray of int64, shape (n,), or None
            Which known case each row is itself and does not count; -1 for none.

        Returns
        -------
        Nearest
            Equally near ones by position.
        """
        n = X.shape[0]
        own = np.full(n, -1, dtype=np.int64) if own is None else own
        if not self.kernels or n == 0:
            return self._any(n, k, own)
        found = [self._by_kernel(number, X, k, own) for number in range(len(self.kernels))]
        distance, position = (np.concatenate([pair[i] for pair in found], axis=1) for i in (0, 1))
        width = found[0][0].shape[1]
        kernel = np.tile(np.repeat(np.arange(len(found)), width), (n, 1))
        return _first_of_each(distance, position, kernel, k)

    def distances(self, x: NDArray[np.floating]) -> tuple[FloatArray, IntArray]:
        """Return the squared distance of every known case from one row, and the kernel by which it is nearest.

        Parameters
        ----------
        x : ndarray of shape (D,)
            The row, finite.

        Returns
        -------
        distance : ndarray of shape (m,)
            In kernel units, as in :class:`Nearest`.
        kernel : ndarray of int64, shape (m,)
            Which of the kernels; 0 where there is none.
        """
        if not self.kernels:
            return np.zeros(self._size), np.zeros(self._size, dtype=np.int64)
        each = np.empty((len(self.kernels), self._size))
        for number, (kernel, side) in enumerate(zip(self.kernels, self._sides, strict=True)):
            apart = bounded(side.take(x[None, kernel.columns])) - side.scaled
            each[number] = np.einsum("md,md->m", apart, apart) / KERNEL_UNIT**2
        return each.min(axis=0), each.argmin(axis=0).astype(np.int64)

    def _by_kernel(self, number: int, X: NDArray[np.floating], k: int, own: IntArray) -> tuple[FloatArray, IntArray]:
        """Return squared distances and positions of the nearest by one kernel, and a few more."""
        side = self._sides[number]
        rows = bounded(side.take(X[:, self.kernels[number].columns]))
        asked = min(self._size, k + 1 + _SPARE)
        distance, position = np.empty((len(rows), asked)), np.empty((len(rows), asked), dtype=np.int64)
        with single_threaded_blas():
            for block in row_blocks(len(rows), max(self._size, asked * rows.shape[1])):
                position[block] = _largest(exponents(rows[block], side.scaled, side.lengths), asked)
                # Products cancel: what they find is measured once more, by differences.
                apart = rows[block, None, :] - side.scaled[position[block]]
                distance[block] = np.einsum("nkd,nkd->nk", apart, apart) / KERNEL_UNIT**2
        distance[position == own[:, None]] = np.inf
        return distance, position

    def _any(self, n: int, k: int, own: IntArray) -> Nearest:
        """Return the first known cases: where nothing tells them apart, all are equally near."""
        position = np.tile(np.arange(min(self._size, k + 1), dtype=np.int64), (n, 1))
        distance = np.where(position == own[:, None], np.inf, 0.0)
        return _first_of_each(distance, position, np.zeros_like(position), k)


def _largest(values: FloatArray, k: int) -> IntArray:
    """Return where the k largest values of each row stand; overwrites them. Faster than sorting for a few."""
    found = np.empty((values.shape[0], k), dtype=np.int64)
    each = np.arange(values.shape[0])
    for i in range(k):
        found[:, i] = values.argmax(axis=1)
        values[each, found[:, i]] = -np.inf
    return found


def _first_of_each(distance: FloatArray, position: IntArray, kernel: IntArray, k: int) -> Nearest:
    """Return the k nearest of each row, each position once, by distance and then by position."""
    distance, position, kernel = _sorted(distance, position, kernel)
    for column in range(1, position.shape[1]):
        again = (position[:, :column] == position[:, column, None]).any(axis=1)
        distance[again, column] = np.inf
    distance, position, kernel = _sorted(distance, position, kernel)
    distance, position, kernel = distance[:, :k], position[:, :k], kernel[:, :k]
    if position.shape[1] < k:
        room = ((0, 0), (0, k - position.shape[1]))
        distance = np.pad(distance, room, constant_values=np.inf)
        position, kernel = np.pad(position, room), np.pad(kernel, room)
    return Nearest(distance, np.where(np.isinf(distance), -1, position), kernel)


def _sorted(distance: FloatArray, position: IntArray, kernel: IntArray) -> tuple[FloatArray, IntArray, IntArray]:
    """Return the columns of each row by distance, equal ones by position."""
    order = np.lexsort((position, distance), axis=1)
    return (
        np.take_along_axis(distance, order, axis=1),
        np.take_along_axis(position, order, axis=1),
        np.take_along_axis(kernel, order, axis=1),
    )
