"""The tables that a fitted model can give of itself: export and explain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from proset.engine.evidence.contributions import contributions
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.engine.evidence.tables import Labels, ToOriginal, explain_table, export_table
from proset.engine.growing import GrowingMixin
from proset.engine.set_manager import IntArray


class ReportsMixin(GrowingMixin):
    """Adds ``export`` and ``explain`` to a fitted classifier."""

    classes_: NDArray[Any]

    if TYPE_CHECKING:  # what the estimator brings along

        def _encode(self, y: ArrayLike) -> IntArray: ...

    def export(
        self,
        *,
        feature_names: Sequence[str] | None = None,
        sample_names: Callable[[IntArray], Sequence[str]] | None = None,
        to_original: ToOriginal | None = None,
    ) -> pd.DataFrame:
        """List the marginals, the prototypes, their weights and active features (section 4.3.1).

        Parameters
        ----------
        feature_names : sequence of str or None
            Names of the features; by default `feature_names_in_`, else x0, x1, ...
        sample_names : callable or None
            Maps training rows to names.
        to_original : callable or None
            Maps a feature index and an array of its values to original units.

        Returns
        -------
        pandas.DataFrame
            See :func:`proset.engine.evidence.tables.export_table`.
        """
        check_is_fitted(self, "set_manager_")
        return export_table(self.set_manager_, self._labels(feature_names, sample_names, to_original))

    def explain(
        self,
        X: ArrayLike,
        y: Any = None,
        *,
        familiarity: ArrayLike | None = None,
        sample_name: str = "new sample",
        feature_names: Sequence[str] | None = None,
        sample_names: Callable[[IntArray], Sequence[str]] | None = None,
        to_original: ToOriginal | None = None,
        include_features: bool = True,
    ) -> pd.DataFrame:
        """Relate one sample to every prototype (figure 4.5).

        Parameters
        ----------
        X : array-like of shape (1, D)
            The sample.
        y : object or None
            Its true class, if known.
        familiarity : array-like of shape (m,) or None
            Familiarity of reference samples; the first row then states the sample's quantile.
        sample_name : str
            How to call the sample.
        feature_names, sample_names, to_original
            As for :meth:`export`.
        include_features : bool, default=True
            Whether to append weight, value, original value and similarity of every active feature.

        Returns
        -------
        pandas.DataFrame
            See :func:`proset.engine.evidence.tables.explain_table`.

        Raises
        ------
        ValueError
            If `X` has more than one row or `y` is not a known class.
        """
        rows = self._check_features(X)
        if rows.shape[0] != 1:
            raise ValueError(f"explain() takes one sample at a time, but X has {rows.shape[0]} rows.")
        if y is not None:
            y = self.classes_[self._encode([y])[0]]
        parts = contributions(self.set_manager_, rows[0].astype(np.float64))
        name = f"{sample_name}, prediction '{self.classes_[np.argmax(parts.probabilities)]}'"
        if familiarity is not None:
            name += f", familiarity {familiarity_quantile([parts.familiarity], familiarity)[0]:.2f}"
        labels = self._labels(feature_names, sample_names, to_original)
        return explain_table(self.set_manager_, labels, parts, sample_name=name, target=y, features=include_features)

    def _labels(
        self,
        feature_names: Sequence[str] | None,
        sample_names: Callable[[IntArray], Sequence[str]] | None,
        to_original: ToOriginal | None,
    ) -> Labels:
        """Fill in names that were not given."""
        return self._named(list(self.classes_), feature_names, sample_names, to_original)
