"""Cutting rows into folds: class by class, in whole groups, or so that every fold learns from earlier rows only."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from proset.common.errors import StudyError
from proset.common.words import count_words, shown
from proset.engine.set_manager import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Fold:
    """Positions of the rows to train on and of the rows left out.

    Both are ascending and have no row in common. Without times, they are all rows together, and every row is left out
    by one fold. With times, each fold learns from rows before those it leaves out, so the first rows are never left
    out and later ones do not take part.
    """

    train: IntArray
    test: IntArray


def left_out_ratio(folds: Sequence[Fold]) -> float:
    """Return how many rows a fold leaves out for each that it learns from, on average: 1/(F - 1), or more with times.

    Examples
    --------
    >>> left_out_ratio([Fold(np.arange(2), np.arange(2, 4)), Fold(np.arange(4), np.arange(4, 6))])
    0.75
    """
    return float(np.mean([fold.test.shape[0] / fold.train.shape[0] for fold in folds]))


class FoldPlan(Protocol):
    """Plan that says how to make folds."""

    @property
    def n_folds(self) -> int:
        """Number of folds, at least 2."""
        ...

    @property
    def random_state(self) -> int:
        """Seed."""
        ...


def make_folds(
    target: IntArray,
    plan: FoldPlan,
    groups: IntArray | None = None,
    times: FloatArray | None = None,
    *,
    smallest: int = 1,
    classes: Sequence[object] | None = None,
    keep_rare: bool = False,
) -> tuple[Fold, ...]:
    """Cut rows into folds, each class in about equal shares, or one after the other in time.

    Parameters
    ----------
    target : ndarray of int64, shape (n,)
        Class of each row, 0 to K - 1.
    plan : SearchPlan or another plan
        Of which only ``n_folds`` and ``random_state`` matter; split by time, nothing is left to chance.
    groups : ndarray of int64, shape (n,), or None
        Rows of one group stay in one fold.
    times : ndarray of float64, shape (n,), or None
        When each row was. The later rows are cut into blocks of about the same size, and each fold leaves out one block
        and trains on all rows before it; rows of one time stay in one block. With groups, rows before a block whose
        group has rows in it do not take part in that fold.
    smallest : int
        Rows of each class that every training part has to have, see
        :func:`proset.engine.candidates.smallest_class_size`.
    classes : sequence or None
        Names of the classes for messages; None uses their numbers.
    keep_rare : bool
        Whether a fold trains on the rows that it would have left out of a class of which it would keep too few. Nothing
        is then measured on them there. Not with groups or times, where rows cannot change sides.

    Raises
    ------
    StudyError
        If there are too few rows, groups or times, or a class is missing from the training part of a fold.

    Examples
    --------
    >>> from proset.selection import SearchPlan
    >>> folds = make_folds(np.repeat([0, 1], 6), SearchPlan(n_folds=3))
    >>> [(len(fold.train), len(fold.test)) for fold in folds]
    [(8, 4), (8, 4), (8, 4)]
    >>> folds = make_folds(np.tile([0, 1], 4), SearchPlan(n_folds=3), times=np.arange(8.0))
    >>> [(fold.train.tolist(), fold.test.tolist()) for fold in folds]
    [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5]), ([0, 1, 2, 3, 4, 5], [6, 7])]
    """
    names = [shown(name) for name in (range(int(target.max()) + 1) if classes is None else classes)]
    if times is not None:
        return _chained(target, plan.n_folds, groups, times, smallest=smallest, names=names)
    largest = int(np.bincount(target).max(initial=0))
    _check_enough(plan.n_folds, largest, "row", "in the largest class")
    if groups is None:
        splitter = StratifiedKFold(plan.n_folds, shuffle=True, random_state=plan.random_state)
    else:
        _check_enough(plan.n_folds, np.unique(groups).shape[0], "different group", "to share out")
        splitter = StratifiedGroupKFold(plan.n_folds, shuffle=True, random_state=plan.random_state)
    with warnings.catch_warnings():  # a class that is rarer than there are folds is checked for below, in our words
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        parts = list(splitter.split(np.zeros((target.shape[0], 1)), target, groups))
    folds = tuple(Fold(train.astype(np.int64), test.astype(np.int64)) for train, test in parts)
    if keep_rare and groups is None:
        folds = tuple(_with_rare(fold, target, smallest) for fold in folds)
    for number, fold in enumerate(folds, start=1):
        _check_fold(fold, number, target, names, smallest, grouped=groups is not None)
    return folds


def _with_rare(fold: Fold, target: IntArray, smallest: int) -> Fold:
    """Train on all rows of the classes of which a fold keeps too few."""
    kept = np.bincount(target[fold.train], minlength=int(target.max()) + 1)
    rare = kept[target[fold.test]] < smallest
    return Fold(np.sort(np.concatenate([fold.train, fold.test[rare]])), fold.test[~rare]) if rare.any() else fold


def _chained(
    target: IntArray, n_folds: int, groups: IntArray | None, times: FloatArray, *, smallest: int, names: list[str]
) -> tuple[Fold, ...]:
    """Cut rows into folds that learn from earlier rows."""
    moments, rank = np.unique(times, return_inverse=True)
    _check_enough(n_folds, moments.shape[0] - 1, "time", "after the first")
    known = _moments_until(target, rank, moments.shape[0], smallest, names)
    starts = _block_starts(np.bincount(rank, minlength=moments.shape[0]), known, n_folds)
    folds = []
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], moments.shape[0]], strict=True), start=1):
        test = (rank >= start) & (rank < end)
        train = rank < start
        if groups is not None:
            train &= ~np.isin(groups, groups[test])
        fold = Fold(np.flatnonzero(train).astype(np.int64), np.flatnonzero(test).astype(np.int64))
        _check_early(fold, number, target, names, smallest)
        folds.append(fold)
    return tuple(folds)


def _moments_until(target: IntArray, rank: IntArray, n_moments: int, smallest: int, names: list[str]) -> int:
    """Count the moments that it takes until every class has enough rows."""
    latest = 0
    for code, name in enumerate(names):
        own = np.sort(rank[target == code])
        if own.shape[0] < smallest:
            raise StudyError(
                f"Class '{name}' has only {count_words(own.shape[0], 'row')} for training; a fit needs at least"
                f" {smallest}.",
                hint="Leave the class out, or merge it with another.",
            )
        latest = max(latest, int(own[smallest - 1]) + 1)
    if latest >= n_moments:
        late = max(range(len(names)), key=lambda code: int(np.sort(rank[target == code])[smallest - 1]))
        raise StudyError(
            f"Class '{names[late]}' has fewer than {smallest} rows before the last time, so no fold could learn it from"
            " earlier rows.",
            hint="Leave the class out, or split at random.",
        )
    return latest


def _block_starts(sizes: IntArray, known: int, n_folds: int) -> list[int]:
    """Return the moment at which each fold's block begins; `known` moments at least come before the first one."""
    before = np.concatenate([[0], np.cumsum(sizes)])  # rows before each moment
    n_rows, n_moments = int(before[-1]), sizes.shape[0]
    first = max(known, int(np.argmin(np.abs(before - n_rows / (n_folds + 1)))), 1)
    first = max(known, min(first, n_moments - n_folds))
    _check_enough(n_folds, n_moments - first, "time", "after every class has been seen often enough")
    starts = [first]
    for fold in range(1, n_folds):
        goal = before[first] + fold * (n_rows - before[first]) / n_folds
        nearest = int(np.argmin(np.abs(before[:n_moments] - goal)))
        starts.append(min(max(nearest, starts[-1] + 1), n_moments - (n_folds - fold)))
    return starts


def _check_enough(n_folds: int, available: int, one: str, which: str) -> None:
    """Refuse more folds than there is to share out."""
    if available < n_folds:
        raise StudyError(
            f"n_folds is {n_folds}, but there {'is' if available == 1 else 'are'} only {count_words(available, one)}"
            f" {which}.",
            hint="Use fewer folds or more rows.",
            parameter="n_folds",
        )


def _check_fold(fold: Fold, number: int, target: IntArray, names: list[str], smallest: int, *, grouped: bool) -> None:
    """Refuse a fold that leaves nothing out, or too few rows of a class to learn from."""
    if fold.test.shape[0] == 0:
        why = "the groups are too uneven" if grouped else "its classes have too few"
        raise StudyError(f"Fold {number} holds no row, because {why}.", hint="Use fewer folds or more rows.")
    counts, whole = (np.bincount(part, minlength=len(names)).tolist() for part in (target[fold.train], target))
    for name, count, total in zip(names, counts, whole, strict=True):
        if count < smallest:
            why = " The rows of its groups stay together." if grouped else ""
            way_out = "Use more folds, leave" if total > smallest else "Leave"  # one row left out leaves enough
            raise StudyError(
                f"Class '{name}' keeps only {count_words(count, 'row')} for training when fold {number} is left out;"
                f" a fit needs at least {smallest}.{why}",
                hint=f"{way_out} the class out, or merge it with another.",
            )


def _check_early(fold: Fold, number: int, target: IntArray, names: list[str], smallest: int) -> None:
    """Refuse a fold in time that has too few earlier rows of a class to learn from, because of the groups."""
    counts = np.bincount(target[fold.train], minlength=len(names)).tolist()
    for name, count in zip(names, counts, strict=True):
        if count < smallest:
            raise StudyError(
                f"Class '{name}' has only {count_words(count, 'row')} before fold {number} in groups that do not reach"
                f" into it; a fit needs at least {smallest}.",
                hint="Use fewer folds, split by groups or by time alone, or leave the class out.",
            )
