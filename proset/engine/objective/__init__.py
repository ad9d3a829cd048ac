"""The penalised likelihood of one batch, (2.8) to (2.12): problem, penalty, and what evaluates it.

It has three forms: compiled for the processor, in blocks of matrix products, and in TensorFlow. Tests compare all three
with plain loops in double precision.
"""

from __future__ import annotations

import warnings
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from proset.engine.objective.problem import BatchProblem
    from proset.engine.set_manager import FloatArray

BACKENDS = ("compiled", "numpy", "tensorflow")


class MissingNumbaWarning(UserWarning):
    """``backend="compiled"`` was asked for and numba cannot be imported."""


class Objective(Protocol):
    """Objective (2.8) and its gradient: a pure function of the point, not finite where weights are too large.

    The solver sees to that, and keeps numpy from warning of it.
    """

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient at feature weights, then prototype weights, shape (D + J,)."""


def make_objective(problem: BatchProblem, backend: str = "compiled") -> Objective:
    """Choose what evaluates a batch problem.

    Parameters
    ----------
    backend : {"compiled", "numpy", "tensorflow"}
        "compiled" and "numpy", which is blocks of matrix products, work on the processor; "tensorflow" works on a GPU
        if TensorFlow finds one.

    Warns
    -----
    MissingNumbaWarning
        Once per process, if "compiled" is asked for and numba cannot be imported: "numpy" takes its place.

    Raises
    ------
    MissingTensorFlowError
        If TensorFlow is asked for and cannot be imported, naming the extra that brings it.

    Examples
    --------
    >>> import numpy as np
    >>> from proset.engine.objective.penalty import ElasticNet
    >>> from proset.engine.objective.problem import make_problem
    >>> problem = make_problem(
    ...     np.array([[0.0], [1.0], [0.2], [0.9]]), np.array([0, 1, 0, 1]), np.ones(4), np.full((4, 2), 0.5),
    ...     candidates=np.array([0, 1]), reference=np.array([2, 3]),
    ...     penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95), first=True)
    >>> round(make_objective(problem)(problem.start())[0], 4)
    0.5247
    """
    density = _density_form(problem, backend)
    if density is not None:
        return density
    if backend == "tensorflow":
        from proset.engine.objective.tensorflow_backend import TensorFlowObjective

        return TensorFlowObjective(problem)
    if backend == "compiled" and _has_numba():
        from proset.engine.objective.compiled_backend import CompiledObjective

        return CompiledObjective(problem)
    from proset.engine.objective.blocks_backend import BlocksObjective

    return BlocksObjective(problem)


def _density_form(problem: BatchProblem, backend: str) -> Objective | None:
    """Return what evaluates a problem whose target is a number; None for others."""
    from proset.engine.objective.density_problem import DensityProblem

    if not isinstance(problem, DensityProblem):
        return None
    if backend == "compiled" and _has_numba():
        from proset.engine.objective.density_compiled import CompiledDensityObjective

        return CompiledDensityObjective(problem)
    from proset.engine.objective.density_blocks import BlocksDensityObjective

    return BlocksDensityObjective(problem)


@cache
def _has_numba() -> bool:
    """Try to import numba, and warn if that fails."""
    try:
        import numba  # noqa: F401  # installed is not enough: it may not load on this machine
    except ImportError:
        warnings.warn(
            "numba cannot be imported, so this fits with matrix products, which takes longer. Install the extra "
            "[compiled] for compiled code, or say backend='numpy'.",
            MissingNumbaWarning,
            stacklevel=2,
        )
        return False
    return True
