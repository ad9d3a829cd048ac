"""The answers of a prototype set classifier, in the form of the companions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.utils.validation import check_is_fitted

from proset.common.errors import ProsetError
from proset.common.words import listed
from proset.companions.adapters.proset_state import ProsetStateMixin
from proset.companions.protocol import FloatArray, PathPoint, ScoreContributions, SystemPrototypes
from proset.companions.room import check_room
from proset.engine.evidence.known_cases import batch_kernels
from proset.engine.kernels.threads import limited
from proset.engine.model import ClassifierModel
from proset.engine.set_manager import Batch

SHORTEST_PATH = 5
_ROUNDING = 1e-14


class ProsetAnswersMixin(ProsetStateMixin):
    """The questions of the protocol, answered from the batches of `model_`."""

    if TYPE_CHECKING:
        standardize: bool
        n_jobs: int | None

        def __init__(self, **params: Any) -> None: ...
        def _ready(self, X: ArrayLike) -> NDArray[Any]: ...
        def set_params(self, **params: Any) -> Any: ...  # noqa: D102

    @staticmethod
    def _batches_of(model: ClassifierModel) -> list[Batch]:
        """Return the batches that have prototypes."""
        return [batch for batch in model.set_manager_.batches if batch is not None]

    def prototypes(self) -> SystemPrototypes:
        """Return the prototypes, batch by batch; `group` is the batch, 0 for the first."""
        check_is_fitted(self, "model_")
        numbered = [(i, batch) for i, batch in enumerate(self.model_.set_manager_.batches) if batch is not None]
        if not numbered:
            return SystemPrototypes.of_samples(self.prototype_rows_, np.zeros(0), self.classes_[:0])
        batches = [batch for _, batch in numbered]
        used = self.feature_weights() > 0.0
        group = np.concatenate([np.full(len(batch), number) for number, batch in numbered])
        return SystemPrototypes.of_samples(
            self.prototype_rows_,
            np.concatenate([batch.sample_index for batch in batches]),
            self.classes_[np.concatenate([batch.target for batch in batches])],
            weight=np.concatenate([batch.weights for batch in batches]),
            group=group,
            active=used[group],
        )

    def feature_weights(self) -> FloatArray:
        """Return the feature weights v of each batch, shape (batches, D), in the model's units."""
        check_is_fitted(self, "model_")
        manager = self.model_.set_manager_
        weights = np.zeros((manager.num_batches, self.n_features_in_))
        for row, batch in zip(weights, manager.batches, strict=True):
            if batch is not None:
                row[batch.active_features] = batch.feature_weights
        return weights

    def similarity(self, X: ArrayLike) -> FloatArray:
        """Return the impact of each prototype on each row, weight times kernel value (2.3), shape (n, k)."""
        rows = self._ready(X)
        check_room(len(rows), len(self.prototype_rows_))
        with limited(self.n_jobs):
            parts = [
                batch.similarity(rows) * batch.weights.astype(np.float64) for batch in self._batches_of(self.model_)
            ]
        return np.hstack(parts) if parts else np.zeros((len(rows), 0))

    def distance(self, A: ArrayLike, B: ArrayLike | None = None) -> FloatArray:
        """Return the distance in the combined metric of the batches, shape (n, m); see the notes of the class."""
        first = self._ready(A).astype(np.float64)
        second = first if B is None else self._ready(B).astype(np.float64)
        kernels = batch_kernels(self.model_.set_manager_)
        check_room(len(first), len(second))
        total = np.full((len(first), len(second)), -np.inf if kernels else 0.0)
        for kernel in kernels:
            squares = cdist(
                first[:, kernel.columns] * kernel.weights, second[:, kernel.columns] * kernel.weights, "sqeuclidean"
            )
            np.logaddexp(total, np.log(kernel.share) - 0.5 * squares, out=total)
        # The shares sum to one but for rounding: what is nearer than that is at the same place.
        return np.sqrt(-2.0 * np.where(total > -_ROUNDING, 0.0, total))

    def batch_distances(self, A: ArrayLike, B: ArrayLike | None = None) -> FloatArray:
        """Return the distance in the metric of every batch, shape (batches, n, m); 0 for a batch without features."""
        first = self._ready(A).astype(np.float64)
        second = first if B is None else self._ready(B).astype(np.float64)
        weights = self.feature_weights()
        check_room(len(first), len(second), max(1, len(weights)))
        each = [cdist(first[:, row > 0.0] * row[row > 0.0], second[:, row > 0.0] * row[row > 0.0]) for row in weights]
        return np.stack(each) if each else np.zeros((0, len(first), len(second)))

    def contributions(self, X: ArrayLike) -> ScoreContributions:
        """Return what marginals and prototypes add to the estimates of each row, shapes (n, K) and (n, k, K)."""
        impact = self.similarity(X)
        n, k, n_classes = *impact.shape, len(self.classes_)
        check_room(n, k, n_classes)
        total = 1.0 + impact.sum(axis=1, keepdims=True)
        added = np.zeros((n, k, n_classes))
        target = [batch.target for batch in self._batches_of(self.model_)]
        added[:, np.arange(k), np.concatenate(target) if target else np.zeros(0, dtype=np.int64)] = impact / total
        return ScoreContributions(self.model_.set_manager_.marginals / total, added)

    def _raw_familiarity(self, X: ArrayLike) -> FloatArray:
        """Return the total impact of all prototypes (4.5), shape (n,)."""
        rows = self._ready(X)
        return self.model_.familiarity(rows)

    def path(
        self, X: ArrayLike, y: ArrayLike, X_test: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> tuple[PathPoint, ...]:
        """Estimate rows after 0, 1, ... batches of one fit by this model's settings; see PrototypeModelMixin.path."""
        check_is_fitted(self, "model_")
        own = self.model_.set_manager_.num_batches // self.model_.n_joined  # of each fit
        longest = max(own, SHORTEST_PATH)
        points = self._grown_points(X, y, X_test, sample_weight, longest)
        if self._is_refined:  # what follows the last batch is another thing for each number of batches
            each = (self._grown_points(X, y, X_test, sample_weight, size)[size] for size in range(1, longest))
            points[1:longest] = each
        points[own] = replace(points[own], own=True)
        return tuple(points)

    @property
    def _is_refined(self) -> bool:
        """True if all batches are looked at together after the last one."""
        model = self.model_
        return bool(model.correction or model.thinning or model.max_prototypes is not None)

    def _grown_points(
        self, X: ArrayLike, y: ArrayLike, X_test: ArrayLike, sample_weight: ArrayLike | None, n_iter: int
    ) -> list[PathPoint]:
        """Return what a fit of so many batches by this model's settings comes to after 0, 1, ... of them."""
        settings = self.model_.get_params() | {"n_jobs": self.n_jobs}
        n_joined = self.model_.n_joined
        fitted = type(self)(standardize=self.standardize, **settings).set_params(n_iter=n_iter)
        fitted.fit(X, y, sample_weight)
        columns = self._columns_of(fitted.classes_)
        used, size, points = np.zeros(fitted.n_features_in_, dtype=bool), 0, []
        stages = fitted.model_.staged_predict_proba(fitted._ready(X_test))
        for number, (batch, estimates) in enumerate(
            zip((None, *fitted.model_.set_manager_.batches), stages, strict=True)
        ):
            if batch is not None:
                used[batch.active_features], size = True, size + len(batch)
            batches, rest = divmod(number, n_joined)
            if not rest:
                points.append(
                    PathPoint("batches", float(batches), size, int(used.sum()), estimates[:, columns], own=False)
                )
        return points

    def _columns_of(self, classes: NDArray[Any]) -> list[int]:
        """Return where the classes of this model stand among others, which are sorted; those of a study need not be."""
        found = classes.tolist()
        missing = [label for label in self.classes_.tolist() if label not in found]
        if missing:
            raise ProsetError(f"There are no rows of the class {listed(missing)} to fit to.")
        return [found.index(label) for label in self.classes_.tolist()]
