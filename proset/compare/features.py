"""Which features and which rows each system rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances_argmin

from proset.common.notebook import Displayed
from proset.common.words import count_words
from proset.companions.protocol import Offer, PrototypeModel
from proset.compare.measures import FloatArray, IntArray

if TYPE_CHECKING:
    from proset.compare.result import Comparison
    from proset.study import Study


@dataclass(frozen=True, eq=False)
class FeatureMatrix(Displayed):
    """Weight of each feature in each system.

    Attributes
    ----------
    shares : DataFrame
        Index ``feature`` (columns of the table, the most used first), one column per system (key): its share of the
        weights, at least 0, each column summing to 1, or to 0 where nothing has a weight; nan for a system without
        weights.
    overlap : DataFrame
        Keys by keys: rows that are prototypes of both by rows that are prototypes of one (Jaccard), in [0, 1]; a
        prototype that is no row counts as the row nearest to it. nan for a system without prototypes.
    titles : Series of str
        Index ``key``.
    """

    shares: pd.DataFrame
    overlap: pd.DataFrame
    titles: pd.Series

    @property
    def used(self) -> pd.Series:
        """Number of columns of the table that each system uses; missing without weights."""
        counts = (self.shares > 0.0).sum().astype("Int64")
        return counts.mask(self.shares.isna().all())

    @property
    def words(self) -> tuple[str, ...]:
        """Findings in sentences."""
        known = self.shares.dropna(axis=1, how="all")
        if known.shape[1] < 2:
            return ()
        by_all = int((known > 0.0).all(axis=1).sum())
        by_none = int((known == 0.0).all(axis=1).sum())
        every = count_words(len(known), "feature")
        none = f", and {by_none:,} in none" if by_none else ""
        have = "has" if by_all == 1 else "have"
        systems = f"all {known.shape[1]} systems" + (" with weights" if known.shape[1] < self.shares.shape[1] else "")
        return (f"Of {every}, {by_all:,} {have} a weight in {systems}{none}.",)

    def to_frame(self) -> pd.DataFrame:
        """Return the shares with titles as columns."""
        return self.shares.rename(columns=self.titles.to_dict())


def feature_matrix(comparison: Comparison) -> FeatureMatrix:
    """Set beside each other what systems look at.

    A category stands in several columns of the matrix; their weights add up. Systems that measure plain distance, such
    as nearest neighbours, give every matrix column the same weight.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False))
    >>> shares = feature_matrix(found).shares
    >>> shares["knn"].tolist(), (shares["proset"] > shares["knn"]).tolist()
    ([0.5, 0.5], [True, False])
    """
    keys = [entry.key for entry in comparison.systems]
    index = pd.Index(comparison.features, dtype="str", name="feature")
    shares = pd.DataFrame({entry.key: entry.shares for entry in comparison.systems}, index=index)
    order = shares.mean(axis=1).fillna(0.0).sort_values(ascending=False, kind="stable").index
    sets = {
        entry.key: None if entry.prototype_rows is None else set(entry.prototype_rows.tolist())
        for entry in comparison.systems
    }
    overlap = pd.DataFrame([[_jaccard(sets[a], sets[b]) for b in keys] for a in keys], index=keys, columns=keys)
    titles = pd.Series({entry.key: entry.title for entry in comparison.systems}, dtype="str").rename_axis("key")
    return FeatureMatrix(shares.loc[order], overlap.rename_axis("key"), titles)


def column_shares(model: PrototypeModel, study: Study) -> FloatArray:
    """Return how a model's weights are shared among the features of a study's table, shape (number of features,).

    They add up to 1, or are all 0 for a model that uses no feature; nan for a method without weights.
    """
    features = study.roles.features
    if Offer.FEATURE_WEIGHTS in model.lacks:
        return np.full(len(features), np.nan)
    weights = np.asarray(model.feature_weights(), dtype=np.float64).sum(axis=0)
    total = weights.sum()
    if not total > 0.0:
        return np.zeros(len(features))
    sources = np.array(study.design.column_sources, dtype=object)
    return np.array([weights[sources == name].sum() / total for name in features])


def prototype_rows(model: PrototypeModel, X: NDArray[Any]) -> IntArray:
    """Return the position among the rows of `X`, which the model was fitted to, of each prototype or the one nearest.

    Parameters
    ----------
    model : PrototypeModel
        Has prototypes.
    X : array of shape (n, D)
        What it was fitted to.

    Returns
    -------
    int64 array of shape (k,)
    """
    table = model.prototypes()
    found = table.sample_index.astype(np.int64).copy()
    made = found < 0
    if made.any():
        found[made] = pairwise_distances_argmin(table.X[made], X)
    return found


def _jaccard(one: set[int] | None, other: set[int] | None) -> float:
    """Return what two sets share; nan without one of them, or if both are empty."""
    if one is None or other is None or not one | other:
        return float("nan")
    return len(one & other) / len(one | other)
