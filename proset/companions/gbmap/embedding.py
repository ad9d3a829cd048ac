"""Answers of a fitted model beyond predictions: embedding, distances, drift, local coefficients."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.neighbors import NearestNeighbors

from proset.common.errors import ProsetError
from proset.companions.gbmap.units import Units
from proset.companions.protocol import BoolArray, FloatArray, IntArray

PATH_STEPS = 127


class EmbeddingMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """The part of both estimators that reads a fitted model."""

    if TYPE_CHECKING:
        n_outputs_: int
        target_scale_: float
        feature_scale_: FloatArray
        reference_embedding_: FloatArray
        reference_values_: FloatArray
        reference_index_: IntArray

        @property
        def units_(self) -> Units: ...  # noqa: D102
        def _check_features(self, X: ArrayLike) -> NDArray[np.floating]: ...
        def _start(self, X: NDArray[np.floating], f0: ArrayLike | None, n_outputs: int) -> FloatArray: ...

    def _embedded(self, X: ArrayLike) -> FloatArray:
        """Return :meth:`transform` as an array, whatever output was set."""
        return self.units_.values(self._check_features(X))

    def transform(self, X: ArrayLike) -> FloatArray:
        """Return the embedding f_1(x), ..., f_m(x).

        Parameters
        ----------
        X : array-like of shape (n, D)
            Rows.

        Returns
        -------
        ndarray of shape (n, U)
            One column per unit, in the units of the score; U is m, with K > 2 classes up to m K, sorted by class.
        """
        return self.units_.values(self._check_features(X))

    def embedding_distance(self, A: ArrayLike, B: ArrayLike | None = None) -> FloatArray:
        """Return the distances sum_j |f_j(a) - f_j(b)|.

        Parameters
        ----------
        A : array-like of shape (n, D)
            Rows.
        B : array-like of shape (m, D) or None
            Other rows; without them, distances among the rows of `A`.

        Returns
        -------
        ndarray of shape (n, m)
            In the units of the score: what the units add to the scores of two rows differs by no more. What a model to
            start from adds does not count.
        """
        left = self._embedded(A)
        distance: FloatArray = cdist(left, left if B is None else self._embedded(B), "cityblock")
        return distance

    def path_distance(self, A: ArrayLike, B: ArrayLike | None = None, n_steps: int = PATH_STEPS) -> FloatArray:
        """Return how far the score goes up and down in all on the straight line between two rows.

        Parameters
        ----------
        A, B
            As for :meth:`embedding_distance`.
        n_steps : int, default=127
            Steps of the line that is looked at; the result approaches the true one from below.

        Returns
        -------
        ndarray of shape (n, m)
            At least the difference of what the units add to the scores, at most the embedding distance.

        Raises
        ------
        ValueError
            If `n_steps` is below 1.
        """
        if n_steps < 1:
            raise ValueError(f"n_steps is {n_steps!r}; it has to be a whole number of at least 1.")
        left = self._check_features(A)
        return self.units_.path_lengths(left, left if B is None else self._check_features(B), int(n_steps))

    def neighbors(self, X: ArrayLike, n_neighbors: int = 5) -> tuple[FloatArray, IntArray]:
        """Find the training rows that are nearest by the embedding distance.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Rows.
        n_neighbors : int, default=5
            Number of rows to find.

        Returns
        -------
        distance : ndarray of shape (n, k)
            Ascending.
        index : ndarray of int64, shape (n, k)
            Positions among the rows of the fit.

        Raises
        ------
        ProsetError
            If `n_neighbors` is not from 1 to the number of rows that were kept, see `max_reference`.
        """
        distance, place = self._nearest(self._embedded(X), n_neighbors)
        return distance, self.reference_index_[place]

    def _nearest(self, embedded: FloatArray, k: int) -> tuple[FloatArray, IntArray]:
        """Find the nearest of the rows that were kept."""
        kept = self.reference_embedding_
        if not 1 <= k <= len(kept):
            raise ProsetError(
                f"There are {len(kept)} rows to be neighbours, and k={k} were asked for.", hint="Ask for less."
            )
        if kept.shape[1] == 0:  # no units: all rows are the same
            return np.zeros((len(embedded), k)), np.tile(np.arange(k), (len(embedded), 1))
        search = NearestNeighbors(n_neighbors=k, metric="manhattan").fit(kept)
        distance, place = search.kneighbors(embedded)
        return distance, place.astype(np.int64)

    def drift_indicator(self, X: ArrayLike, n_neighbors: int = 5, *, f0: ArrayLike | None = None) -> FloatArray:
        """Tell where the model goes on beyond what it has seen: |f(x) - mean over the nearest training rows|.

        The mean is that of the target in a regression, of the scores in a classification; with more than two classes
        the differences of all scores add up. Far from the training rows the score goes on linearly and the mean stays.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Rows.
        n_neighbors : int, default=5
            Number of neighbours by the embedding distance.
        f0 : array-like or None
            As in :meth:`fit`.

        Returns
        -------
        ndarray of shape (n,)
            At least 0, in the units of the score; high means drift.

        Raises
        ------
        ProsetError
            If `n_neighbors` is not from 1 to the number of rows that were kept.
        """
        features = self._check_features(X)
        embedded = self.units_.values(features)
        _, place = self._nearest(embedded, n_neighbors)
        scores = self._start(features, f0, int(self.n_outputs_)).T + self.units_.add_up(embedded)
        gap: FloatArray = np.abs(scores - self.reference_values_[place].mean(axis=1)).sum(axis=1)
        return gap

    def local_coefficients(self, X: ArrayLike, mode: str = "soft") -> FloatArray:
        """Return the gradient of the score in each row: what one more unit of each feature does.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Rows.
        mode : {"soft", "hard"}, default="soft"
            Exact, or with each unit either active or not: constant within a region.

        Returns
        -------
        ndarray of shape (n, D), or (n, K, D) with more than two classes
            Units of the score by units of the feature. A model to start from plays no part in it.

        Raises
        ------
        ValueError
            For another mode.
        """
        if mode not in ("soft", "hard"):
            raise ValueError(f"mode is {mode!r}; it has to be one of 'soft', 'hard'.")
        slopes = self.units_.slopes(self._check_features(X), mode == "hard")
        return slopes[:, 0] if self.n_outputs_ == 1 else slopes

    def regions(self, X: ArrayLike) -> BoolArray:
        """Tell on which side of each unit's hyperplane rows lie.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Rows.

        Returns
        -------
        ndarray of bool, shape (n, U)
            True where w x + c > 0. Rows with the same pattern have the same hard local coefficients.
        """
        return self.units_.regions(self._check_features(X))

    def feature_weights(self) -> FloatArray:
        """Return |w| of each unit, in units of the score by standard deviation of the feature, shape (U, D)."""
        weights: FloatArray = np.abs(self.units_.weights) * self.target_scale_ * self.feature_scale_
        return weights

    def distance(self, A: ArrayLike, B: ArrayLike | None = None) -> FloatArray:
        """Return :meth:`embedding_distance`."""
        return self.embedding_distance(A, B)
