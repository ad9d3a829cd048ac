"""Our prototype vector machine without its classifier: distances, balls, and the choice among them."""

# mypy: ignore-errors
# Started by a runner that imports by the name of a file.

from __future__ import annotations

import numpy as np

from proset.companions.pvm.balls import class_bounds, find_balls
from proset.companions.pvm.distances import ComputedDistances
from proset.companions.pvm.metrics import Euclidean
from proset.companions.pvm.solving import solve_by_programs, solve_greedily

PACKAGES = ("numpy", "scipy", "numba")


class Cover:
    """A cover of classes with balls."""

    def __init__(self, X: np.ndarray, y: np.ndarray, eps: float, solver: str = "greedy", limit: float = 60.0) -> None:
        self.X, self.y, self.eps, self.solver, self.limit = X, y, eps, solver, limit

    def prepare(self) -> None:
        """Do nothing: distances are worked out in blocks while balls are found."""

    def choose(self) -> list[tuple[int, int]]:
        """Return prototypes with their classes."""
        order = np.argsort(self.y, kind="stable")
        metric = Euclidean.around(self.X)
        points = metric.prepare(self.X)
        distances = ComputedDistances(metric, points[order], points, (len(order), len(order)))
        balls = find_balls(distances, class_bounds(self.y, int(self.y.max()) + 1), self.eps)
        lam, rng = 1.0 / len(order), np.random.RandomState(0)
        if self.solver == "greedy":
            found = solve_greedily(balls, lam)
        else:
            found = solve_by_programs(balls, lam, exact=self.solver == "milp", time_limit=self.limit, rng=rng)
        self.lower_bound = None if np.isnan(found.lower_bound) else found.lower_bound
        return list(zip(found.taken.candidate.tolist(), found.taken.label.tolist(), strict=True))
