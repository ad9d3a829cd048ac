"""A stand-in for the authors' gbmap: the paper's method in JAX, written from its description alone.

Each stage starts both signs from the same random point and hands the penalised loss to jaxopt's L-BFGS with gradients
by automatic differentiation, in single precision as is JAX's default. It is compiled once for each shape of the data.
"""

# mypy: ignore-errors
# Runs in an environment of its own.

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import jaxopt
import numpy as np

PACKAGES = ("jax", "jaxlib", "jaxopt", "numpy", "scipy")


def unit(parameters: Any, sign: Any, X: Any, beta: float) -> Any:
    """Give a + b g(Xw)."""
    a, w = parameters
    return a + sign * jax.nn.softplus(beta * (X @ w)) / beta


def mean_loss(kind: str, y: Any, f: Any) -> Any:
    """Squared error or logistic loss."""
    return jnp.mean((y - f) ** 2) if kind == "regression" else jnp.mean(jax.nn.softplus(-y * f))


@cache
def compiled(kind: str, beta: float, ridge: float, max_iter: int, tol: float) -> Any:
    """Return a solver of one sign, compiled when it is first called: solution, what it adds, its loss, iterations."""

    def objective(parameters: Any, sign: Any, X: Any, y: Any, F: Any) -> Any:
        w = parameters[1]
        return mean_loss(kind, y, F + unit(parameters, sign, X, beta)) + ridge * jnp.sum(w**2) / w.shape[0]

    solver = jaxopt.LBFGS(fun=objective, maxiter=max_iter, tol=tol)

    @jax.jit
    def solve(start: Any, sign: Any, X: Any, y: Any, F: Any) -> Any:
        solution, state = solver.run(start, sign, X, y, F)
        added = unit(solution, sign, X, beta)
        return solution, added, mean_loss(kind, y, F + added), state.iter_num

    return solve


def fit(X: np.ndarray, y: np.ndarray, *, kind: str, seed: int, n_boosts: int, **settings: Any) -> dict[str, Any]:
    """Fit m stages; return the predictions of the training rows and the iterations."""
    solve = compiled(kind, settings["beta"], settings["ridge"], settings["max_iter"], settings["tol"])
    rng = np.random.default_rng(seed)
    X = jnp.asarray(np.column_stack([X, np.ones(len(X))]), dtype=jnp.float32)
    y = jnp.asarray(y, dtype=jnp.float32)
    F = jnp.zeros_like(y)
    iterations = 0
    for _ in range(n_boosts):
        w, a = rng.normal(size=X.shape[1]), rng.normal()
        start = (jnp.float32(a), jnp.asarray(w, dtype=jnp.float32))
        ends = [solve(start, jnp.float32(sign), X, y, F) for sign in (1.0, -1.0)]
        best = min(ends, key=lambda end: float(end[2]))
        F = F + best[1]
        iterations += sum(int(end[3]) for end in ends)
    return {"predicted": np.asarray(F, dtype=np.float64), "iterations": iterations}
