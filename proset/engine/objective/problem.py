"""The frozen data of one batch problem: what the objective (2.8) is evaluated on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from proset.engine.kernels.units import nearest_to_zero
from proset.engine.objective.penalty import ElasticNet
from proset.engine.set_manager import Batch, FloatArray, IntArray

OVERHEAD_PER_PAIR = 16  # cost of one similarity beyond its features, in units of one feature
START_SCALE = 10.0  # feature weights start at 10 / D, prototype weights at 1 (section 2.1)


@dataclass(frozen=True, eq=False)
class BatchProblem:
    """One batch: reference rows that score the likelihood and candidates that may become prototypes.

    Features are in double precision: which of their digits count depends on the weights, so each form of the objective
    rounds them when it knows these.

    Attributes
    ----------
    reference : ndarray of float64, shape (n, D)
        Features of the reference rows T_c, sorted by class.
    reference_target : ndarray of int64, shape (n,)
        Their classes, ascending.
    importance : ndarray of float64, shape (n,)
        Factor of each log-likelihood term: sample weight times N_k / (N_k - J_k), over N. Sums to one.
    prior_true : ndarray of float64, shape (n,)
        Unnormalised probability (2.5) of the true class after the earlier batches.
    prior_total : ndarray of float64, shape (n,)
        Sum of (2.5) over all classes after the earlier batches.
    candidates : ndarray of float64, shape (J, D)
        Features of the candidates, sorted by class, from the same origin.
    candidate_target : ndarray of int64, shape (J,)
        Their classes, ascending.
    candidate_index : ndarray of int64, shape (J,)
        Their rows in the training data.
    penalty_v, penalty_w : ElasticNet
        Penalties on feature weights and prototype weights.
    n_classes : int
        Number of classes K.
    first : bool
        Whether only the marginals speak so far: no earlier batch holds a prototype.

    Examples
    --------
    >>> problem = make_problem(
    ...     np.array([[0.0], [1.0], [0.2], [0.9]]), np.array([0, 1, 0, 1]), np.ones(4), np.full((4, 2), 0.5),
    ...     candidates=np.array([0, 1]), reference=np.array([2, 3]),
    ...     penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95), first=True)
    >>> problem.importance.tolist(), problem.start().tolist()
    ([0.5, 0.5], [10.0, 1.0, 1.0])
    """

    reference: FloatArray
    reference_target: IntArray
    importance: FloatArray
    prior_true: FloatArray
    prior_total: FloatArray
    candidates: FloatArray
    candidate_target: IntArray
    candidate_index: IntArray
    penalty_v: ElasticNet
    penalty_w: ElasticNet
    n_classes: int
    first: bool

    @property
    def n_features(self) -> int:
        """Number of feature weights D."""
        return int(self.candidates.shape[1])

    @property
    def n_candidates(self) -> int:
        """Number of prototype weights J."""
        return int(self.candidates.shape[0])

    @property
    def n_shared(self) -> int:
        """Number of variables that come before the prototype weights, which are the last J of a point."""
        return self.n_features

    @property
    def n_variables(self) -> int:
        """Number of variables of the solver."""
        return self.n_shared + self.n_candidates

    @property
    def sets_aside(self) -> bool:
        """True if candidates may be left out while their weight is zero."""
        return True

    def start(self) -> FloatArray:
        """Return the starting point: feature weights 10 / D, then prototype weights 1."""
        return np.concatenate([np.full(self.n_features, START_SCALE / self.n_features), np.ones(self.n_candidates)])

    def split(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Cut a point into feature weights (D,) and prototype weights (J,)."""
        return point[: self.n_features], point[self.n_features :]

    def next_stage(self, point: FloatArray) -> tuple[BatchProblem, FloatArray] | None:
        """Return what is to be minimised after this problem, and from where; None if this is all."""
        return None

    def kernel_weights(self, point: FloatArray) -> FloatArray:
        """Return the weights of the features in the kernel (2.3), shape (D,)."""
        return self.split(point)[0]

    def merge_columns(self, point: FloatArray, kept: IntArray) -> FloatArray:
        """Return in what candidates have to agree, beside features and class, to be one prototype; one row for each."""
        return np.zeros((kept.shape[0], 0))

    def as_batch(self, batch: Batch, point: FloatArray, kept: IntArray, used: IntArray) -> Batch:
        """Add to a batch what the target asks for: nothing, if it is a class."""
        return batch

    def with_penalties(self, penalties: Mapping[str, ElasticNet]) -> Self:
        """Return the same problem under other penalties."""
        return replace(self, **cast(Any, penalties))

    def same_class(self) -> IntArray:
        """Return the first and last (exclusive) candidate of each reference row's class, shape (n, 2)."""
        bounds = np.searchsorted(self.candidate_target, np.arange(self.n_classes + 1))
        return np.column_stack([bounds[self.reference_target], bounds[self.reference_target + 1]])

    def with_reference(self, index: IntArray) -> Self:
        """Return the problem that only some reference rows, ascending, score; each class weighs what it did."""
        target, importance = self.reference_target, self.importance
        whole = np.bincount(target, weights=importance, minlength=self.n_classes)
        part = np.bincount(target[index], weights=importance[index], minlength=self.n_classes)
        return replace(
            self,
            reference=self.reference[index],
            reference_target=target[index],
            importance=importance[index] * (whole[target[index]] / part[target[index]]),
            prior_true=self.prior_true[index],
            prior_total=self.prior_total[index],
        )

    def with_candidates(self, index: IntArray) -> Self:
        """Return the problem in which only some candidates, ascending, may have a weight."""
        return replace(
            self,
            candidates=self.candidates[index],
            candidate_target=self.candidate_target[index],
            candidate_index=self.candidate_index[index],
        )


def make_problem(
    X: NDArray[np.floating],
    target: IntArray,
    sample_weight: FloatArray,
    prior: FloatArray,
    *,
    candidates: IntArray,
    reference: IntArray,
    penalty_v: ElasticNet,
    penalty_w: ElasticNet,
    first: bool,
) -> BatchProblem:
    """Arrange training rows as a batch problem.

    Parameters
    ----------
    X : ndarray of shape (N, D)
        Features of the rows taking part in this batch.
    target : ndarray of int64, shape (N,)
        Classes, 0 to K - 1, each among candidates and reference rows or at least among the latter.
    sample_weight : ndarray of float64, shape (N,)
        Multiplicity of each row (remark 2.2), positive.
    prior : ndarray of float64, shape (N, K)
        Unnormalised probabilities (2.5) of the earlier batches.
    candidates, reference : ndarray of int64
        Row positions; disjoint.
    penalty_v, penalty_w : ElasticNet
        Penalties on feature weights and prototype weights.
    first : bool
        Whether `prior` holds nothing but the marginals.

    Returns
    -------
    BatchProblem
        Rows sorted by class, and moved towards the origin where that costs no digits.
    """
    n_classes = prior.shape[1]
    reference = reference[np.argsort(target[reference], kind="stable")]
    candidates = candidates[np.argsort(target[candidates], kind="stable")]
    k = target[reference]
    importance = importance_of(reference, target, sample_weight)
    origin = nearest_to_zero(X)
    return BatchProblem(
        reference=moved(X[reference], origin),
        reference_target=k,
        importance=importance,
        prior_true=prior[reference, k],
        prior_total=prior[reference].sum(axis=1),
        candidates=moved(X[candidates], origin),
        candidate_target=target[candidates],
        candidate_index=candidates,
        penalty_v=penalty_v,
        penalty_w=penalty_w,
        n_classes=n_classes,
        first=first,
    )


def importance_of(reference: IntArray, target: IntArray, sample_weight: FloatArray) -> FloatArray:
    """Return the factor of each log-likelihood term of (2.8): sample weight times N_k / (N_k - J_k), over N.

    Parameters
    ----------
    reference : ndarray of int64, shape (n,)
        Row positions.
    target : ndarray of int64, shape (N,)
        Classes, or other strata, 0 to K - 1; each among the reference rows.
    sample_weight : ndarray of float64, shape (N,)
        Multiplicity of each row.

    Examples
    --------
    >>> importance_of(np.array([1, 2]), np.array([0, 0, 1]), np.ones(3)).round(2).tolist()
    [0.67, 0.33]
    """
    k = target[reference]
    total = np.bincount(target, weights=sample_weight)
    held_out = np.bincount(k, weights=sample_weight[reference], minlength=total.shape[0])
    importance: FloatArray = sample_weight[reference] * (total[k] / held_out[k]) / total.sum()
    return importance


def moved(rows: NDArray[np.floating], origin: FloatArray) -> FloatArray:
    """Bring a copy of some rows to an origin, in double precision and without another copy."""
    moved = np.ascontiguousarray(rows, dtype=np.float64)
    moved -= origin
    return moved
