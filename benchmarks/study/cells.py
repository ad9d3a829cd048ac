"""What the study runs: one cell is one experiment on one problem with one seed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
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


@dataclass(frozen=True)
class Effort:
    """How thorough a search is on one problem; the defaults are the report's.

    Attributes
    ----------
    seeds : int
        Number of splits, from seed 0; artificial data are drawn anew for each. The report has one.
    pairs : int
        Random pairs of penalties in stage 1 of proset.
    trials : int
        Random settings of the trees in stage 1 of XGBoost.
    max_depth : int
        Largest depth among them: 9, or where the report had to raise that, what it says or implies.
    patience : int or None
        Stage 2 of XGBoost ends after so many iterations without a better mean loss; None for all 10,000.
    """

    seeds: int = 1
    pairs: int = 50
    trials: int = 100
    max_depth: int = 9
    patience: int | None = None


EFFORTS = {
    "iris_2f": Effort(seeds=3, patience=1_000),
    "wine": Effort(seeds=3, patience=1_000),
    "cancer": Effort(seeds=3, patience=1_000),
    "digits": Effort(pairs=25, trials=50, patience=500),
    "checker": Effort(pairs=25, trials=50, max_depth=19, patience=500),
    "xor_6f": Effort(pairs=15, trials=50, patience=500),
    "checker_rot": Effort(pairs=25, trials=50, max_depth=29, patience=500),
    "xor_3f": Effort(seeds=3, patience=1_000),
    "xor_4f": Effort(patience=1_000, max_depth=19),
    "xor_5f": Effort(pairs=25, patience=1_000, max_depth=19),
    "xor_6+6f": Effort(pairs=15, trials=50, patience=500),
}


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
    def effort(self) -> Effort:
        """How thorough the search is."""
        return EFFORTS[self.problem.name]

    def settings(self) -> dict[str, Any]:
        """Return what the outcome depends on: a stored outcome with other settings is not this cell's."""
        used = {"pairs": ("pairs",), "xgb": ("trials", "max_depth", "patience")}.get(self.experiment.method, ())
        effort = asdict(self.effort)
        return {"method": self.experiment.method, "alpha": self.experiment.alpha} | {
            name: effort[name] for name in used
        }


def all_cells() -> tuple[Cell, ...]:
    """Return every cell of the study, in the order in which they are run."""
    by_name = {problem.name: problem for problem in PROBLEMS}
    return tuple(
        Cell(experiment, by_name[name], seed)
        for experiment in EXPERIMENTS
        for name in experiment.problems
        for seed in range(EFFORTS[name].seeds)
    )
