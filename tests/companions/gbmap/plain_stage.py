"""One stage the plain way: what the compiled code is held to in tests. One column at a time, nothing eliminated."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from proset.companions.gbmap.compiled import SQUARED
from proset.companions.gbmap.units import softplus
from proset.companions.protocol import FloatArray


@dataclass(frozen=True, eq=False)
class PlainStage:
    """One sign of one stage.

    Attributes
    ----------
    X : ndarray of shape (n, q)
        Features, a column of ones among them if the model has one.
    target, offset, weight : ndarray of shape (n,)
        Values or -1 and 1; scores so far; weights that add up to 1.
    sign, beta, ridge, lasso : float
        b, sharpness, penalties not yet divided by q.
    n_lasso : int
        How many of the first coefficients the lasso penalises.
    loss : int
        ``SQUARED`` or ``LOGISTIC``.

    Examples
    --------
    >>> one = np.ones((4, 1))
    >>> y, equal = np.array([1.0, 1.0, -1.0, 1.0]), np.full(4, 0.25)
    >>> stage = PlainStage(one, y, np.zeros(4), equal, 1.0, 1.0, 0.0, 0.0, 0, 1)
    >>> round(stage.train_loss(stage.minimize(np.zeros(1), 0.0)), 3)  # the entropy of the two classes
    0.562
    """

    X: FloatArray
    target: FloatArray
    offset: FloatArray
    weight: FloatArray
    sign: float
    beta: float
    ridge: float
    lasso: float
    n_lasso: int
    loss: int

    def scores(self, parameters: FloatArray) -> FloatArray:
        """Return F + a + b g(Xw); the constant a is the last of the parameters."""
        w, a = parameters[:-1], parameters[-1]
        return self.offset + a + self.sign * softplus(self.X @ w, self.beta)

    def train_loss(self, parameters: FloatArray) -> float:
        """Return the mean loss without penalties."""
        f = self.scores(parameters)
        each = (self.target - f) ** 2 if self.loss == SQUARED else np.logaddexp(0.0, -self.target * f)
        return float(self.weight @ each)

    def value(self, parameters: FloatArray) -> float:
        """Return what is minimised."""
        w, q = parameters[:-1], self.X.shape[1]
        penalty = self.ridge * (w @ w) / q + self.lasso * np.abs(w[: self.n_lasso]).sum() / q
        return self.train_loss(parameters) + float(penalty)

    def gradient(self, parameters: FloatArray) -> FloatArray:
        """Return its gradient by central differences."""
        steps = 1e-6 * np.eye(len(parameters))
        return np.array([(self.value(parameters + h) - self.value(parameters - h)) / 2e-6 for h in steps])

    def minimize(self, w: FloatArray, a: float, max_iter: int = 500) -> NDArray[np.floating]:
        """Minimise from a start; with a lasso, with each coefficient split into a positive and a negative part."""
        q, options = len(w), {"maxiter": max_iter, "ftol": 1e-15, "gtol": 1e-9}
        if not self.lasso:
            found = minimize(self.value, np.r_[w, a], jac=self.gradient, method="L-BFGS-B", options=options)  # type: ignore[call-overload]
            return np.asarray(found.x)

        def joined(split: FloatArray) -> FloatArray:
            return np.r_[split[:q] - split[q : 2 * q], split[-1]]

        smooth = PlainStage(
            self.X, self.target, self.offset, self.weight, self.sign, self.beta, self.ridge, 0.0, 0, self.loss
        )
        cost = np.where(np.arange(q) < self.n_lasso, self.lasso / q, 0.0)

        def value(split: FloatArray) -> float:
            return smooth.value(joined(split)) + float(np.r_[cost, cost] @ split[:-1])

        def gradient(split: FloatArray) -> FloatArray:
            slope = smooth.gradient(joined(split))
            return np.r_[slope[:-1] + cost, -slope[:-1] + cost, slope[-1]]

        start = np.r_[np.maximum(w, 0.0), np.maximum(-w, 0.0), a]
        bounds = [(0.0, None)] * (2 * q) + [(None, None)]
        found = minimize(value, start, jac=gradient, bounds=bounds, method="L-BFGS-B", options=options)  # type: ignore[call-overload]
        return joined(np.asarray(found.x))
