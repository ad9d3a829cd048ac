"""Lengths of the steps, so that the iteration converges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse.linalg import svds

from proset.common.errors import ProsetError
from proset.companions.smp.problem import FusionProblem
from proset.engine.kernels.units import FloatArray

LARGEST_EXACT = 2_000  # rows or columns, the fewer of them, up to which the norm is taken from all eigenvalues


@dataclass(frozen=True)
class Steps:
    """Lengths of the steps.

    Attributes
    ----------
    tau, sigma : float
        Of the prototypes and of the dual variables; sigma is 0 if there are none.
    smoothness : float
        L_f, a bound of how fast the gradient of the smoothed loss can change.
    """

    tau: float
    sigma: float
    smoothness: float


def squared_norm(X: FloatArray) -> float:
    """Return the largest eigenvalue of X'X, or slightly more.

    Examples
    --------
    >>> squared_norm(np.array([[3.0, 0.0], [0.0, 1.0]]))
    9.0
    """
    if min(X.shape) <= LARGEST_EXACT:
        small = X.T @ X if X.shape[1] <= X.shape[0] else X @ X.T
        return max(0.0, float(np.linalg.eigvalsh(small)[-1]))
    # The iterative value comes from below, so a hundredth is added.
    largest = svds(X, k=1, return_singular_vectors=False, random_state=0)[0]
    return 1.01 * float(largest) ** 2


def choose_steps(problem: FusionProblem, step: str | float, *, dual: bool) -> Steps:
    """Return steps with which the iteration converges.

    Parameters
    ----------
    problem : FusionProblem
        What is to be minimised.
    step : {"tight", "paper"} or float
        ``"tight"`` takes L_f = |X|^2 / 2m (spectral norm), which does not grow with the number of prototypes;
        ``"paper"`` takes L_f = N R^2, with R the length of the longest row; a number is taken as tau.
    dual : bool
        Whether the iteration steps in the dual variables as well. Then tau is 1 / (2 L_f) and sigma as large as
        (1 / tau - L_f) / sigma >= L^2 allows, condition (8) of the paper; otherwise tau is 1 / L_f.

    Returns
    -------
    Steps
        Of the prototypes, and of the dual variables if there are any.

    Raises
    ------
    ProsetError
        If a number is too large for the iteration to converge.

    Notes
    -----
    The Hessian of the loss of one row is (diag q - qq') times xx', and the norm of the first factor is at most 1/2.
    """
    smoothness = 0.5 * squared_norm(np.sqrt(problem.weight)[:, None] * problem.X)
    dual = dual and problem.strength > 0.0
    if step == "paper":
        n_most = int(np.diff(problem.bounds).max()) * (len(problem.bounds) - 1)
        smoothness = n_most * float((problem.X**2).sum(axis=1).max())
    if not isinstance(step, str):
        tau = float(step)
    elif smoothness > 0.0:
        tau = (0.5 if dual else 1.0) / smoothness
    else:
        tau = 1.0  # no feature has a value: any step will do
    room = 1.0 / tau - smoothness
    if room < -1e-9 * smoothness or (dual and room <= 0.0):
        message = f"step={tau:g} is too long: it has to be below {1.0 / smoothness:.4g} for these rows."
        raise ProsetError(message, hint='Use a smaller number, or step="tight".')
    return Steps(tau, room / problem.strength if dual else 0.0, smoothness)
