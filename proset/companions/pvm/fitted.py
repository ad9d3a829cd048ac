"""Answers of a fitted prototype vector machine: scores, probabilities, covers, and those of the protocol."""

from __future__ import annotations

import copy
import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.common.errors import ProsetError, StorageError
from proset.common.spread import spread_out
from proset.companions.paths import HasParameters, refit_path
from proset.companions.protocol import (
    FloatArray,
    IntArray,
    NoPrototypeWarning,
    PathPoint,
    ScoreContributions,
    SystemPrototypes,
)
from proset.companions.pvm.candidates import Standardisation
from proset.companions.pvm.distances import (
    ComputedDistances,
    Distances,
    HeldDistances,
    RankDistances,
    candidate_blocks,
    check_dissimilarities,
)
from proset.companions.pvm.greedy import GreedyPath
from proset.companions.pvm.metrics import PRECOMPUTED, Euclidean, Metric, PreparedMetric, is_euclidean, prepared_metric
from proset.companions.pvm.nearest import NearestPrototypes, nearest_prototypes, probabilities
from proset.companions.room import check_room
from proset.companions.shared import PrototypeModelMixin

PATH_RADII = 7


class FittedPVM(PrototypeModelMixin):
    """The part of a classifier that looks at rows once prototypes are there."""

    _state: ClassVar[tuple[str, ...]] = (
        *("classes_", "n_features_in_", "class_shares_", "n_rows_", "eps_", "lam_", "temperature_"),
        *("mean_", "spread_", "centre_", "unit_", "usual_"),
        *("prototypes_", "prototype_labels_", "label_codes_", "prototype_indices_", "prototype_rows_"),
        *("covered_", "miscovered_", "own_", "objective_", "lower_bound_", "gap_", "found_by_"),
        *("path_table_", "cv_eps_", "cv_errors_", "cv_sizes_"),
    )

    class_shares_: FloatArray
    n_rows_: int
    eps_: float
    lam_: float
    temperature_: float
    mean_: FloatArray
    spread_: FloatArray
    centre_: FloatArray
    unit_: float
    usual_: NDArray[Any]
    prototypes_: FloatArray
    prototype_labels_: NDArray[Any]
    label_codes_: IntArray
    prototype_indices_: IntArray
    prototype_rows_: IntArray
    covered_: IntArray
    miscovered_: IntArray
    own_: IntArray
    objective_: float
    lower_bound_: float
    gap_: float
    found_by_: str
    path_table_: IntArray
    cv_eps_: FloatArray
    cv_errors_: FloatArray
    cv_sizes_: FloatArray

    if TYPE_CHECKING:
        metric: str | Metric
        rank: bool

    @property
    def path_(self) -> GreedyPath:
        """The greedy cover at cost 0."""
        return GreedyPath.of_table(self.path_table_, self.n_rows_)

    @property
    def cv_results_(self) -> dict[str, FloatArray]:
        """Radii that were tried, with the error and the number of prototypes: mean, sd and by fold."""
        return {
            "eps": self.cv_eps_,
            "mean_error": self.cv_errors_.mean(axis=1),
            "sd_error": self.cv_errors_.std(axis=1, ddof=1) if self.cv_errors_.shape[1] > 1 else 0.0 * self.cv_eps_,
            "mean_prototypes": self.cv_sizes_.mean(axis=1),
            "errors": self.cv_errors_,
            "prototypes": self.cv_sizes_,
        }

    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == PRECOMPUTED

    def _prepared_metric(self) -> PreparedMetric:
        """Return the metric as it was when the prototypes were chosen."""
        if is_euclidean(self.metric):
            return Euclidean(self.centre_, self.unit_)
        return prepared_metric(self.metric, self.prototypes_)

    def _between(self, A: FloatArray, B: FloatArray) -> Distances:
        """Return the distances of checked rows, in the units of `X`."""
        scale, metric = Standardisation(self.mean_, self.spread_), self._prepared_metric()
        points, candidates = metric.prepare(scale.apply(A)), metric.prepare(scale.apply(B))
        return ComputedDistances(metric, points, candidates, (len(A), len(B)))

    def _to_prototypes(self, X: ArrayLike) -> Distances:
        """Return the distances of rows to the prototypes; their standings if ranks are compared."""
        check_is_fitted(self)
        rows: FloatArray = validate_data(self, X, dtype=np.float64, reset=False)
        if self._precomputed():
            found: Distances = HeldDistances.of(check_dissimilarities(rows[:, self.prototype_indices_]))
        else:
            found = self._between(rows, self.prototypes_)
        return RankDistances(found, self.usual_) if self.rank else found

    def _nearest(self, X: ArrayLike) -> NearestPrototypes:
        return nearest_prototypes(self._to_prototypes(X), self.label_codes_, len(self.classes_))

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return minus the distance to the nearest prototype of each class.

        Returns
        -------
        ndarray of shape (n, K)
            Minus infinity for a class without prototypes; the logarithm of the class shares without any.
        """
        near = self._nearest(X)
        if not len(self.label_codes_):
            return np.tile(np.log(self.class_shares_), (len(near.winner), 1))
        return near.scores()

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities, proportional to exp(-distance / T) with a little doubt.

        Returns
        -------
        ndarray of shape (n, K)
            In (0, 1); the largest is that of the class that is predicted.
        """
        return probabilities(self._nearest(X), self.temperature_, self.class_shares_, self.n_rows_)

    def cover(self, X: ArrayLike) -> IntArray:
        """Count the balls of each class that hold each row.

        Returns
        -------
        ndarray of int64, shape (n, K)
        """
        distances = self._to_prototypes(X)
        counts = np.zeros((len(self.classes_), distances.shape[0]), dtype=np.int64)
        for which, block in candidate_blocks(distances):
            values = np.floor(block) if self.rank else block
            np.add.at(counts, self.label_codes_[which], values < values.dtype.type(self.eps_))
        return np.ascontiguousarray(counts.T)

    def at_lambda(self, lam: float) -> Self:
        """Return the greedy cover for another cost of a prototype, without another fit.

        Parameters
        ----------
        lam : float
            Cost of a prototype, at least the one that was fitted with: then its prototypes are the first of those here.

        Returns
        -------
        PVMClassifier
            A fitted model with the same radius and temperature.

        Raises
        ------
        ProsetError
            If the cover is not greedy, or `lam` is below that of the fit.
        """
        check_is_fitted(self)
        if self.found_by_ != "greedy":
            raise ProsetError("Only the greedy cover is a path.", hint="Fit with solver='greedy' and prune=False.")
        if not lam >= self.lam_:
            hint = "Fit with lam=0 to have all of the path."
            raise ProsetError(f"lam is {lam!r}; this model was fitted with {self.lam_:g}.", hint=hint)
        small = copy.copy(self)
        count = len(self.path_.at(lam))
        for name in ("prototypes_", "prototype_labels_", "label_codes_", "prototype_indices_", "prototype_rows_"):
            setattr(small, name, getattr(self, name)[:count])
        for name in ("covered_", "miscovered_", "own_"):
            setattr(small, name, getattr(self, name)[:count])
        small.usual_ = self.usual_[:count] if self.rank else self.usual_
        small.lam_, small.objective_ = float(lam), self.path_.at(lam).objective(lam)
        return small

    def prototypes(self) -> SystemPrototypes:
        """Return the prototypes in the order of the greedy cover."""
        check_is_fitted(self)
        return SystemPrototypes.of_samples(
            self.prototypes_,
            self.prototype_rows_,
            self.prototype_labels_,
            covered=self.covered_,
            miscovered=self.miscovered_,
        )

    def feature_weights(self) -> FloatArray:
        """Return ones, shape (1, D): the metric is given, no feature is chosen."""
        check_is_fitted(self)
        return np.ones((1, self.n_features_in_))

    def distance(self, A: ArrayLike, B: ArrayLike | None = None) -> FloatArray:
        """Return the metric between rows, in standardised units if the fit standardised.

        Parameters
        ----------
        A : array-like of shape (n, D)
            Rows, in the units of the fit.
        B : array-like of shape (m, D) or None
            More rows; None compares `A` with itself.

        Returns
        -------
        ndarray of shape (n, m)

        Raises
        ------
        ProsetError
            For precomputed dissimilarities: rows cannot be compared by them.
        """
        check_is_fitted(self)
        if self._precomputed():
            hint = "Its rows are distances themselves."
            raise ProsetError("Rows cannot be compared by precomputed dissimilarities.", hint=hint)
        left: FloatArray = validate_data(self, A, dtype=np.float64, reset=False)
        right: FloatArray = left if B is None else validate_data(self, B, dtype=np.float64, reset=False)
        found = self._between(left, right)
        return np.asarray(found.block(np.arange(len(right))).T, dtype=np.float64)

    def _all_distances(self, X: ArrayLike) -> FloatArray:
        """Return the distances to all prototypes, shape (n, k)."""
        found = self._to_prototypes(X)
        if not found.shape[1]:
            return np.empty(found.shape)
        return np.asarray(found.block(np.arange(found.shape[1])).T, dtype=np.float64)

    def similarity(self, X: ArrayLike) -> FloatArray:
        """Return exp(-distance / T) for each prototype, shape (n, k)."""
        similarity: FloatArray = np.exp(-self._all_distances(X) / self.temperature_)
        return similarity

    def path(
        self, X: ArrayLike, y: ArrayLike, X_test: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> tuple[PathPoint, ...]:
        """Cover X and y with balls of several radii, and estimate other rows with each.

        See :meth:`proset.companions.shared.PrototypeModelMixin.path`. The method knows no weights; the
        temperature stays that of this model.
        """
        check_is_fitted(self)
        radii = self.cv_eps_ if len(self.cv_eps_) > 1 else self._radii_around()
        some = spread_out(radii, PATH_RADII)
        plain: HasParameters = clone(self).set_params(temperature=float(self.temperature_))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoPrototypeWarning)  # a point says so by its number of prototypes
            own = float(self.eps_)
            return refit_path(plain, "eps", some.tolist(), X, y, X_test, own=own, words="radius")

    def _radii_around(self) -> FloatArray:
        """Return radii around a fixed one."""
        return float(self.eps_) * np.geomspace(0.25, 4.0, PATH_RADII)

    def contributions(self, X: ArrayLike) -> ScoreContributions:
        """Return what each prototype adds to the scores: the nearest one of each class is all that counts.

        A class without prototypes has a base of minus infinity.
        """
        check_is_fitted(self)
        check_room(len(np.asarray(X)), len(self.label_codes_), len(self.classes_))
        distances, scores = self._all_distances(X), self.scores(X)
        added = np.zeros((*distances.shape, len(self.classes_)))
        if not len(self.label_codes_):
            return ScoreContributions(scores, added)
        base = np.zeros_like(scores)
        for k in range(len(self.classes_)):
            own = np.flatnonzero(self.label_codes_ == k)
            if not len(own):
                base[:, k] = -np.inf
                continue
            nearest = own[distances[:, own].argmin(axis=1)]
            added[np.arange(len(distances)), nearest, k] = scores[:, k]
        return ScoreContributions(base, added)

    def _raw_familiarity(self, X: ArrayLike) -> FloatArray:
        """Return minus the distance to the nearest prototype in radii: above -1 is inside a ball."""
        near = self._nearest(X).by_class.min(axis=1)
        return np.maximum(-near / self.eps_, np.finfo(np.float64).min)

    def _check_state(self) -> None:
        """Refuse saved arrays that do not fit each other."""
        k, width = len(self.label_codes_), self.n_features_in_
        columns = (self.prototype_indices_, self.prototype_rows_, self.covered_, self.miscovered_, self.own_)
        shapes = {
            "prototypes_": (self.prototypes_.shape, (k, 0 if self._precomputed() else width)),
            "mean_": (self.mean_.shape, (width,)),
            "spread_": (self.spread_.shape, (width,)),
            "class_shares_": (self.class_shares_.shape, (len(self.classes_),)),
            "path_table_": (self.path_table_.shape[1:], (6,)),
        }
        wrong = [name for name, (found, expected) in shapes.items() if found != expected]
        wrong += [] if all(column.shape == (k,) for column in columns) else ["prototype_indices_"]
        codes = self.label_codes_
        if k and not (np.issubdtype(codes.dtype, np.integer) and codes.min() >= 0 and codes.max() < len(self.classes_)):
            wrong.append("label_codes_")
        if wrong:
            raise StorageError(f"The saved PVMClassifier does not fit together: {', '.join(wrong)}.")
