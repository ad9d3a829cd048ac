"""Error against size: how good each system is with fewer or more prototypes and features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from proset.common.notebook import DisplayedFrame

if TYPE_CHECKING:
    from proset.compare.result import Comparison, SystemResult

_IN_COMMON = 2
COLUMNS = ("system", "title", "knob", "value", "n_prototypes", "n_features", "loss_mean", "loss_sd", "own")


@dataclass(frozen=True, eq=False)
class SizePaths(DisplayedFrame):
    """Each system at several sizes.

    Attributes
    ----------
    frame : DataFrame
        Columns ``system`` (key), ``title``, ``knob`` (what is turned, in words), ``value`` (of the knob, mean over the
        folds), ``n_prototypes`` (mean; nan for a system without), ``n_features`` (columns of the matrix with a weight,
        mean; nan if not known), ``loss_mean``, ``loss_sd`` (log-loss over the folds), ``own`` (whether it is the system
        with its own settings, as in the metric table).
    """

    frame: pd.DataFrame


def size_paths(comparison: Comparison) -> SizePaths:
    """Return error against size, of the steps that were measured on every fold.

    Parameters
    ----------
    comparison : Comparison
        Made with ``sizes`` in its plan; without, only the systems as they are have a line.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False))
    >>> steps = size_paths(found).frame
    >>> steps.loc[steps["own"], ["system", "n_prototypes"]].to_numpy().tolist()
    [['proset', 28.0], ['knn', 105.0]]
    """
    frames = [_lines(entry, comparison.plan.n_folds) for entry in comparison.systems]
    frame = pd.concat(frames, ignore_index=True)[list(COLUMNS)]
    return SizePaths(frame[frame["loss_mean"].notna()].reset_index(drop=True))


def _lines(entry: SystemResult, n_folds: int) -> pd.DataFrame:
    """Return the lines of one system; where no step is its own setting in every fold, one more stands for it."""
    lines = _steps(entry.path, n_folds)
    if not lines["own"].any():
        last = pd.DataFrame([_own(entry, n_folds)])
        lines = pd.concat([lines, last], ignore_index=True) if len(lines) else last
    return lines.assign(system=entry.key, title=entry.title)


def _own(entry: SystemResult, n_folds: int) -> dict[str, object]:
    """Return a system as it is: its sizes on the folds, or else those of its final model."""
    scores = entry.fold_scores[:, 0]
    own: dict[str, object] = {
        "knob": "own settings",
        "own": True,
        "loss_mean": float(scores.mean()),
        "loss_sd": float(scores.std(ddof=1)),
    }
    steps = entry.path[entry.path["own"]]
    if steps["fold"].nunique() == n_folds == len(steps):
        sizes = steps[["value", "n_prototypes", "n_features"]].mean().to_dict()
        return own | {str(name): float(size) for name, size in sizes.items()}
    counts = {"n_prototypes": entry.n_prototypes, "n_features": entry.n_matrix_columns}
    return own | {"value": math.nan} | {name: math.nan if n is None else float(n) for name, n in counts.items()}


def _steps(path: pd.DataFrame, n_folds: int) -> pd.DataFrame:
    """Return means over the folds of the steps that every fold has.

    Steps are told by the value of the knob; where folds have no values in common (quantiles of distances), by order.
    """
    by = "value" if path.groupby("value")["fold"].nunique().eq(n_folds).sum() >= _IN_COMMON else "step"
    grouped = path.groupby(by, sort=True)
    steps = grouped[["value", "n_prototypes", "n_features"]].mean() if by == "step" else _valued(path)
    steps["loss_mean"], steps["loss_sd"] = grouped["log_loss"].mean(), grouped["log_loss"].std(ddof=1)
    steps["knob"], steps["own"] = grouped["knob"].first(), grouped["own"].all()
    return steps[grouped["fold"].nunique() == n_folds].reset_index(drop=True)


def _valued(path: pd.DataFrame) -> pd.DataFrame:
    """Return the mean sizes by value of the knob."""
    means = path.groupby("value", sort=True)[["n_prototypes", "n_features"]].mean()
    means.insert(0, "value", means.index.to_numpy(dtype=float))
    return means
