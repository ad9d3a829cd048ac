"""Choice among equally good settings: the threshold rule of algorithm 2.2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proset.engine.kernels.similarity import FloatArray


class Rule(StrEnum):
    """Distances from the best mean log-loss within which a setting still counts as equivalent."""

    SD = "sd"
    """By the standard deviation over the folds, as algorithm 2.2 has it."""
    SE = "se"
    """By the standard error of the mean: the standard deviation over the square root of the number of folds."""
    BEST = "best"
    """Not at all: take the best."""


@dataclass(frozen=True)
class SettingChoice:
    """Choice of a rule.

    Attributes
    ----------
    optimal : int
        Position of the lowest mean log-loss.
    chosen : int
        Position of the sparsest setting whose mean log-loss does not exceed the threshold.
    threshold : float
        Largest mean log-loss that counts as equivalent to the optimum.
    """

    optimal: int
    chosen: int
    threshold: float


def choose(mean: ArrayLike, sd: ArrayLike, n_folds: int, rule: Rule, sparseness: ArrayLike) -> SettingChoice:
    """Apply the threshold rule.

    Parameters
    ----------
    mean, sd : array-like of float, shape (n,)
        Mean and standard deviation of the log-loss over the folds, one entry per setting; nan where a setting has not
        been evaluated on every fold, which leaves it out.
    n_folds : int
        Number of folds behind each mean.
    rule : Rule
        The margin above the lowest mean.
    sparseness : array-like of float, shape (n,)
        The larger, the sparser the model. Between equals the lower mean decides, then the first.

    Raises
    ------
    ValueError
        If no setting has been evaluated on every fold.

    Examples
    --------
    >>> choose([0.50, 0.40, 0.44, 0.46], [0.1, 0.05, 0.1, 0.1], 5, Rule.SD, [1, 2, 3, 4])
    SettingChoice(optimal=1, chosen=2, threshold=0.45)
    """
    mean, sd, sparseness = (np.asarray(values, dtype=np.float64) for values in (mean, sd, sparseness))
    known = np.isfinite(mean)
    if not known.any():
        raise ValueError("No setting has been evaluated on every fold yet, so there is none to choose from.")
    best = mean[known].min()
    # Of equally good settings the sparsest is the optimum, so that the marks of optimum and choice agree.
    ties = np.flatnonzero(known & (mean == best))
    optimal = int(ties[np.argmax(sparseness[ties])])
    margin = {Rule.SD: sd[optimal], Rule.SE: sd[optimal] / np.sqrt(n_folds), Rule.BEST: 0.0}[Rule(rule)]
    threshold = float(best + margin)
    eligible = np.flatnonzero(known & (mean <= threshold))
    if Rule(rule) is Rule.BEST:
        return SettingChoice(optimal, optimal, threshold)
    order = np.lexsort((eligible, mean[eligible], -sparseness[eligible]))
    return SettingChoice(optimal, int(eligible[order[0]]), threshold)


@dataclass(frozen=True)
class JointChoice:
    """Choice of a rule among several pairs of penalties, each with several numbers of batches.

    Attributes
    ----------
    curve : int
        Position of the pair.
    batches : int
        Number of batches for it.
    threshold : float
        Largest mean log-loss that counts as equivalent to the lowest of all.
    """

    curve: int
    batches: int
    threshold: float


def choose_jointly(curves: Sequence[FloatArray], rule: Rule) -> JointChoice:
    """Apply the threshold rule to the curves of several pairs at once.

    Parameters
    ----------
    curves : sequence of ndarray of shape (B + 1, F)
        Log-loss by number of batches and fold, one array per pair, the sparsest pair first. Sparser pairs are preferred
        whatever the number of batches; of one pair the fewest batches.
    rule : Rule
        The margin above the lowest mean.

    Examples
    --------
    >>> sparse, other = np.array([[0.7, 0.7], [0.5, 0.5]]), np.array([[0.7, 0.7], [0.3, 0.3]])
    >>> choose_jointly([sparse, other], Rule.SD)
    JointChoice(curve=1, batches=1, threshold=0.3)
    """
    n_counts, n_folds = curves[0].shape
    mean = np.concatenate([curve.mean(axis=1) for curve in curves])
    sd = np.concatenate([curve.std(axis=1, ddof=1) for curve in curves])
    found = choose(mean, sd, n_folds, rule, -np.arange(mean.shape[0]))
    return JointChoice(found.chosen // n_counts, found.chosen % n_counts, found.threshold)


def falls(before: FloatArray, after: FloatArray) -> bool:
    """Tell whether the log-loss falls by more than chance would explain.

    Parameters
    ----------
    before, after : ndarray of shape (F,)
        Log-loss of two settings on the same folds, nats.

    Returns
    -------
    bool
        Whether the mean of the differences over the folds exceeds its standard error.

    Examples
    --------
    >>> falls(np.array([0.50, 0.40]), np.array([0.45, 0.36])), falls(np.array([0.5, 0.4]), np.array([0.3, 0.5]))
    (True, False)
    """
    gain = before - after
    return bool(gain.mean() > gain.std(ddof=1) / np.sqrt(gain.shape[0]))


def stage_table(settings: Mapping[str, ArrayLike], log_loss: FloatArray) -> pd.DataFrame:
    """Lay out what a stage measured.

    Parameters
    ----------
    settings : mapping
        Columns that say what was tried, each with n values.
    log_loss : ndarray of shape (n, F)
        Mean log-loss of each setting on the rows that each fold left out; nan where it is not known yet.

    Returns
    -------
    DataFrame
        The settings, fold_1 to fold_F, mean and sd (F - 1 degrees of freedom), nan unless all are known.

    Examples
    --------
    >>> stage_table({"k": [1, 3]}, np.array([[0.5, 0.75], [0.25, 0.25]]))[["k", "mean"]].to_numpy().tolist()
    [[1.0, 0.625], [3.0, 0.25]]
    """
    folds = {f"fold_{number}": column for number, column in enumerate(log_loss.T, start=1)}
    return pd.DataFrame({**settings, **folds, "mean": log_loss.mean(axis=1), "sd": log_loss.std(axis=1, ddof=1)})
