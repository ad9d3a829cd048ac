"""The elastic net on nonnegative weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proset.engine.set_manager import FloatArray


@dataclass(frozen=True, eq=False)
class ElasticNet:
    """Penalty lambda * (alpha / 2 * sum(x^2) + (1 - alpha) * sum(x)) of (2.8), for x >= 0.

    With a factor phi_d for each weight, which the report does not have, it is lambda * sum(phi_d * (alpha / 2 * x_d^2 +
    (1 - alpha) * x_d)), and its part of (2.11) is lambda * phi_d * (alpha * x_d + 1 - alpha).

    Attributes
    ----------
    strength : float
        Overall weight lambda, at least 0.
    alpha : float
        Share of the **L2** term, in [0, 1]; the report's convention, the reverse of glmnet's.
    factors : ndarray of float64 of the shape of x, or None
        What the penalty of each weight is multiplied with, finite and at least 0: with 0 it is lifted. None for 1.

    Examples
    --------
    >>> net = ElasticNet(strength=2.0, alpha=0.5)
    >>> net.value(np.array([1.0, 2.0])), net.gradient(np.array([1.0, 2.0])).tolist()
    (5.5, [2.0, 3.0])
    >>> net = ElasticNet(strength=2.0, alpha=0.5, factors=np.array([0.0, 1.0]))
    >>> net.value(np.array([1.0, 2.0])), net.gradient(np.array([1.0, 2.0])).tolist()
    (4.0, [0.0, 3.0])
    """

    strength: float
    alpha: float
    factors: FloatArray | None = None

    def value(self, x: FloatArray) -> float:
        """Value of the penalty at x >= 0."""
        return self.both(x)[0]

    def gradient(self, x: FloatArray) -> FloatArray:
        """Gradient of the penalty at x >= 0, one-sided where x is 0, of the shape of x."""
        return self.both(x)[1]

    def both(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient at x >= 0, in one pass."""
        rest, scaled = 1.0 - self.alpha, x if self.factors is None else self.factors * x
        squares, sizes = np.add.reduce(scaled * x), np.add.reduce(scaled)
        slope = self.strength * (self.alpha * x + rest)
        value = self.strength * (0.5 * self.alpha * float(squares) + rest * float(sizes))
        return value, slope if self.factors is None else slope * self.factors
