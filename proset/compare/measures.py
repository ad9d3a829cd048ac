"""The measures that systems are compared by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.words import count_words
from proset.companions.protocol import PrototypeModel
from proset.engine.metrics import evaluate
from proset.explain.judged.calibration_bins import calibration_error

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

MEASURES = ("log_loss", "balanced_accuracy", "roc_auc", "calibration_error")
"""Names of the measures, in the order of every array of scores."""

NONE_ALIKE = "By this rule of thumb, which proves no difference, no other system is equivalent."
"""Said where none is within the threshold."""


def equivalent_up_to(losses: FloatArray) -> float:
    """Return up to which mean others are equivalent to a system with these losses on the folds, as in algorithm 2.2."""
    return float(losses.mean() + losses.std(ddof=1))


def measure_cells(names: Sequence[str], fold_scores: FloatArray, held_out_scores: FloatArray) -> dict[str, float]:
    """Return means, deviations and what was found on held-out rows; a mean over some of the folds alone is none."""
    found = {}
    for j, name in enumerate(names):
        found[f"{name}_mean"] = float(fold_scores[:, j].mean())
        found[f"{name}_sd"] = float(fold_scores[:, j].std(ddof=1))
    return found | {f"{name}_held_out": float(held_out_scores[j]) for j, name in enumerate(names)}


def best_words(
    name: str, titles: pd.Series, best: str, lowest: str, threshold: str, n_folds: int, equivalent: pd.Index
) -> tuple[str, str]:
    """Say which system is best by a measure over the folds, and which others are equivalent."""
    first = (
        f"{titles[best]} has the lowest mean {name} over {count_words(n_folds, 'fold')}, {lowest}; up to {threshold},"
        " its standard deviation more, others count as equivalent."
    )
    alike = [str(titles[key]) for key in equivalent if key != best]
    return first, f"Equivalent: {', '.join(alike)}." if alike else NONE_ALIKE


def no_better(words: str, titles: pd.Series, losses: pd.Series, naive: float, than: str) -> tuple[str, ...]:
    """Name the systems whose loss is no lower than one that asks for little; nothing if there are none.

    Examples
    --------
    >>> no_better("No better", pd.Series(["A", "B"]), pd.Series([0.5, 0.9]), 0.7, "guessing, 0.700")
    ('No better than guessing, 0.700: B.',)
    """
    worse = titles[losses >= naive]
    return () if worse.empty else (f"{words} than {than}: {', '.join(worse)}.",)


def scores_of(actual: IntArray, probabilities: FloatArray) -> FloatArray:
    """Measure estimates on rows that were not learned from.

    Parameters
    ----------
    actual : int64 array of shape (n,)
        Position of the class of each row.
    probabilities : float64 array of shape (n, K)
        Estimates; each row sums to one.

    Returns
    -------
    float64 array of shape (4,)
        In the order of :data:`MEASURES`; nan where a measure is not defined, such as a ROC-AUC of a single class.

    Examples
    --------
    >>> scores_of(np.array([0, 1]), np.array([[0.75, 0.25], [0.25, 0.75]])).round(3).tolist()
    [0.288, 1.0, 1.0, 0.25]
    """
    n_classes = probabilities.shape[1]
    names = [str(k) for k in range(n_classes)]
    metrics = evaluate(actual, probabilities, classes=names, marginals=np.full(n_classes, 1.0 / n_classes))
    calibration = calibration_error(actual, probabilities)
    return np.array([metrics.log_loss, metrics.balanced_accuracy, metrics.roc_auc, calibration])


def ordered_probabilities(model: PrototypeModel, X: NDArray[Any], classes: tuple[str, ...]) -> FloatArray:
    """Return a model's estimates with the columns in the order of `classes`; see :func:`in_order`."""
    return in_order(model.predict_proba(X), model.classes_, classes)


def in_order(estimates: NDArray[Any], labels: Iterable[object], classes: tuple[str, ...]) -> FloatArray:
    """Return estimates whose columns are `labels` with the columns `classes`; a class that is not there gets 0.

    Raises
    ------
    ValueError
        If an estimate is not finite, or a row does not sum to one.

    Examples
    --------
    >>> in_order(np.array([[0.25, 0.75]]), ["a", "b"], ("b", "a")).tolist()
    [[0.75, 0.25]]
    """
    estimates = np.asarray(estimates, dtype=np.float64)
    result = np.zeros((len(estimates), len(classes)))
    result[:, [classes.index(str(name)) for name in labels]] = estimates
    if not np.isfinite(result).all() or not np.allclose(result.sum(axis=1), 1.0, atol=1e-5):
        raise ValueError("Its estimates are no probabilities.")
    return result
