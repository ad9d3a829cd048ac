"""Quality of estimates on rows that the model has not seen, beside a model that ignores every feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

NAIVE_RULE = "the class with the highest estimated probability"
"""The naive rule that makes a class of a probability; the first class in order wins a tie."""

SMALLEST_PROBABILITY = 1e-10
"""Estimates below this count as this much in the log-loss, as in the fitted objective."""


@dataclass(frozen=True, eq=False)
class Metrics:
    """Quality of the estimates on held-out rows.

    Attributes
    ----------
    log_loss : float
        Mean of -log(probability of the actual class), natural logarithm; 0 is perfect.
    roc_auc : float
        Area under the ROC curve, the unweighted mean over all pairs of classes (Hand and Till), in [0, 1]. Pairs of
        which a class has no held-out row are left out; nan if that leaves none.
    balanced_accuracy : float
        Mean over the classes present of the share classified correctly, in [0, 1].
    accuracy : float
        Share of rows classified correctly, in [0, 1].
    n_rows : int
        Number of held-out rows with a known class.
    naive_log_loss, naive_balanced_accuracy, naive_accuracy : float
        The same for the model that ignores all features and always states the class shares of the training rows.
    rule : str
        How a class is chosen from the probabilities, in words.
    absent_classes : tuple of str
        Classes without a held-out row; the metrics say nothing about them.
    confusion : DataFrame of int64
        Number of rows by actual class (index ``actual``) and predicted class (columns ``predicted``).
    """

    log_loss: float
    roc_auc: float
    balanced_accuracy: float
    accuracy: float
    n_rows: int
    naive_log_loss: float
    naive_balanced_accuracy: float
    naive_accuracy: float
    rule: str
    absent_classes: tuple[str, ...]
    confusion: pd.DataFrame


def evaluate(
    actual: np.ndarray, probabilities: np.ndarray, *, classes: Sequence[str], marginals: np.ndarray
) -> Metrics:
    """Compare estimates with the actual classes.

    Parameters
    ----------
    actual : int array of shape (n,)
        Position of the actual class of each row in `classes`.
    probabilities : float array of shape (n, K)
        Estimated probabilities; each row sums to one.
    classes : sequence of K str
        The classes that the model knows.
    marginals : float array of shape (K,)
        Share of each class in the training rows: the estimate of the model that ignores all features.

    Returns
    -------
    Metrics
        Every number is nan, and the counts are zero, if there is no row.

    Examples
    --------
    >>> estimates = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    >>> metrics = evaluate(np.array([0, 1, 1]), estimates, classes=["no", "yes"], marginals=np.array([0.5, 0.5]))
    >>> round(metrics.accuracy, 3), round(metrics.balanced_accuracy, 3), metrics.roc_auc
    (0.667, 0.75, 1.0)
    """
    n_classes = len(classes)
    confusion = _count(actual, probabilities.argmax(axis=1), n_classes)
    naive_choice = np.full(len(actual), int(np.argmax(marginals)))
    naive_confusion = _count(actual, naive_choice, n_classes)
    present = confusion.sum(axis=1) > 0
    labels = pd.Index(list(classes), dtype="str")
    return Metrics(
        log_loss=float(log_loss(probabilities[np.arange(len(actual)), actual])),
        roc_auc=pairwise_auc(actual, probabilities),
        balanced_accuracy=_balanced_accuracy(confusion),
        accuracy=_accuracy(confusion),
        n_rows=len(actual),
        naive_log_loss=float(log_loss(np.asarray(marginals)[actual])),
        naive_balanced_accuracy=_balanced_accuracy(naive_confusion),
        naive_accuracy=_accuracy(naive_confusion),
        rule=NAIVE_RULE,
        absent_classes=tuple(name for name, seen in zip(classes, present, strict=True) if not seen),
        confusion=pd.DataFrame(confusion, index=labels.rename("actual"), columns=labels.rename("predicted")),
    )


def pairwise_auc(actual: np.ndarray, probabilities: np.ndarray) -> float:
    """Area under the ROC curve as the unweighted mean over all pairs of classes.

    For classes a and b, only their rows count; the area is the mean of ranking them by the estimate for a and by the
    estimate for b. This is scikit-learn's ``roc_auc_score(..., multi_class="ovo", average="macro")``, extended to rows
    that lack some of the classes.

    Parameters
    ----------
    actual : int array of shape (n,)
        Position of each row's class.
    probabilities : float array of shape (n, K)
        Estimates per class.

    Returns
    -------
    float
        In [0, 1]; nan if fewer than two classes have rows.

    Examples
    --------
    >>> pairwise_auc(np.array([0, 0, 1]), np.array([[0.9, 0.1], [0.3, 0.7], [0.4, 0.6]]))
    0.5
    """
    return pairwise_auc_parts(actual, probabilities)[0]


def pairwise_auc_parts(actual: np.ndarray, probabilities: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Return :func:`pairwise_auc` with what each row adds to its variance.

    Returns
    -------
    area : float
        The mean area.
    moves : float array of shape (n,)
        How much each row moves it (the structural components of DeLong, by class as many as it has rows); their squares
        sum to its variance.
    reach : float array of shape (n,)
        How much a row would that is ranked behind all rows that it should be before, if all others are ranked well.

    Examples
    --------
    >>> area, moves, _ = pairwise_auc_parts(np.array([0, 0, 1]), np.array([[0.9, 0.1], [0.3, 0.7], [0.4, 0.6]]))
    >>> area, moves.tolist()
    (0.5, [0.35..., -0.35..., 0.0])
    """
    rows_of = [np.flatnonzero(actual == k) for k in range(probabilities.shape[1])]
    pairs = [(a, b) for a, b in combinations(range(probabilities.shape[1]), 2) if rows_of[a].size and rows_of[b].size]
    moves, reach, areas = np.zeros(len(actual)), np.zeros(len(actual)), []
    for pair in pairs:
        area = 0.0
        for a, b in (pair, pair[::-1]):  # ranked by the estimate for a
            ahead, behind = _placed(probabilities[rows_of[a], a], probabilities[rows_of[b], a])
            area += ahead.mean() / 2.0
            for rows, placed in ((rows_of[a], ahead), (rows_of[b], behind)):
                # As a sample's variance has it; of one row nothing is known.
                each = np.sqrt(len(rows) * max(1, len(rows) - 1))
                moves[rows] += (placed - placed.mean()) / (2.0 * each * len(pairs))
                reach[rows] += 1.0 / (2.0 * len(rows) * len(pairs))
        areas.append(area)
    return (float(np.mean(areas)) if pairs else float("nan")), moves, reach


def _placed(positive: np.ndarray, negative: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Share of the other rows that each row is ranked well against; ties count half (Mann-Whitney)."""
    found = []
    for rows, others in ((positive, np.sort(negative)), (negative, np.sort(positive))):
        below, not_above = (np.searchsorted(others, rows, side=side) for side in ("left", "right"))
        found.append((below + not_above) / (2.0 * others.size))
    return found[0], 1.0 - found[1]


def _count(actual: np.ndarray, predicted: np.ndarray, n_classes: int) -> np.ndarray:
    """Confusion counts, shape (K, K): actual by predicted."""
    flat = np.bincount(actual * n_classes + predicted, minlength=n_classes * n_classes)
    return flat.reshape(n_classes, n_classes).astype(np.int64)


def losses_of(of_actual: np.ndarray) -> np.ndarray:
    """Return the loss of each estimate of an actual class, in nats; one below 1e-10 counts as that.

    Examples
    --------
    >>> losses_of(np.array([0.5, 0.0])).round(4).tolist()
    [0.6931, 23.0259]
    """
    losses: np.ndarray = -np.log(np.maximum(np.asarray(of_actual, dtype=np.float64), SMALLEST_PROBABILITY))
    return losses


def log_loss(of_actual: np.ndarray, weight: np.ndarray | None = None) -> Any:
    """Mean over rows of -log(estimate for the actual class), natural logarithm.

    Parameters
    ----------
    of_actual : float array of shape (n, ...)
        Estimated probability of each row's actual class; below 1e-10 it counts as 1e-10. Further axes stand for
        further models and are kept.
    weight : float array of shape (n,) or None
        Sample weights, positive; None counts every row once.

    Returns
    -------
    float, or array of the further axes
        At least 0; nan without rows.

    Examples
    --------
    >>> round(float(log_loss(np.array([0.5, 0.75]), np.array([3.0, 1.0]))), 4)
    0.5918
    """
    if of_actual.shape[0] == 0:
        return np.full(of_actual.shape[1:], np.nan)[()]
    return np.average(losses_of(of_actual), axis=0, weights=weight)


def _accuracy(confusion: np.ndarray) -> float:
    """Share of rows on the diagonal; nan without rows."""
    total = confusion.sum()
    return float(np.trace(confusion) / total) if total else float("nan")


def _balanced_accuracy(confusion: np.ndarray) -> float:
    """Mean over the classes that have rows of the share classified correctly; nan without rows."""
    totals = confusion.sum(axis=1)
    present = totals > 0
    return float(np.mean(np.diag(confusion)[present] / totals[present])) if present.any() else float("nan")
