"""Candidates left out of the sums while their weight is zero and stays so: between a solver and the objective.

Most candidates leave early and never return, so evaluating the objective without them saves most of the time of a fit.
They are looked at again every few evaluations, and before the solver may stop.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from proset.engine.objective import Objective
from proset.engine.objective.problem import BatchProblem
from proset.engine.set_manager import BoolArray, FloatArray

FIRST_LOOK = 20  # evaluations from the usual start before candidates are set aside for the first time
LOOK_EVERY = 20  # evaluations between two looks at the candidates set aside


class WorkingSet:
    """Value and gradient of one batch problem for a solver that keeps weights from becoming negative.

    Parameters
    ----------
    make : callable
        Makes what evaluates a problem: this one, and those with fewer candidates.
    first_look : int
        Evaluations before candidates are set aside for the first time; 1 where the solver starts near an end.

    Attributes
    ----------
    evaluations : int
        How often the solver has asked.

    Notes
    -----
    The value is exact for every point. The gradient is exact but for candidates set aside, all of weight zero: theirs
    is the positive one they were set aside with, which keeps a solver with bounds from moving them. :meth:`settle`
    looks at them again.

    Examples
    --------
    >>> from proset.engine.objective import make_objective
    >>> from proset.engine.objective.problem import make_problem
    >>> from proset.engine.objective.penalty import ElasticNet
    >>> problem = make_problem(
    ...     np.array([[0.0], [1.0], [0.2], [0.9]]), np.array([0, 1, 0, 1]), np.ones(4), np.full((4, 2), 0.5),
    ...     candidates=np.array([0, 1]), reference=np.array([2, 3]),
    ...     penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95), first=True)
    >>> working_set = WorkingSet(problem, make_objective)
    >>> value, gradient = working_set(problem.start())
    >>> round(value, 4), working_set.evaluations, working_set.settle(problem.start())
    (0.5247, 1, True)
    """

    def __init__(
        self, problem: BatchProblem, make: Callable[[BatchProblem], Objective], first_look: int = FIRST_LOOK
    ) -> None:
        self.problem = problem
        self.evaluations = 0
        self._first_look = first_look
        self._make = make
        self._all = make(problem)
        self._frozen: FloatArray = np.zeros(problem.n_candidates)
        self._set_aside(np.zeros(problem.n_candidates, dtype=bool))

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Evaluate (2.8) and its gradient at feature weights and prototype weights, shape (D + J,)."""
        self.evaluations += 1
        if np.count_nonzero(point[self._left_out]):  # not by the solver: its bounds keep them at zero
            self._set_aside(self._aside & (point[self.problem.n_shared :] == 0.0))
        since = self.evaluations - self._first_look
        look = since >= 0 and since % LOOK_EVERY == 0
        if look or not self._left_out.shape[0]:
            value, gradient = self._all(point)
        else:
            gradient = np.empty_like(point)
            value, gradient[self._taken] = self._kept(point[self._taken])
        if look:
            self._look(point, gradient)
        gradient[self._left_out] = self._held
        return value, gradient

    def settle(self, point: FloatArray) -> bool:
        """Tell whether the candidates set aside at a point stay there; if not, they take part again.

        Parameters
        ----------
        point : ndarray of shape (D + J,)
            Where a solver stopped.

        Returns
        -------
        bool
            False if the solver has to go on from this point.
        """
        before = self._aside
        if not self._left_out.shape[0]:
            return True
        self._look(point, self._all(point)[1])
        return not (before & ~self._aside).any()

    def _look(self, point: FloatArray, gradient: FloatArray) -> None:
        """Set aside what is zero and stays so; take back what does not. Frozen gradients stay, to be steady."""
        w, gradient_w = point[self.problem.n_shared :], gradient[self.problem.n_shared :]
        aside = (w == 0.0) & (gradient_w > 0.0)
        fresh = aside & ~self._aside
        self._frozen[fresh] = gradient_w[fresh]
        if not np.array_equal(aside, self._aside):
            self._set_aside(aside)

    def _set_aside(self, aside: BoolArray) -> None:
        """Leave these candidates out from now on."""
        self._aside = aside
        positions = np.concatenate([np.zeros(self.problem.n_shared, dtype=bool), aside])
        self._left_out, self._taken = np.flatnonzero(positions), np.flatnonzero(~positions)
        self._held = self._frozen[aside]
        self._kept = self._make(self.problem.with_candidates(np.flatnonzero(~aside))) if aside.any() else self._all
