"""The density objective (R1) as plain loops in double precision: what all forms equal. Nothing here is clever."""

from __future__ import annotations

import math

import numpy as np

from proset.engine.objective.density_problem import FADE, DensityProblem
from proset.engine.objective.penalty import ElasticNet
from proset.engine.set_manager import FloatArray


def _net(net: ElasticNet, x: FloatArray) -> float:
    """Elastic net of (2.8)."""
    factors = [1.0] * x.shape[0] if net.factors is None else net.factors.tolist()
    terms = [f * (net.alpha / 2 * a**2 + (1 - net.alpha) * a) for f, a in zip(factors, x.tolist(), strict=True)]
    return net.strength * sum(terms)


def value(problem: DensityProblem, point: FloatArray) -> float:
    """Evaluate (2.8) with the density (R1) of each target.

    Parameters
    ----------
    problem : DensityProblem
        The batch.
    point : ndarray of shape (n_variables,)
        Feature weights, rising and falling parts of the slopes, logarithms of spreads, prototype weights.
    """
    d, n_candidates = problem.n_features, problem.n_candidates
    v, up, down, log_h = point[:d], point[d : 2 * d], point[2 * d : 3 * d], float(point[3 * d])
    own = point[3 * d + 1 : 3 * d + 1 + n_candidates] if problem.own_spreads else np.full(n_candidates, log_h)
    w = point[-n_candidates:]
    total = 0.0
    for n in range(problem.reference.shape[0]):
        numerator, denominator = float(problem.prior_true[n]), float(problem.prior_total[n])
        for j in range(n_candidates):
            distance, center = 0.0, float(problem.candidate_value[j])
            for k in range(d):
                step = float(problem.reference[n, k] - problem.candidates[j, k])
                beta = float(up[k] - down[k])
                distance += (float(v[k]) ** 2 + (FADE * beta) ** 2) * step**2
                center += beta * step
            impact = float(w[j]) * math.exp(-0.5 * distance)
            h = problem.least_spread * math.exp(float(own[j]))
            off = (float(problem.reference_value[n]) - center) / h
            numerator += impact * math.exp(-0.5 * off**2) / (h * math.sqrt(2.0 * math.pi))
            denominator += impact
        total -= problem.importance[n] * math.log(numerator / denominator)
    total += _net(problem.penalty_v, v) + _net(problem.penalty_w, w)
    total += _net(problem.penalty_beta, up) + _net(problem.penalty_beta, down)
    return total + problem.penalty_h.strength / 2 * sum((float(one) - log_h) ** 2 for one in own)
