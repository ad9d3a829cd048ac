"""The tables that a fitted regressor can give of itself: export and explain."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proset.engine.density_sets import DensityManager
from proset.engine.density_tables import density_explain, density_export
from proset.engine.evidence.tables import ToOriginal
from proset.engine.growing import GrowingMixin
from proset.engine.mixtures.units import TargetUnits
from proset.engine.set_manager import IntArray


class DensityReportsMixin(GrowingMixin):
    """Adds ``export`` and ``explain`` to a fitted regressor."""

    set_manager_: DensityManager
    units_: TargetUnits

    def export(
        self,
        *,
        feature_names: Sequence[str] | None = None,
        sample_names: Callable[[IntArray], Sequence[str]] | None = None,
        to_original: ToOriginal | None = None,
    ) -> pd.DataFrame:
        """List the prototypes, their targets, spreads, weights, active features and slopes.

        Parameters
        ----------
        feature_names, sample_names, to_original
            As for ``ClassifierModel.export``.

        Returns
        -------
        pandas.DataFrame
            See :func:`proset.engine.density_tables.density_export`.
        """
        labels = self._named([], feature_names, sample_names, to_original)
        return density_export(self.set_manager_, labels, self.units_)

    def explain(
        self,
        X: ArrayLike,
        y: float | None = None,
        *,
        sample_name: str = "new sample",
        feature_names: Sequence[str] | None = None,
        sample_names: Callable[[IntArray], Sequence[str]] | None = None,
        to_original: ToOriginal | None = None,
    ) -> pd.DataFrame:
        """Relate one sample to every prototype: the mean of its distribution as a sum of what they say.

        Parameters
        ----------
        X : array-like of shape (1, D)
            The sample.
        y : float or None
            Its true target, if known.
        sample_name, feature_names, sample_names, to_original
            As for ``ClassifierModel.explain``.

        Returns
        -------
        pandas.DataFrame
            See :func:`proset.engine.density_tables.density_explain`.
        """
        rows = self._check_features(X)
        if rows.shape[0] != 1:
            raise ValueError(f"explain() takes one sample at a time, but X has {rows.shape[0]} rows.")
        labels = self._named([], feature_names, sample_names, to_original)
        x = rows[0].astype(np.float64)
        return density_explain(self.set_manager_, labels, x, self.units_, sample_name=sample_name, y=y)
