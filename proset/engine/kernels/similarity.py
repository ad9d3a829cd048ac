"""Gaussian similarities (2.3) between rows and prototypes, in double precision and bounded memory.

Scoring and explaining go through these functions. They work in float64 because the expansion (5.2) of the squared
distance cancels: with float32 products, the same row would get different probabilities alone and in a table. Rows so
far from the origin that float64 would cancel too are worked on by differences.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import LibController, OpenBLASController, ThreadpoolController

from proset.engine.kernels.units import KERNEL_UNIT, NEAR_64, FloatArray, bounded, nearest_to_zero

BLOCK_ELEMENTS = 1 << 18  # similarities per block: 2 MiB, which stays in cache and bounds memory

IntArray = NDArray[np.int64]


def blas_libraries() -> tuple[LibController, ...]:
    """Find the linear algebra libraries of this process.

    Examples
    --------
    >>> all(library.num_threads >= 1 for library in blas_libraries())
    True
    """
    return _found(len(sys.modules))


@lru_cache(maxsize=1)
def _found(n_modules: int) -> tuple[LibController, ...]:
    """Look once for so many modules, as it takes milliseconds: an import may bring one more library."""
    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)


class _OneThread:
    """A limit that several threads may hold at once: the first sets it, the last lifts it.

    The limit belongs to the process. Were every thread to set and lift its own, one would lift that of another in the
    middle of its products, and sums would be cut in other places from run to run.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._holders = 0
        self._before: list[tuple[LibController, int]] = []

    def __enter__(self) -> None:
        with self._lock:
            if self._holders == 0:
                self._before = [(library, library.num_threads) for library in blas_libraries()]
                _take_control()
                for library, _ in self._before:
                    library.set_num_threads(1)
            self._holders += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._holders -= 1
            if self._holders == 0:
                _take_control()
                for library, before in self._before:
                    if library.num_threads == 1:  # else somebody has set another number since, and meant it
                        library.set_num_threads(before)


def _take_control() -> None:
    """Let the calling thread set the limit: newer versions of threadpoolctl heed only the first thread that did.

    All others are ignored in silence: who fits first in a server would decide for all who come later, and who lifts the
    limit need not be who has set it. Here `_OneThread` sees to it that one sets and one lifts.
    """
    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)


_ONE_THREAD = _OneThread()


def single_threaded_blas() -> AbstractContextManager[None]:
    """Keep matrix products on one thread.

    The products of one block are a few million operations each. Sharing them out costs more than it saves, and where
    the cores are busy, waiting BLAS threads slow small products down by an order of magnitude. The limit belongs to the
    process, so no promise of equal bits may rest on it: any other thread can change it meanwhile.

    Examples
    --------
    >>> with single_threaded_blas():
    ...     _ = np.ones((2, 2)) @ np.ones((2, 2))
    """
    return _ONE_THREAD


def row_blocks(n_rows: int, n_columns: int, max_elements: int = BLOCK_ELEMENTS) -> Iterator[slice]:
    """Cut rows into slices whose product with `n_columns` stays below a number of elements.

    Parameters
    ----------
    n_rows, n_columns : int
        Shape of the matrix that is never made as a whole.
    max_elements : int
        Upper bound on the elements of one block; a block has at least one row.

    Yields
    ------
    slice
        Consecutive row ranges that cover ``range(n_rows)``.

    Examples
    --------
    >>> list(row_blocks(5, 3, max_elements=6))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    step = max(1, max_elements // max(1, n_columns))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def exponents(z: FloatArray, scaled: FloatArray, lengths: FloatArray) -> FloatArray:
    """Return minus the squared distances of rows and prototypes in kernel units, exact to about 1e-10.

    Parameters
    ----------
    z : ndarray of shape (n, d)
        Rows.
    scaled : ndarray of shape (J, d)
        Prototypes.
    lengths : ndarray of shape (J,)
        Squared length of each prototype.

    Returns
    -------
    ndarray of shape (n, J)
        At most 0. Rows far from the origin, where products cancel, are taken feature by feature.

    Examples
    --------
    >>> prototypes = np.array([[1e9], [1e9 + 2.0]])
    >>> exponents(np.array([[1e9]]), prototypes, np.square(prototypes).sum(axis=1))
    array([[ 0., -4.]])
    """
    own = np.einsum("nd,nd->n", z, z)
    exponent = (2.0 * z) @ scaled.T
    exponent -= own[:, None]
    exponent -= lengths
    far = np.flatnonzero(own > NEAR_64)
    if far.shape[0]:
        apart = np.zeros((far.shape[0], scaled.shape[0]))
        for d in range(z.shape[1]):
            difference = z[far, d, None] - scaled[:, d]
            difference *= difference
            apart -= difference
        exponent[far] = apart
    return np.minimum(exponent, 0.0, out=exponent)


@dataclass(frozen=True, eq=False)
class ScaledPrototypes:
    """One side of the kernel (2.3), made once per batch and used for every block of rows (section 5.3, measure 2).

    Attributes
    ----------
    center : ndarray of shape (d,)
        Origin of the kernel units. It costs no digits and keeps products small.
    units : ndarray of shape (d,)
        Kernel units per unit of the feature: inverse bandwidths v, scaled so that similarities are powers of two.
    scaled : ndarray of shape (J, d)
        Z_1 of (5.1): prototypes in kernel units.
    lengths : ndarray of shape (J,)
        Squared length of each row of `scaled`.

    Examples
    --------
    >>> scaled_prototypes(np.array([[0.0], [1.0]]), np.ones(1)).similarities(np.zeros((1, 1))).round(4)
    array([[1.    , 0.6065]])
    """

    center: FloatArray
    units: FloatArray
    scaled: FloatArray
    lengths: FloatArray

    def take(self, rows: NDArray[Any]) -> FloatArray:
        """Bring rows of shape (n, d) to kernel units; infinite where a double cannot hold them."""
        with np.errstate(over="ignore"):
            z: FloatArray = (np.asarray(rows, dtype=np.float64) - self.center) * self.units
        return z

    def similarities(self, rows: NDArray[Any]) -> FloatArray:
        """Evaluate the kernel (2.3) for every pair of row and prototype, by (5.1) to (5.3).

        Parameters
        ----------
        rows : ndarray of shape (n, d)
            Samples, in the features of the prototypes.

        Returns
        -------
        ndarray of shape (n, J)
            Similarities in [0, 1]; 1 where all features agree.
        """
        exponent = exponents(bounded(self.take(rows)), self.scaled, self.lengths)
        result: FloatArray = np.exp2(exponent, out=exponent)
        return result


def scaled_prototypes(prototypes: FloatArray, feature_weights: FloatArray) -> ScaledPrototypes:
    """Prepare prototypes for :meth:`ScaledPrototypes.similarities`.

    Parameters
    ----------
    prototypes : ndarray of shape (J, d)
        Prototypes, in the active features only; J and d may be zero.
    feature_weights : ndarray of shape (d,)
        Inverse bandwidths v, not negative.

    Examples
    --------
    >>> scaled_prototypes(np.array([[0.0], [2.0]]), np.ones(1)).lengths.round(4)
    array([0.    , 2.8854])
    """
    center = nearest_to_zero(prototypes) if prototypes.shape[0] else np.zeros(prototypes.shape[1])
    units = KERNEL_UNIT * feature_weights
    with np.errstate(over="ignore"):
        scaled = bounded((prototypes - center) * units)
    return ScaledPrototypes(center, units, scaled, np.einsum("jd,jd->j", scaled, scaled))
