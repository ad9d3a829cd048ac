"""What the study runs: one cell is one experiment on one problem with one seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.problems import PROBLEMS, Problem

FIRST_SIX = ("iris_2f", "wine", "cancer", "digits", "checker", "xor_6f")
NEW_FIVE = ("checker_rot", "xor_3f", "xor_4f", "xor_5f", "xor_6+6f")
TITLES = {
    "iris_2f": "Iris 2f",
    "wine": "Wine",
    "cancer": "Cancer",
    "digits": "Digits",
    "checker": "Checker",
    "xor_6f": "XOR 6f",
    "checker_rot": "Checker rot",
    "xor_3f": "XOR 3f",
    "xor_4f": "XOR 4f",
    "xor_5f": "XOR 5f",
    "xor_6+6f": "XOR 6+6f",
}
"""Names of the problems as the report prints them."""


@dataclass(frozen=True)
class Experiment:
    """One of the report's experiments.

    Attributes
    ----------
    name : str
        "e1" to "e12".
    method : str
        "pairs", "grid", "fixed" (proset with two, one and no penalty to search for), "optimal" (proset with the
        optimal settings of E3), "knn" or "xgb".
    problems : tuple of str
        Names of the problems.
    alpha : float
        Share of the L2 term in both penalties; proset only.
    """

    name: str
    method: str
    problems: tuple[str, ...]
    alpha: float = 0.95


EXPERIMENTS = (
    Experiment("e8", "knn", FIRST_SIX),
    Experiment("e11", "knn", NEW_FIVE),
    Experiment("e3", "pairs", FIRST_SIX),
    Experiment("e10", "pairs", NEW_FIVE),
    Experiment("e9", "xgb", FIRST_SIX),
    Experiment("e12", "xgb", NEW_FIVE),
    Experiment("e4", "optimal", FIRST_SIX),
    Experiment("e6", "fixed", FIRST_SIX),
    Experiment("e5", "grid", FIRST_SIX),
    Experiment("e1", "pairs", FIRST_SIX, alpha=0.05),
    Experiment("e2", "pairs", FIRST_SIX, alpha=0.50),
)
"""In the order in which they are run: E4 needs E3, and what only fills the comparison of table 2.7 comes last."""


SEEDS = {"iris_2f": 3, "wine": 3, "cancer": 3, "xor_3f": 3}
"""Number of splits, from seed 0; artificial data are drawn anew for each. All others have one, as in the report: with
480 test rows and more, a second one changes little."""

MAX_DEPTH = {"checker": 19, "checker_rot": 29, "xor_4f": 19, "xor_5f": 19}
"""Largest depth that XGBoost tries, where it is not 9: what the report says it raised it to, or its results imply."""


@dataclass(frozen=True)
class Cell:
    """One experiment on one problem with one seed."""

    experiment: Experiment
    problem: Problem
    seed: int

    @property
    def name(self) -> str:
        """Such as "e3/iris_2f-0"."""
        return f"{self.experiment.name}/{self.problem.name}-{self.seed}"

    @property
    def max_depth(self) -> int:
        """Largest depth that XGBoost tries."""
        return MAX_DEPTH.get(self.problem.name, 9)

    def settings(self) -> dict[str, Any]:
        """Return what the outcome depends on: a stored outcome with other settings is not this cell's."""
        if self.experiment.method == "knn":
            return {"method": "knn"}
        if self.experiment.method == "xgb":
            return {"method": "xgb", "max_depth": self.max_depth}
        return {"method": self.experiment.method, "alpha": self.experiment.alpha}


def all_cells() -> tuple[Cell, ...]:
    """Return every cell of the study, in the order in which they are run."""
    by_name = {problem.name: problem for problem in PROBLEMS}
    return tuple(
        Cell(experiment, by_name[name], seed)
        for experiment in EXPERIMENTS
        for name in experiment.problems
        for seed in range(SEEDS.get(name, 1))
    )
