"""The objective of a sparse multi-prototype classifier: loss, penalties, and a lower bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from proset.common.lazy import lazy_property
from proset.companions.smp.compiled import max_rows, penalty, softmax_rows
from proset.companions.smp.fusion import FusionGraph
from proset.engine.kernels.similarity import IntArray
from proset.engine.kernels.units import FloatArray

LOSSES: Mapping[str, Callable[..., float]] = MappingProxyType({"softmax": softmax_rows, "max": max_rows})
"""By name: all rivals in a softmax (4), or only the strongest (2)."""


@dataclass(frozen=True, eq=False)
class FusionProblem:
    """Objective over the prototypes W, shape (N, D).

    Attributes
    ----------
    X : ndarray of float64, shape (m, D), C order
        Rows; with an intercept, the last column is 1.
    own : ndarray of int64, shape (m,)
        The prototype that each row belongs to, fixed before the fit.
    target : ndarray of int64, shape (m,)
        Class of each row, 0 to K - 1.
    bounds : ndarray of int64, shape (K + 1,)
        Prototypes bounds[k] to bounds[k + 1] - 1 belong to class k.
    weight : ndarray of shape (m,)
        Weights of the rows, adding up to one.
    graph : FusionGraph
        Pairs of prototypes that are drawn together.
    lam, mu, eta : float
        Penalties: on the differences of pairs, on all coordinates, and the share of their squares in `mu`.
    loss : str
        A key of ``LOSSES``.
    n_penalised : int
        The penalties see the first so many columns.
    """

    X: FloatArray
    own: IntArray
    target: IntArray
    bounds: IntArray
    weight: FloatArray
    graph: FusionGraph
    lam: float
    mu: float
    eta: float
    loss: str
    n_penalised: int

    @lazy_property
    def own_class(self) -> tuple[IntArray, IntArray]:
        """First prototype of the class of each row, and the first after its class, shape (m,) each."""
        return self.bounds[self.target], self.bounds[self.target + 1]

    @lazy_property
    def pairs(self) -> IntArray:
        """Pairs that are penalised: none if lambda is 0."""
        return self.graph.pairs if self.lam > 0.0 else self.graph.pairs[:0]

    @property
    def strength(self) -> float:
        """Squared norm of the map from prototypes to penalised differences, lambda included."""
        return self.lam**2 * self.graph.strength

    def numbers(self, tau: float = 0.0, sigma: float = 0.0) -> FloatArray:
        """Return the numbers as the compiled code takes them."""
        return np.array([self.lam, self.mu, self.eta, tau, sigma])

    def shares(self, W: FloatArray, out: FloatArray | None = None) -> tuple[float, FloatArray]:
        """Return the loss and its gradient by score, shape (m, N).

        Row i of the gradient is its weight times (q - e): q the shares of its own prototype and the rivals in a
        softmax (or of the strongest rival alone), e one at its own prototype.
        """
        scores = np.matmul(self.X, W.T, out=out)
        return LOSSES[self.loss](scores, self.own, *self.own_class, self.weight), scores

    def value(self, W: FloatArray) -> float:
        """Return the objective (6)."""
        return self.shares(W)[0] + penalty(W, self.pairs, self.n_penalised, self.numbers())

    def look(self, W: FloatArray, V: FloatArray) -> tuple[float, float]:
        """Return the objective, and an upper bound of what it is above its optimum; nan if there is none.

        Every pair of a gradient by score and of dual variables V gives a lower bound of the objective, by Fenchel's
        inequality, once both are scaled to where the conjugate of the penalty is finite. Without a penalty, or with
        an intercept, which has none, only the trivial bound would be left.
        """
        loss, shares = self.shares(W)
        value = loss + penalty(W, self.pairs, self.n_penalised, self.numbers())
        if self.mu == 0.0 or self.n_penalised < self.X.shape[1]:
            return value, float("nan")
        pull = shares.T @ self.X
        entropy = loss - float(np.vdot(pull, W))  # Fenchel's equality: the shares are the gradient at W
        np.add.at(pull, self.pairs[:, 0], self.lam * V)
        np.subtract.at(pull, self.pairs[:, 1], self.lam * V)
        conjugate, beyond = 0.0, np.maximum(np.abs(pull) - self.mu, 0.0)
        if self.eta > 0.0:
            conjugate = float((beyond**2).sum()) / (2.0 * self.mu * self.eta)
        elif beyond.any():
            entropy = self._entropy(shares, self.mu / float(np.abs(pull).max()))
        return value, value - max(entropy - conjugate, 0.0)

    def _entropy(self, shares: FloatArray, scale: float) -> float:
        """Return the weighted mean entropy of the shares q, drawn toward the own prototype."""
        q = scale * shares / self.weight[:, None]
        q[np.arange(len(q)), self.own] += 1.0
        logs = np.log(q, out=np.zeros_like(q), where=q > 0.0)
        return -float(self.weight @ (q * logs).sum(axis=1))
