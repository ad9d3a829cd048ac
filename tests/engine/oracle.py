"""The formulas (2.8) to (2.12) as plain loops over the report's indices, in double precision: what all forms equal.

It is written to be compared with the report line by line, so nothing here is clever.
"""

from __future__ import annotations

import math

import numpy as np

from proset.engine.kernels.similarity import FloatArray
from proset.engine.objective.penalty import ElasticNet
from proset.engine.objective.problem import BatchProblem


def _kernel(v: FloatArray, z: FloatArray) -> float:
    """Unnormalised Gaussian kernel (2.3)."""
    scaled = [float(v_d) * float(z_d) for v_d, z_d in zip(v, z, strict=True)]
    return math.exp(-0.5 * sum(x * x for x in scaled))


def value(problem: BatchProblem, v: FloatArray, w: FloatArray) -> float:
    """Evaluate the objective (2.8).

    Parameters
    ----------
    problem : BatchProblem
        The batch.
    v : ndarray of shape (D,)
        Feature weights, not negative.
    w : ndarray of shape (J,)
        Prototype weights, not negative.
    """
    total = 0.0
    for n in range(problem.reference.shape[0]):
        q_true, q_total = problem.prior_true[n], problem.prior_total[n]
        for j in range(problem.n_candidates):
            impact = w[j] * _kernel(v, problem.reference[n] - problem.candidates[j])
            q_total += impact
            if problem.candidate_target[j] == problem.reference_target[n]:
                q_true += impact
        total -= problem.importance[n] * math.log(q_true / q_total)
    return total + _penalty(problem.penalty_v, v) + _penalty(problem.penalty_w, w)


def _penalty(net: ElasticNet, x: FloatArray) -> float:
    """Elastic net of (2.8), each weight with its factor if there are any."""
    total = 0.0
    for d, x_d in enumerate(x.tolist()):
        factor = 1.0 if net.factors is None else float(net.factors[d])
        total += net.strength * factor * (net.alpha / 2 * x_d**2 + (1 - net.alpha) * abs(x_d))
    return total


def _slope(net: ElasticNet, x: FloatArray) -> FloatArray:
    """Its derivatives, the last line of (2.11) and of (2.12)."""
    factors = [1.0] * x.shape[0] if net.factors is None else net.factors.tolist()
    return np.array([net.strength * f * (net.alpha * x_d + (1 - net.alpha)) for f, x_d in zip(factors, x, strict=True)])


def gradient(problem: BatchProblem, v: FloatArray, w: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Evaluate the partial derivatives (2.11) and (2.12).

    Parameters
    ----------
    problem, v, w
        As for :func:`value`.

    Returns
    -------
    gradient_v : ndarray of shape (D,)
        From (2.9).
    gradient_w : ndarray of shape (J,)
        From (2.10).
    """
    gradient_v = _slope(problem.penalty_v, v)
    gradient_w = _slope(problem.penalty_w, w)
    for n in range(problem.reference.shape[0]):
        difference = problem.reference[n] - problem.candidates
        similar = [_kernel(v, z) for z in difference]
        same = problem.candidate_target == problem.reference_target[n]
        impact = w * np.array(similar)
        q_true = problem.prior_true[n] + impact[same].sum()
        q_total = problem.prior_total[n] + impact.sum()
        for d in range(problem.n_features):
            spread = np.array([g * z * z if g > 0.0 else 0.0 for g, z in zip(impact, difference[:, d], strict=True)])
            log_derivative = v[d] * (spread.sum() / q_total - spread[same].sum() / q_true)
            gradient_v[d] -= problem.importance[n] * log_derivative
        for j in range(problem.n_candidates):
            log_derivative = (similar[j] / q_true if same[j] else 0.0) - similar[j] / q_total
            gradient_w[j] -= problem.importance[n] * log_derivative
    return gradient_v, gradient_w
