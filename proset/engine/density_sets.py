"""Batches and set managers whose prototypes vote for a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proset.engine.kernels.similarity import row_blocks, single_threaded_blas
from proset.engine.mixtures.marginal import Marginal, beside
from proset.engine.mixtures.mixture import HEIGHT, Mixture
from proset.engine.set_manager import Batch, FloatArray, IntArray, SetManager

FARTHEST = 1e100  # center of what is so far away that its similarity is zero: finite, and so are squares


@dataclass(frozen=True, eq=False)
class DensityBatch(Batch):
    """The prototypes of one batch, each a normal density around an adjusted value (R1), (R2).

    `target` is the part of the range of the target that a prototype is from.

    Attributes
    ----------
    values : ndarray of float64, shape (J,)
        Targets y_j of the prototypes, standardised.
    slopes : ndarray of float64, shape (d,)
        beta of the active features: standard deviations of the target per unit of the feature.
    own_slopes : ndarray of float64, shape (J, d)
        By how much the slopes of each prototype differ from these.
    spreads : ndarray of float64, shape (J,)
        Standard deviations h_j of what is left, standardised, positive.

    Examples
    --------
    >>> one = np.ones(1, np.float32)
    >>> batch = DensityBatch(np.array([0]), one, np.zeros((1, 1)), np.array([0]), one, np.array([7]),
    ...                      values=np.array([3.0]), slopes=np.array([2.0]), spreads=np.array([0.5]),
    ...                      own_slopes=np.zeros((1, 1)))
    >>> batch.centers(np.array([[1.0]])).tolist()
    [[5.0]]
    """

    values: FloatArray
    slopes: FloatArray
    spreads: FloatArray
    own_slopes: FloatArray

    _BY_PROTOTYPE = (*Batch._BY_PROTOTYPE, "values", "spreads", "own_slopes")

    @property
    def total_slopes(self) -> FloatArray:
        """Slopes of each prototype, shape (J, d)."""
        return self.slopes + self.own_slopes

    def with_slopes(self, own: FloatArray | None) -> DensityBatch:
        """Return the batch with other own slopes of its prototypes; with none for None."""
        return replace(self, own_slopes=np.zeros(self.prototypes.shape) if own is None else own)

    def impacts_on(self, X: NDArray[np.floating], index: IntArray) -> FloatArray:
        """Return similarity times weight for training rows, none for itself, shape (n, J).

        Parameters
        ----------
        X : ndarray of shape (n, D)
            The rows.
        index : ndarray of int64, shape (n,)
            Their places in the training data, as `sample_index` counts them.
        """
        impact = self.similarity(X) * self.weights.astype(np.float64)
        impact[index[:, None] == self.sample_index] = 0.0
        return impact

    def centers(self, X: NDArray[np.floating]) -> FloatArray:
        """Return m_j(x) of (R2) for full feature rows, shape (n, J)."""
        middle = self.prototypes.mean(axis=0)
        slopes = self.total_slopes
        own = self.values - np.einsum("jd,jd->j", self.prototypes - middle, slopes)
        with np.errstate(over="ignore", invalid="ignore"):
            rows = np.asarray(X[:, self.active_features], dtype=np.float64) - middle
            adjusted = np.nan_to_num(np.einsum("nd,jd->nj", rows, slopes), nan=FARTHEST, posinf=FARTHEST)
        return np.clip(adjusted + own, -FARTHEST, FARTHEST)


class DensityManager(SetManager):
    """A set manager whose prototypes vote for a number; for everything else its classes are parts of the range.

    Parameters
    ----------
    marginals : array-like of shape (K,)
        Shares of the parts of the range of the target.
    num_features : int
        Number of features D.
    batches : tuple of DensityBatch or None
        As for a set manager.
    marginal : Marginal
        The density p0 of (R1).

    Examples
    --------
    >>> marginal = Marginal.of(np.linspace(-1.7, 1.7, 50), np.ones(50), least_spread=0.02)
    >>> DensityManager([1.0], 2, (), marginal).mixture(np.zeros((1, 2))).mean().round(12).tolist()
    [0.0]
    """

    def __init__(
        self, marginals: ArrayLike, num_features: int, batches: tuple[Batch | None, ...], marginal: Marginal
    ) -> None:
        super().__init__(marginals, num_features, batches)
        self.marginal = marginal

    def with_batches(self, batches: tuple[Batch | None, ...], num_features: int | None = None) -> Self:
        """Return a set manager of the same kind and marginals with other batches, on as many features if not said."""
        return type(self)(self.marginals, num_features or self.num_features, batches, self.marginal)

    def narrowed(self, factor: float) -> Self:
        """Return the model with all spreads multiplied by a positive number; the marginal density stays."""
        if factor == 1.0:
            return self
        batches = tuple(
            replace(batch, spreads=batch.spreads * factor) if isinstance(batch, DensityBatch) else batch
            for batch in self.batches
        )
        return self.with_batches(batches)

    def with_slopes(self, own: Sequence[FloatArray | None]) -> Self:
        """Return the model with other own slopes of the prototypes of each batch; with none where they are None."""
        batches = tuple(
            batch.with_slopes(slopes) if isinstance(batch, DensityBatch) else batch
            for batch, slopes in zip(self.batches, own, strict=True)
        )
        return self.with_batches(batches)

    def get_batches(self) -> list[dict[str, NDArray[Any]] | None]:
        """Export the model structure: one dict of arrays per batch, None for a batch without prototypes."""
        plain = super().get_batches()
        for known, batch in zip(plain, self.batches, strict=True):
            if known is not None and isinstance(batch, DensityBatch):
                known |= {name: getattr(batch, name).copy() for name in ("values", "slopes", "spreads", "own_slopes")}
        return plain

    @property
    def density_batches(self) -> list[DensityBatch]:
        """The batches that hold prototypes."""
        return [batch for batch in self.batches if isinstance(batch, DensityBatch)]

    def mixture(self, X: NDArray[np.floating]) -> Mixture:
        """Return the distributions (R1) of rows, standardised: prototypes, batch after batch, then the marginal."""
        batches = self.density_batches
        impacts = [batch.similarity(X) * batch.weights.astype(np.float64) for batch in batches]
        total = 1.0 + sum(impact.sum(axis=1) for impact in impacts)[:, None] if impacts else np.ones((X.shape[0], 1))
        centers, spreads = [batch.centers(X) for batch in batches], [batch.spreads for batch in batches]
        return beside(self.marginal, impacts, total, centers, spreads)

    def votes(self, X: NDArray[np.floating], values: FloatArray, index: IntArray) -> FloatArray:
        """Return what prototypes add to numerator and denominator of (R1) for training rows, none for itself.

        Parameters
        ----------
        X : ndarray of shape (n, D)
            Training rows.
        values : ndarray of shape (n,)
            Their targets, standardised.
        index : ndarray of int64, shape (n,)
            Their places in the training data, as `sample_index` counts them.

        Returns
        -------
        ndarray of shape (n, 2)
        """
        sums = np.zeros((X.shape[0], 2))
        for batch in self.density_batches:
            with single_threaded_blas():
                for rows in row_blocks(X.shape[0], len(batch)):
                    impact = batch.impacts_on(X[rows], index[rows])
                    off = (values[rows, None] - batch.centers(X[rows])) / batch.spreads
                    sums[rows, 0] += (impact * (HEIGHT * np.exp(-0.5 * off * off) / batch.spreads)).sum(axis=1)
                    sums[rows, 1] += impact.sum(axis=1)
        return sums
