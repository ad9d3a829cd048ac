"""The units that a fitted model is made of: values, slopes, embedding."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from proset.companions.gbmap.compiled import path_lengths
from proset.companions.protocol import BoolArray, FloatArray, IntArray

NUMBERS_AT_ONCE = 1 << 22
"""Values of units that are held at a time when only their sums are wanted."""


def softplus(z: FloatArray, beta: float) -> FloatArray:
    """Return log(1 + exp(beta z)) / beta without overflow.

    Examples
    --------
    >>> softplus(np.array([-1e3, 1e3]), 1.0)
    array([   0., 1000.])
    """
    value: FloatArray = np.logaddexp(0.0, beta * z) / beta
    return value


@dataclass(frozen=True, eq=False)
class Units:
    """U units f_j(x) = scale (a_j + b_j softplus(w_j x + c_j)), sorted by problem, then by stage.

    Attributes
    ----------
    weights : ndarray of shape (U, D)
        w.
    biases : ndarray of shape (U,)
        c, the weight of the constant feature.
    intercepts : ndarray of shape (U,)
        a.
    signs : ndarray of shape (U,)
        b, 1 or -1.
    stages : ndarray of int64, shape (U,)
        In which stage a unit was added, 0 for the first.
    problems : ndarray of int64, shape (U,)
        Which score it belongs to, 0 to P - 1.
    n_problems : int
        P.
    beta : float
        Sharpness of the softplus.
    scale : float
        Standard deviation of the target, in a regression.
    """

    weights: FloatArray
    biases: FloatArray
    intercepts: FloatArray
    signs: FloatArray
    stages: IntArray
    problems: IntArray
    n_problems: int
    beta: float
    scale: float = 1.0

    def __len__(self) -> int:
        return len(self.signs)

    def first(self, n_stages: int | None) -> Units:
        """Return the units of the first stages only."""
        if n_stages is None:
            return self
        keep = self.stages < n_stages
        names = ("weights", "biases", "intercepts", "signs", "stages", "problems")
        return replace(self, **{name: getattr(self, name)[keep] for name in names})

    def project(self, X: NDArray[np.floating]) -> FloatArray:
        """Return w x + c, shape (n, U)."""
        projected: FloatArray = X @ self.weights.T + self.biases
        return projected

    def values(self, X: NDArray[np.floating]) -> FloatArray:
        """Return f_j(x), the embedding, shape (n, U)."""
        values = softplus(self.project(X), self.beta)
        values *= self.signs
        values += self.intercepts
        values *= self.scale
        return values

    def add_up(self, values: FloatArray) -> FloatArray:
        """Add up values (n, U) to scores (n, P)."""
        if self.n_problems == 1:
            return values.sum(axis=1, keepdims=True)
        return np.stack([values[:, self.problems == p].sum(axis=1) for p in range(self.n_problems)], axis=1)

    def scores(self, X: NDArray[np.floating]) -> FloatArray:
        """Return the sums of the values, shape (n, P), for some rows at a time."""
        step = max(1, NUMBERS_AT_ONCE // max(1, len(self)))
        parts = [self.add_up(self.values(X[begin : begin + step])) for begin in range(0, len(X), step)]
        return np.concatenate(parts) if parts else np.zeros((0, self.n_problems))

    def slopes(self, X: NDArray[np.floating], hard: bool) -> FloatArray:
        """Return the gradient of each score, shape (n, P, D); hard: as if the units were bent sharply."""
        z = self.project(X)
        slope = (z > 0.0).astype(float) if hard else expit(self.beta * z)
        slope *= self.signs * self.scale
        out = [slope[:, self.problems == p] @ self.weights[self.problems == p] for p in range(self.n_problems)]
        return np.stack(out, axis=1)

    def regions(self, X: NDArray[np.floating]) -> BoolArray:
        """Tell which units are active, w x + c > 0, shape (n, U)."""
        return self.project(X) > 0.0

    def path_lengths(self, A: NDArray[np.floating], B: NDArray[np.floating], n_steps: int) -> FloatArray:
        """Return how far f goes up and down on straight lines between rows, shape (n, m)."""
        out = np.zeros((A.shape[0], B.shape[0]))
        left, right = np.ascontiguousarray(self.project(A)), np.ascontiguousarray(self.project(B))
        path_lengths(left, right, self.problems, self.signs * self.scale, self.beta, n_steps, out)
        return out
