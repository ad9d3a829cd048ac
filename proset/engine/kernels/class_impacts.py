"""Impacts of the prototypes of one batch by class at many rows, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from proset.engine.kernels.similarity import FloatArray, IntArray, ScaledPrototypes, row_blocks, single_threaded_blas
from proset.engine.kernels.threads import run_parts

# Work per part: several milliseconds of one core, so that handing it to a thread costs next to nothing; memory per part
# is a few megabytes.
SIMILARITIES_PER_PART = 1 << 21
VALUES_PER_PART = 1 << 19


@dataclass(frozen=True, eq=False)
class ClassImpacts:
    """The prototypes of a batch sorted by class, as the compiled kernel takes them.

    Attributes
    ----------
    prototypes : ScaledPrototypes
        Where they came from.
    order : ndarray of int64, shape (J,)
        Positions of the prototypes, sorted by class.
    target : ndarray of int64, shape (J,)
        Class of each prototype, in that order.
    weights : ndarray of shape (J,)
        Weight of each prototype, in that order.

    Examples
    --------
    >>> from proset.engine.kernels.similarity import scaled_prototypes
    >>> side = scaled_prototypes(np.array([[0.0], [1.0]]), np.ones(1))
    >>> impacts = class_impacts(side, np.array([1, 0]), np.array([2.0, 4.0]))
    >>> impacts.evaluate(np.array([[0.0], [1e9]]), np.array([0]), n_classes=2).round(4).tolist()
    [[2.4261, 2.0], [0.0, 0.0]]
    """

    prototypes: ScaledPrototypes
    order: IntArray
    target: IntArray
    weights: FloatArray

    def evaluate(self, X: NDArray[Any], features: IntArray, n_classes: int) -> FloatArray:
        """Evaluate (2.6) for one batch.

        Parameters
        ----------
        X : ndarray of shape (n, D)
            Rows with all features, finite.
        features : ndarray of int64, shape (d,)
            Columns that the batch uses.
        n_classes : int
            Number of classes K.

        Returns
        -------
        ndarray of shape (n, K)
            Sums of weight times similarity, at least 0. A row gets the same numbers whatever rows stand beside it.
        """
        out = np.zeros((X.shape[0], n_classes))
        try:
            from proset.engine.kernels import compiled
        except ImportError:  # no numba for this interpreter or machine
            self.add_plainly(X, features, out)
        else:
            self._add_compiled(compiled, X, features, out)
        return out

    def add_plainly(self, X: NDArray[Any], features: IntArray, out: FloatArray) -> None:
        """Add the impacts to `out`, shape (n, K), by matrix products: the reference for the compiled form."""
        spread = np.zeros((self.order.shape[0], out.shape[1]))
        spread[self.order, self.target] = self.weights
        with single_threaded_blas():
            for block in row_blocks(X.shape[0], spread.shape[0]):
                rows = np.asarray(X[block][:, features], dtype=np.float64)
                out[block] += self.prototypes.similarities(rows) @ spread

    @cached_property
    def _columns(self) -> tuple[FloatArray, FloatArray]:
        """Prototypes (d, J) and their squared lengths (J,), in the order of their classes."""
        return np.ascontiguousarray(self.prototypes.scaled[self.order].T), self.prototypes.lengths[self.order]

    def _add_compiled(self, kernel: ModuleType, X: NDArray[Any], features: IntArray, out: FloatArray) -> None:
        """Add the impacts to `out`, rows shared out over the threads there are."""
        scaled, lengths = self._columns
        bounds = np.searchsorted(self.target, np.arange(out.shape[1] + 1))
        step = min(SIMILARITIES_PER_PART // max(1, scaled.shape[1]), VALUES_PER_PART // max(1, scaled.shape[0]))
        blocks = list(row_blocks(X.shape[0], 1, max_elements=max(4, step)))

        def add(part: int) -> None:
            block = blocks[part]
            z = np.ascontiguousarray(self.prototypes.take(X[block][:, features]))
            cast(Any, kernel).add_class_impacts(z, scaled, lengths, self.weights, bounds, out[block])

        run_parts(add, len(blocks))


def class_impacts(prototypes: ScaledPrototypes, target: IntArray, weights: FloatArray) -> ClassImpacts:
    """Sort prototypes by class for :meth:`ClassImpacts.evaluate`.

    Parameters
    ----------
    prototypes : ScaledPrototypes
        One side of the kernel.
    target : ndarray of int64, shape (J,)
        Class of each prototype, 0 to K - 1.
    weights : ndarray of shape (J,)
        Prototype weights w, positive.
    """
    order = np.argsort(target, kind="stable")
    return ClassImpacts(prototypes, order, target[order], weights[order])
