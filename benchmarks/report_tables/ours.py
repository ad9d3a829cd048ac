"""Our numbers, gathered from finished cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.report_tables.cells import Cell
from benchmarks.report_tables.published import Values


@dataclass(frozen=True)
class Ours:
    """Our values of finished cells, over seeds: the mean of losses and scores, the median of counts and settings.

    Attributes
    ----------
    values : mapping
        By experiment, problem and key.
    n_cells : int
        Number of finished cells.
    seconds : float
        Their time in all.
    machines : tuple of str
        What they ran on.
    """

    values: Mapping[str, Mapping[str, Values]]
    n_cells: int
    seconds: float
    machines: tuple[str, ...]

    @classmethod
    def of(cls, finished: Mapping[Cell, Mapping[str, Any]]) -> Ours:
        """Gather what is finished."""
        grouped: dict[str, dict[str, list[Values]]] = {}
        for cell, outcome in finished.items():
            of_experiment = grouped.setdefault(cell.experiment.name, {})
            of_experiment.setdefault(cell.problem.name, []).append(outcome["values"])
        return cls(
            {name: {problem: _over_seeds(runs) for problem, runs in found.items()} for name, found in grouped.items()},
            len(finished),
            sum(outcome["seconds"] for outcome in finished.values()),
            tuple(sorted({outcome["machine"] for outcome in finished.values()})) or ("not run",),
        )

    def get(self, experiment: str, problem: str) -> Values:
        """Return the values of one experiment on one problem; nothing if it is not finished."""
        return self.values.get(experiment, {}).get(problem, {})


def _over_seeds(runs: list[Values]) -> Values:
    """Summarise one experiment on one problem."""
    averaged = ("log_loss", "threshold", "roc_auc", "balanced_accuracy")
    return {
        key: float((np.mean if key.endswith(averaged) else np.median)([run[key] for run in runs])) for key in runs[0]
    }
