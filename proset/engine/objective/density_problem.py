"""The frozen data of one batch problem whose target is a number: (2.8) with the density (R1) of each target.

With beta the slopes of the batch, m_j(x) = y_j + beta (x - x_j) of (R2) and h_j the spread of prototype j,

    A_n = numerator before + sum_j w_j G_u(x_n - x_j) k((y_n - m_j(x_n)) / h_j) / h_j
    S_n = denominator before + sum_j w_j G_u(x_n - x_j),

and row n contributes log(A_n / S_n). A slope is no licence to extrapolate: u_d^2 = v_d^2 + (FADE beta_d)^2, so that a
case is the less similar the more a comparison with it has to be adjusted.

What a solver sees is not negative. A slope is the difference of two variables, which makes an absolute value in its
penalty smooth; a spread is the least spread times the exponential of a variable. Those are one for the batch in a first
stage, and one for each prototype that was kept, drawn to that of the batch, in a second one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from proset.engine.density_sets import DensityBatch
from proset.engine.kernels.units import nearest_to_zero
from proset.engine.objective.penalty import ElasticNet
from proset.engine.objective.problem import BatchProblem, importance_of, moved
from proset.engine.set_manager import Batch, FloatArray, IntArray

FADE = 0.1  # kernel units per standard deviation of the target by which a comparison is adjusted
START_SPREAD = 0.4  # of a batch, in standard deviations of the target


_NONE = np.zeros(1)  # derivative by the spread of the batch where there is none


class DensityPoint(NamedTuple):
    """Weights, slopes and spreads at one point of the problem.

    Attributes
    ----------
    v, beta, u : ndarray of shape (D,)
        Feature weights, slopes, and weights in the kernel.
    spreads, w : ndarray of shape (J,)
        Spreads and weights of the candidates.
    """

    v: FloatArray
    beta: FloatArray
    u: FloatArray
    spreads: FloatArray
    w: FloatArray


@dataclass(frozen=True, eq=False)
class DensityProblem(BatchProblem):
    """One batch for a target that is a number.

    `prior_true` and `prior_total` are numerator and denominator of (R1) after the earlier batches. Classes are parts of
    the range of the target, by which rows are drawn; the likelihood does not know them.

    Attributes
    ----------
    reference_value : ndarray of float64, shape (n,)
        Targets of the reference rows, standardised.
    candidate_value : ndarray of float64, shape (J,)
        Those of the candidates.
    least_spread : float
        Lower bound of all spreads, positive.
    penalty_beta : ElasticNet
        Penalty on the slopes of the batch.
    penalty_h : ElasticNet
        Penalty on the deviation of the logarithm of a spread from that of the batch; its `alpha` is 1.
    own_spreads : bool
        Whether each candidate has a spread of its own.
    """

    reference_value: FloatArray
    candidate_value: FloatArray
    least_spread: float
    penalty_beta: ElasticNet
    penalty_h: ElasticNet
    own_spreads: bool = False

    @property
    def n_shared(self) -> int:
        """Feature weights, two parts of each slope, the spread of the batch, and those of prototypes if any."""
        return 3 * self.n_features + 1 + (self.n_candidates if self.own_spreads else 0)

    @property
    def sets_aside(self) -> bool:
        """True as long as nothing is a candidate's alone but its weight."""
        return not self.own_spreads

    def start(self) -> FloatArray:
        """Return the starting point: as for classes, without slopes, with one spread."""
        start = np.zeros(self.n_variables)
        start[: self.n_features] = super().start()[: self.n_features]
        start[3 * self.n_features : self.n_shared] = max(np.log(START_SPREAD / self.least_spread), 0.0)
        start[self.n_shared :] = 1.0
        return start

    def split(self, point: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Cut out feature weights (D,) and prototype weights (J,)."""
        return point[: self.n_features], point[self.n_shared :]

    def at(self, point: FloatArray) -> DensityPoint:
        """Return what a point says."""
        d, first = self.n_features, self.n_shared
        v, logs, w = point[:d], point[3 * d : first], point[first:]
        beta = point[d : 2 * d] - point[2 * d : 3 * d]
        of_each = logs[1:] if self.own_spreads else np.full(w.shape[0], logs[0])
        with np.errstate(over="ignore"):
            spreads = self.least_spread * np.exp(of_each)
        return DensityPoint(v, beta, np.hypot(v, FADE * beta), spreads, w)

    def kernel_weights(self, point: FloatArray) -> FloatArray:
        """Return u, the weights of the features in the kernel (2.3), shape (D,)."""
        return self.at(point).u

    def penalty(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Return the value and the gradient of all penalties."""
        d, first = self.n_features, self.n_shared
        of_v, by_v = self.penalty_v.both(point[:d])
        of_rise, by_rise = self.penalty_beta.both(point[d : 2 * d])
        of_fall, by_fall = self.penalty_beta.both(point[2 * d : 3 * d])
        of_w, by_w = self.penalty_w.both(point[first:])
        value = of_v + of_w + (of_rise + of_fall)
        if not self.own_spreads:
            return value, np.concatenate([by_v, by_rise, by_fall, _NONE, by_w])
        deviation = point[3 * d + 1 : first] - point[3 * d]
        pull = self.penalty_h.strength * deviation
        value += 0.5 * float(np.add.reduce(pull * deviation))
        return value, np.concatenate([by_v, by_rise, by_fall, -pull.sum(keepdims=True), pull, by_w])

    def gradient(
        self, at: DensityPoint, by_u: FloatArray, by_beta: FloatArray, sums: tuple[FloatArray, FloatArray]
    ) -> FloatArray:
        """Put the derivatives of minus the log-likelihood together, without penalties.

        Parameters
        ----------
        at : DensityPoint
            Where they were taken.
        by_u, by_beta : ndarray of shape (D,)
            By weights in the kernel, and by slopes while these are held.
        sums : tuple of two ndarray of shape (J,)
            By prototype weights and by the logarithms of spreads.
        """
        share = np.divide(by_u, at.u, out=np.zeros(at.u.shape[0]), where=at.u > 0.0)
        by_slope = by_beta + FADE * FADE * at.beta * share
        of_spreads = np.concatenate([_NONE, sums[1]]) if self.own_spreads else sums[1].sum(keepdims=True)
        return np.concatenate([at.v * share, by_slope, -by_slope, of_spreads, sums[0]])

    def with_reference(self, index: IntArray) -> DensityProblem:
        """Return the problem that only some reference rows, ascending, score; each part weighs what it did."""
        return replace(super().with_reference(index), reference_value=self.reference_value[index])

    def with_candidates(self, index: IntArray) -> DensityProblem:
        """Return the problem in which only some candidates, ascending, may have a weight."""
        return replace(super().with_candidates(index), candidate_value=self.candidate_value[index])

    def next_stage(self, point: FloatArray) -> tuple[DensityProblem, FloatArray] | None:
        """Give the candidates that were kept spreads of their own, once."""
        kept = np.flatnonzero(point[self.n_shared :] > 0.0)
        if self.own_spreads or not kept.shape[0] or not np.isfinite(self.penalty_h.strength):
            return None
        shared, w = point[: self.n_shared], point[self.n_shared :][kept]
        start = np.concatenate([shared, np.full(kept.shape[0], shared[-1]), w])
        return replace(self.with_candidates(kept), own_spreads=True), start

    def merge_columns(self, point: FloatArray, kept: IntArray) -> FloatArray:
        """Return target and spread of candidates: prototypes merge if these agree, too."""
        return np.column_stack([self.candidate_value[kept], self.at(point).spreads[kept]])

    def as_batch(self, batch: Batch, point: FloatArray, kept: IntArray, used: IntArray) -> DensityBatch:
        """Add values, slopes and spreads to a batch."""
        at = self.at(point)
        return DensityBatch(
            **{field.name: getattr(batch, field.name) for field in fields(batch)},
            values=self.candidate_value[kept],
            slopes=at.beta[used],
            spreads=at.spreads[kept],
            own_slopes=np.zeros(batch.prototypes.shape),
        )


def make_density_problem(
    X: NDArray[np.floating],
    target: IntArray,
    values: FloatArray,
    sample_weight: FloatArray,
    prior: FloatArray,
    *,
    candidates: IntArray,
    reference: IntArray,
    penalties: Mapping[str, ElasticNet],
    least_spread: float,
    first: bool,
) -> DensityProblem:
    """Arrange training rows as a batch problem.

    Parameters
    ----------
    X, sample_weight, candidates, reference
        As for :func:`proset.engine.objective.problem.make_problem`.
    target : ndarray of int64, shape (N,)
        Part of the range of the target, 0 to K - 1, each among the reference rows.
    values : ndarray of float64, shape (N,)
        Targets, standardised.
    prior : ndarray of float64, shape (N, 2)
        Numerator and denominator of (R1) after the earlier batches, both positive.
    penalties : mapping of str to ElasticNet
        `penalty_v`, `penalty_w`, `penalty_beta`, `penalty_h`.
    least_spread : float
        Lower bound of all spreads, positive.
    first : bool
        Whether `prior` holds nothing but the marginal density.

    Returns
    -------
    DensityProblem
        Rows moved towards the origin where that costs no digits.

    Examples
    --------
    >>> net = {name: ElasticNet(0.0, 1.0) for name in ("penalty_v", "penalty_w", "penalty_beta", "penalty_h")}
    >>> y = np.array([0.0, 1.0, 0.2, 0.9])
    >>> problem = make_density_problem(
    ...     y[:, None], np.zeros(4, np.int64), y, np.ones(4), np.full((4, 2), 0.5), candidates=np.array([0, 1]),
    ...     reference=np.array([2, 3]), penalties=net, least_spread=0.4, first=True)
    >>> problem.start().tolist()
    [10.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    """
    origin = nearest_to_zero(X)
    return DensityProblem(
        reference=moved(X[reference], origin),
        reference_target=target[reference],
        importance=importance_of(reference, target, sample_weight),
        prior_true=prior[reference, 0],
        prior_total=prior[reference, 1],
        candidates=moved(X[candidates], origin),
        candidate_target=target[candidates],
        candidate_index=candidates,
        n_classes=int(target.max()) + 1,
        first=first,
        reference_value=values[reference],
        candidate_value=values[candidates],
        least_spread=least_spread,
        **cast(Any, penalties),
    )
