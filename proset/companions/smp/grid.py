"""Settings to try, and what each is worth on rows left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import log_softmax

from proset.common.allowed import Each, check_values
from proset.companions.smp.base import SAME
from proset.companions.smp.fitting import CheckedRows, Fitted, FusionStart, fit_path, make_ground
from proset.companions.smp.fusion import same_groups
from proset.companions.smp.settings import RULES
from proset.engine.kernels.similarity import IntArray
from proset.engine.kernels.units import FloatArray

SETTINGS = ["n_prototypes", "lam", "mu"]
SIZES = ["n_distinct", "n_features", "nnz"]


@dataclass(frozen=True)
class SettingGrid:
    """Settings to try, all with all.

    Attributes
    ----------
    n_prototypes : tuple of int
        Prototypes per class.
    lam : tuple of float
        Fusion penalties; for one prototype per class there is nothing to fuse, and only 0 is tried.
    mu : tuple of float
        Penalties on the coordinates, tried from the largest down, each from where the last one ended.
    """

    n_prototypes: tuple[int, ...]
    lam: tuple[float, ...]
    mu: tuple[float, ...]

    @classmethod
    def of(cls, n_prototypes: Sequence[int], lam: Sequence[float], mu: Sequence[float]) -> SettingGrid:
        """Check the values, sort them and leave out what is there twice.

        Examples
        --------
        >>> SettingGrid.of([2, 1], [0.0], [0.01, 0.1, 0.1])
        SettingGrid(n_prototypes=(1, 2), lam=(0.0,), mu=(0.1, 0.01))
        """
        given = dict(zip(SETTINGS, (n_prototypes, lam, mu), strict=True))
        check_values(given, {name: Each(RULES[name]) for name in SETTINGS})
        return cls(tuple(sorted(set(n_prototypes))), tuple(sorted(set(lam))), tuple(sorted(set(mu), reverse=True)))

    def paths(self) -> list[tuple[int, float]]:
        """Return numbers of prototypes and fusion penalties, the simplest first."""
        return [(p, lam) for p in self.n_prototypes for lam in (self.lam if p > 1 else (0.0,))]


def measure(
    rows: CheckedRows,
    settings: Mapping[str, Any],
    grid: SettingGrid,
    folds: Sequence[tuple[IntArray, IntArray]],
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Fit everything in the grid on every fold.

    Parameters
    ----------
    rows : CheckedRows
        All rows.
    settings : mapping
        Parameters of the classifier, by name; those in the grid are not read.
    grid : SettingGrid
        What is tried.
    folds : sequence of pairs of int arrays
        Rows to fit to and rows left out; every class has a row among those to fit to.
    progress : callable or None
        Called with the number of paths that are done, and of all.

    Returns
    -------
    DataFrame
        One row per setting, the simplest first: the setting; means over the folds of accuracy and log-loss on the rows
        left out, with their standard deviations; means of distinct prototypes, features and coordinates that are not
        zero; ``accuracy_1``, ``log_loss_1`` and so on for single folds.
    """
    paths, results = grid.paths(), []
    largest = dict(paths)  # fusion penalty of each number of prototypes; with it the size of the graph is checked
    for number, (train, test) in enumerate(folds, start=1):
        fitted_rows = CheckedRows(np.ascontiguousarray(rows.X[train]), rows.target[train], rows.weight[train])
        left_out = CheckedRows(rows.X[test], rows.target[test], rows.weight[test])
        grounds: dict[int, FusionStart] = {}
        for done, (p, lam) in enumerate(paths, start=1):
            chosen = {**settings, "n_prototypes": p, "lam": lam}
            if p not in grounds:  # on few rows clusters take longer than paths, and all fusion penalties share them
                grounds[p] = make_ground(fitted_rows, {**chosen, "lam": largest[p]})
            for mu, fitted in zip(grid.mu, fit_path(fitted_rows, chosen, grid.mu, grounds[p]), strict=True):
                results.append({"n_prototypes": p, "lam": lam, "mu": mu, "fold": number, **_quality(fitted, left_out)})
            if progress is not None:
                progress((number - 1) * len(paths) + done, len(folds) * len(paths))
    return _by_setting(pd.DataFrame(results))


def _quality(fitted: Fitted, rows: CheckedRows) -> dict[str, float]:
    """Measure one fit on rows left out."""
    coef, intercept = fitted.coefficients()
    bounds = fitted.problem.bounds
    scores = np.maximum.reduceat(rows.X @ coef.T + intercept, bounds[:-1], axis=1)
    of_actual = log_softmax(scores, axis=1)[np.arange(len(scores)), rows.target]
    groups = same_groups(coef, bounds, SAME * float(np.abs(coef).max()))
    return {
        "accuracy": _mean(scores.argmax(axis=1) == rows.target, rows.weight),
        "log_loss": -_mean(of_actual, rows.weight),
        "n_distinct": float(groups.max() + 1),
        "n_features": float(coef.any(axis=0).sum()),
        "nnz": float(np.count_nonzero(coef)),
    }


def _mean(values: FloatArray, weight: FloatArray) -> float:
    """Return the weighted mean; nan without rows."""
    return float(np.average(values, weights=weight)) if len(values) else float("nan")


def _by_setting(results: pd.DataFrame) -> pd.DataFrame:
    """Put the folds of each setting in one row."""
    grouped = results.groupby(SETTINGS, sort=False)
    quality = ["accuracy", "log_loss"]
    table = grouped[quality + SIZES].mean()
    spread = grouped[quality].std(ddof=1).add_prefix("sd_")
    for fold, part in results.groupby("fold", sort=True):
        table = table.join(part.set_index(SETTINGS)[quality].add_suffix(f"_{fold}"))
    return table.join(spread).reset_index()
