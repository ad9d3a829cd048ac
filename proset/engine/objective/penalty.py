"""The elastic net on nonnegative weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proset.engine.set_manager import FloatArray


@dataclass(frozen=True)
class ElasticNet:
    """Penalty lambda * (alpha / 2 * sum(x^2) + (1 - alpha) * sum(x)) of (2.8), for x >= 0.

    Attributes
    ----------
    strength : float
        Overall weight lambda, at least 0.
    alpha : float
        Share of the **L2** term, in [0, 1]; the report's convention, the reverse of glmnet's.

    Examples
    --------
    >>> net = ElasticNet(strength=2.0, alpha=0.5)
    >>> net.value(np.array([1.0, 2.0])), net.gradient(np.array([1.0, 2.0])).tolist()
    (5.5, [2.0, 3.0])
    """

    strength: float
    alpha: float

    def value(self, x: FloatArray) -> float:
        """Value of the penalty at x >= 0."""
        return self.strength * (0.5 * self.alpha * float(np.sum(x * x)) + (1.0 - self.alpha) * float(x.sum()))

    def gradient(self, x: FloatArray) -> FloatArray:
        """Gradient of the penalty at x >= 0, one-sided where x is 0, of the shape of x."""
        return self.strength * (self.alpha * x + (1.0 - self.alpha))
