"""The nearest known cases of a row, by one or several Gaussian kernels."""

from __future__ import annotations

import math
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

_TIE = 1e-9  # in the logarithm of a similarity: rows with equal values round differently
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
    share : float
        How much it counts among several; the shares sum to one.
    """

    columns: IntArray
    weights: FloatArray
    share: float = 1.0


def batch_kernels(manager: SetManager) -> tuple[Kernel, ...]:
    """Return the kernels of a model's batches, each with the share of its prototypes in all prototype weights.

    That is how familiarity (4.5) weighs batches. There is none for a batch that uses no feature.
    """
    used = [batch for batch in manager.batches if batch is not None and len(batch.active_features)]
    totals = np.array([batch.weights.sum(dtype=np.float64) for batch in used])
    shares = totals / totals.sum() if used else totals
    return tuple(
        Kernel(batch.active_features, batch.feature_weights.astype(np.float64), float(share))
        for batch, share in zip(used, shares, strict=True)
    )


@dataclass(frozen=True, eq=False)
class NearestKnown:
    """The known cases nearest to some rows, nearest first.

    Attributes
    ----------
    distance : ndarray of shape (n, k)
        Squared distances in the units of the kernel: -2 times the logarithm of the similarity, which keeps apart what
        is too far away to have one; infinite where there are fewer.
    position : ndarray of int64, shape (n, k)
        Rows of the known cases; -1 where there are fewer.
    """

    distance: FloatArray
    position: IntArray

    @property
    def similarity(self) -> FloatArray:
        """Similarities in [0, 1], shape (n, k)."""
        result: FloatArray = np.exp(-0.5 * self.distance)
        return result


class KnownCases:
    """Known cases among which the nearest ones are looked up.

    Parameters
    ----------
    X : ndarray of shape (m, D)
        The known cases, finite; m at least 1.
    kernels : sequence of Kernel
        Similarity is the mean of their values, weighted by their shares. Without any, all cases are equally near.

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
        self._logs = [math.log2(kernel.share) for kernel in self.kernels]
        self._size = int(X.shape[0])
        self._sides = [
            scaled_prototypes(X[:, kernel.columns].astype(np.float64), kernel.weights) for kernel in self.kernels
        ]

    def __len__(self) -> int:
        return self._size

    def nearest(self, X: NDArray[np.floating], k: int = 1, *, own: IntArray | None = None) -> NearestKnown:
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
        asked = min(self._size, k + 1 + _SPARE)
        distance, position = np.zeros((n, asked)), np.tile(np.arange(asked, dtype=np.int64), (n, 1))
        if self.kernels:
            rows = [bounded(side.take(X[:, use.columns])) for use, side in zip(self.kernels, self._sides, strict=True)]
            width = max(self._size, asked * max(part.shape[1] for part in rows))
            with single_threaded_blas():
                for block in row_blocks(n, width):
                    parts = [part[block] for part in rows]
                    position[block] = _largest(self._logarithms(parts), asked)
                    # Products cancel: what they find is measured once more, by differences.
                    distance[block] = self._measured(parts, position[block])
        distance[position == own[:, None]] = np.inf
        return _nearest_first(distance, position, k)

    def votes(self, X: NDArray[np.floating], weights: FloatArray, k: int, *, own: IntArray | None = None) -> FloatArray:
        """Sum weights of the k nearest known cases of each row; those as far as the last one count as well.

        Parameters
        ----------
        X : ndarray of shape (n, D)
            Rows, finite.
        weights : ndarray of shape (m, K)
            What each known case gives to each class: 1 for its own counts them.
        k : int
            How many are asked, 1 or more.
        own : ndarray of int64, shape (n,), or None
            As for :meth:`nearest`.

        Returns
        -------
        ndarray of shape (n, K)
            Zeros if there is no kernel to compare by.

        Examples
        --------
        >>> known = KnownCases(np.array([[0.0], [1.0], [1.0], [5.0]]), [Kernel(np.array([0]), np.ones(1))])
        >>> known.votes(np.array([[0.9], [5.0]]), np.eye(2)[[0, 0, 1, 1]], 1, own=np.array([-1, 3])).tolist()
        [[1.0, 1.0], [1.0, 1.0]]
        """
        n = X.shape[0]
        found = np.zeros((n, weights.shape[1]))
        if not self.kernels:
            return found
        own = np.full(n, -1, dtype=np.int64) if own is None else own
        rows = [bounded(side.take(X[:, use.columns])) for use, side in zip(self.kernels, self._sides, strict=True)]
        place = max(0, self._size - k)
        with single_threaded_blas():
            for block in row_blocks(n, max(self._size, *(part.shape[1] for part in rows))):
                logs, mine = self._logarithms([part[block] for part in rows]), own[block]
                logs[np.flatnonzero(mine >= 0), mine[mine >= 0]] = -np.inf
                last = np.partition(logs, place, axis=1)[:, [place]]
                near = (logs >= last - _TIE * (1.0 + np.abs(last))) & (logs > -np.inf)
                found[block] = near.astype(np.float64) @ weights
        return found

    def distances(self, x: NDArray[np.floating]) -> tuple[FloatArray, IntArray]:
        """Return the squared distance of every known case from one row, and the kernel that says most of it.

        Parameters
        ----------
        x : ndarray of shape (D,)
            The row, finite.

        Returns
        -------
        distance : ndarray of shape (m,)
            As in :class:`NearestKnown`.
        kernel : ndarray of int64, shape (m,)
            The kernel with the largest part in the similarity; 0 where there is none.
        """
        if not self.kernels:
            return np.zeros(self._size), np.zeros(self._size, dtype=np.int64)
        pairs = zip(self.kernels, self._sides, self._logs, strict=True)
        each = [log - _squares(bounded(side.take(x[None, use.columns])) - side.scaled) for use, side, log in pairs]
        return _summed(each) / -(KERNEL_UNIT**2), np.argmax(each, axis=0).astype(np.int64)

    def _logarithms(self, rows: list[FloatArray]) -> FloatArray:
        """Return binary logarithms of the similarity of rows, in the units of each kernel, to all known cases."""
        each = [exponents(part, side.scaled, side.lengths) for part, side in zip(rows, self._sides, strict=True)]
        if len(each) > 1:
            for part, log in zip(each, self._logs, strict=True):
                part += log
        return _summed(each)

    def _measured(self, rows: list[FloatArray], position: IntArray) -> FloatArray:
        """Return squared distances to some known cases of each row."""
        pairs = zip(rows, self._sides, self._logs, strict=True)
        each = [log - _squares(part[:, None, :] - side.scaled[position]) for part, side, log in pairs]
        return _summed(each) / -(KERNEL_UNIT**2)


def _squares(apart: FloatArray) -> FloatArray:
    """Return squared lengths over the last axis."""
    result: FloatArray = np.einsum("...d,...d->...", apart, apart)
    return result


def _summed(logarithms: list[FloatArray]) -> FloatArray:
    """Return the binary logarithm of a sum of powers of two, without making any of them zero."""
    if len(logarithms) == 1:
        return logarithms[0]
    highest = np.max(logarithms, axis=0)
    total = np.zeros_like(highest)
    for part in logarithms:
        total += np.exp2(part - highest)
    result: FloatArray = np.minimum(highest + np.log2(total), 0.0)
    return result


def _largest(values: FloatArray, k: int) -> IntArray:
    """Return where the k largest values of each row stand; overwrites them. Faster than sorting for a few."""
    found = np.empty((values.shape[0], k), dtype=np.int64)
    each = np.arange(values.shape[0])
    for i in range(k):
        found[:, i] = values.argmax(axis=1)
        values[each, found[:, i]] = -np.inf
    return found


def _nearest_first(distance: FloatArray, position: IntArray, k: int) -> NearestKnown:
    """Return the k nearest of each row, equally near ones by position."""
    order = np.lexsort((position, distance), axis=1)[:, :k]
    distance, position = np.take_along_axis(distance, order, axis=1), np.take_along_axis(position, order, axis=1)
    if position.shape[1] < k:
        room = ((0, 0), (0, k - position.shape[1]))
        distance, position = np.pad(distance, room, constant_values=np.inf), np.pad(position, room)
    return NearestKnown(distance, np.where(np.isinf(distance), -1, position))
