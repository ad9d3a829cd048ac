"""Estimate for one sample as a sum over the marginals and the prototypes (section 4.3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proset.engine.evidence.dominant_set import dominant_set
from proset.engine.kernels.similarity import FloatArray
from proset.engine.set_manager import IntArray, SetManager


@dataclass(frozen=True, eq=False)
class Contributions:
    """Everything that adds up to one estimate, prototypes in descending order of impact.

    Attributes
    ----------
    x : ndarray of shape (D,)
        The sample.
    probabilities : ndarray of shape (K,)
        The estimate (2.4): ``marginal_shares + shares.sum(axis=0)``.
    familiarity : float
        Total impact of the prototypes (4.5).
    marginals, marginal_shares : ndarray of shape (K,)
        Marginal probabilities, and what they contribute to each class probability.
    batch : ndarray of int64, shape (P,)
        Batch of each prototype, from 1.
    position : ndarray of int64, shape (P,)
        Place of each prototype within its batch.
    sample_index, target : ndarray of int64, shape (P,)
        Row in the training data and class of each prototype.
    weight, similarity, impact : ndarray of shape (P,)
        Prototype weight, kernel value in [0, 1], and their product.
    dominant : ndarray of bool, shape (P,)
        Members of the dominant set (algorithm 4.1).
    shares : ndarray of shape (P, K)
        What each prototype contributes to each class probability.
    """

    x: FloatArray
    probabilities: FloatArray
    familiarity: float
    marginals: FloatArray
    marginal_shares: FloatArray
    batch: IntArray
    position: IntArray
    sample_index: IntArray
    target: IntArray
    weight: FloatArray
    similarity: FloatArray
    impact: FloatArray
    dominant: NDArray[np.bool_]
    shares: FloatArray


def contributions(manager: SetManager, x: FloatArray) -> Contributions:
    """Break down the estimate for one sample.

    Parameters
    ----------
    x : ndarray of shape (D,)
        Feature values of the sample.

    Returns
    -------
    Contributions
        Prototypes by descending impact; ties keep the order of batch and position.

    Examples
    --------
    >>> from proset.engine.set_manager import Batch
    >>> batch = Batch(np.array([0]), np.ones(1, np.float32), np.zeros((1, 1), np.float32), np.array([1]),
    ...               np.ones(1, np.float32), np.array([0]))
    >>> parts = contributions(SetManager([0.5, 0.5], 1, (batch,)), np.zeros(1))
    >>> parts.probabilities.tolist(), parts.impact.tolist()
    ([0.25, 0.75], [1.0])
    """
    batches = [(number, batch) for number, batch in enumerate(manager.batches, start=1) if batch is not None]
    sizes = [len(batch) for _, batch in batches]
    number = np.repeat(np.array([n for n, _ in batches], dtype=np.int64), sizes)
    position = np.concatenate([np.arange(size) for size in sizes] or [np.zeros(0, dtype=np.int64)])
    similarity = np.concatenate([batch.similarity(x[None, :])[0] for _, batch in batches] or [np.zeros(0)])
    weight = np.concatenate([batch.weights.astype(np.float64) for _, batch in batches] or [np.zeros(0)])
    target = np.concatenate([batch.target for _, batch in batches] or [np.zeros(0, dtype=np.int64)])
    sample_index = np.concatenate([batch.sample_index for _, batch in batches] or [np.zeros(0, dtype=np.int64)])
    impact = weight * similarity
    total = 1.0 + impact.sum()
    shares = np.zeros((impact.shape[0], manager.num_classes))
    shares[np.arange(impact.shape[0]), target] = impact / total
    marginal_shares = manager.marginals / total
    order = np.argsort(-impact, kind="stable")
    return Contributions(
        x=x,
        probabilities=marginal_shares + shares.sum(axis=0),
        familiarity=float(impact.sum()),
        marginals=manager.marginals,
        marginal_shares=marginal_shares,
        batch=number[order],
        position=position[order],
        sample_index=sample_index[order],
        target=target[order],
        weight=weight[order],
        similarity=similarity[order],
        impact=impact[order],
        dominant=dominant_set(impact, target, manager.marginals)[order],
        shares=shares[order],
    )
