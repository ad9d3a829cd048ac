"""The units in which a solver sees the weights of a batch problem."""

from __future__ import annotations

import numpy as np

from proset.engine.objective.problem import BatchProblem
from proset.engine.set_manager import FloatArray

# A feature weight acts on everything, one prototype weight among J only on its share of a sum: with units of J / 2 the
# two groups are curved alike, which saves up to nine tenths of the evaluations and ends lower. Where earlier batches
# do most of the work already, such steps would take all prototypes out before the features are found; there the units
# are small (docs/decisions.md).
PROTOTYPE_UNIT = 0.5
LATER_PROTOTYPE_UNIT = 5.0


def solver_units(problem: BatchProblem) -> FloatArray:
    """Return how much of each weight is one unit to the solver.

    Returns
    -------
    ndarray of shape (n_variables,)
        One for feature weights and all else that candidates share; for prototype weights half their number in the first
        batch that finds any, else 5.

    Examples
    --------
    >>> from proset.engine.objective.penalty import ElasticNet
    >>> from proset.engine.objective.problem import make_problem
    >>> problem = make_problem(
    ...     np.arange(12.0)[:, None], np.arange(12) % 2, np.ones(12), np.full((12, 2), 0.5),
    ...     candidates=np.arange(6), reference=np.arange(6, 12),
    ...     penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95), first=True)
    >>> solver_units(problem).tolist()
    [1.0, 3.0, 3.0, 3.0, 3.0, 3.0, 3.0]
    """
    units = np.ones(problem.n_variables)
    first_unit = max(PROTOTYPE_UNIT * problem.n_candidates, 1.0)
    units[problem.n_shared :] = first_unit if problem.first else LATER_PROTOTYPE_UNIT
    return units
