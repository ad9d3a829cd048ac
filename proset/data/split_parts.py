"""Hold out rows so that groups stay whole, or so that they are the latest ones."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.common.words import count_words, shown

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

FEWEST_TRAINING_ROWS = 3
"""Condition (2.14) of the report: with half of a class as candidates, a class needs three training rows."""

_ROUNDS = 4


def hold_out_groups(
    codes: IntArray, groups: IntArray, fraction: float, rng: np.random.Generator, *, classes: list[str], column: str
) -> BoolArray:
    """Hold out whole groups, so that each class gives about its share of rows.

    Groups are looked at in random order, large and small alike: one is held out if that brings the shares of its
    classes nearer to what is asked for. In further rounds groups may also go back.

    Parameters
    ----------
    codes, groups : ndarray of int64, shape (n,)
        Class and group of each row, both from 0 without gaps.
    fraction : float
        Share of each class to hold out.
    rng : Generator
        Decides in which order.
    classes : list of str
        Names of the classes, for messages.
    column : str
        The column with the groups, for messages.

    Returns
    -------
    ndarray of bool, shape (n,)
        True where a row is held out.

    Raises
    ------
    StudyError
        If a class sits in one group only, or in groups too large for both parts to have some of it.

    Examples
    --------
    >>> codes, groups = np.tile([0, 1], 10), np.repeat(np.arange(5), 4)
    >>> held = hold_out_groups(codes, groups, 0.4, np.random.default_rng(0), classes=["a", "b"], column="who")
    >>> int(held.sum()), len(set(groups[held]) & set(groups[~held]))
    (8, 0)
    """
    members = _count_members(codes, groups)
    totals = np.bincount(codes, minlength=len(classes))
    _check_spread(members, classes, column)
    chosen = _Chosen(members, totals.tolist(), fraction)
    order = rng.permutation(len(members)).tolist()
    for _ in range(_ROUNDS):
        moved = [group for group in order if chosen.improve(group)]
        if not moved:
            break
    for code in np.flatnonzero(np.array(chosen.held) == 0).tolist():
        chosen.add_one_with(code, classes, column)
    marked = np.zeros(len(members), dtype=bool)
    marked[list(chosen.groups)] = True
    held: BoolArray = marked[groups]
    return held


def hold_out_latest(
    codes: IntArray, times: NDArray[np.float64], fraction: float, *, classes: list[str], column: str | None
) -> BoolArray:
    """Hold out the latest rows; rows of one time stay together.

    Parameters
    ----------
    codes : ndarray of int64, shape (n,)
        Class of each row, from 0 without gaps.
    times : ndarray of float64, shape (n,)
        When each row was; finite.
    fraction : float
        Share of all rows to hold out, met as nearly as the ties allow.
    classes : list of str
        Names of the classes, for messages.
    column : str or None
        The column with the times, for messages; None for the order of the file.

    Returns
    -------
    ndarray of bool, shape (n,)
        True where a row is held out.

    Raises
    ------
    StudyError
        If all rows have one time, or a class has too few rows before the others begin.

    Examples
    --------
    >>> times = np.repeat([1.0, 2.0, 3.0], [8, 2, 2])
    >>> hold_out_latest(np.tile([0, 1], 6), times, 0.3, classes=["a", "b"], column="day").nonzero()[0].tolist()
    [8, 9, 10, 11]
    """
    by = "the order of the file" if column is None else f"'{shown(column)}'"
    moments, rows = np.unique(times, return_counts=True)
    if len(moments) < 2:
        raise StudyError(
            f"All rows have one time in {by}, so none of them is later than the others.",
            column=column,
            hint="Split by another column, or at random.",
        )
    later = np.cumsum(rows[::-1])[::-1][1:]  # rows from each moment on, but the first
    held: BoolArray = times >= moments[1:][np.argmin(np.abs(later - fraction * len(times)))]
    for name, count in zip(classes, np.bincount(codes[~held], minlength=len(classes)).tolist(), strict=True):
        if count < FEWEST_TRAINING_ROWS:
            raise StudyError(
                f"Class '{shown(name)}' has {count_words(count, 'row')} before the latest ones by {by} are"
                f" held out; a model needs at least {FEWEST_TRAINING_ROWS} to learn from.",
                column=column,
                hint="Hold out a smaller share, split by another column, or leave the class out.",
            )
    return held


def group_times(groups: IntArray, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each row when the last row of its group was.

    Examples
    --------
    >>> group_times(np.array([0, 0, 1]), np.array([1.0, 5.0, 2.0])).tolist()
    [5.0, 5.0, 2.0]
    """
    last = np.full(int(groups.max()) + 1, -np.inf)
    np.maximum.at(last, groups, times)
    return last[groups]


Members = list[list[tuple[int, int]]]
"""For each group the classes in it, with their rows."""


class _Chosen:
    """The groups that are held out so far, and how far that is from the shares asked for."""

    def __init__(self, members: Members, totals: list[int], fraction: float) -> None:
        self.members, self.totals = members, totals
        self.goals = [fraction * total for total in totals]
        self.held = [0] * len(totals)
        self.groups: set[int] = set()

    def improve(self, group: int) -> bool:
        """Move a group to the other side if that brings the shares nearer to the goals; tell whether it did."""
        back = group in self.groups
        if self.gain(group, -1 if back else 1) >= 0.0 or not (back or self.leaves_enough(group)):
            return False
        self.add(group, -1 if back else 1)
        return True

    def gain(self, group: int, sign: int = 1) -> float:
        """Return by how much the squared distance from the goals changes with this group, or without it."""
        change = 0.0
        for code, rows in self.members[group]:
            before = self.held[code] - self.goals[code]
            change += ((before + sign * rows) ** 2 - before**2) / self.totals[code] ** 2
        return change

    def leaves_enough(self, group: int) -> bool:
        """Tell whether every class of this group keeps enough rows to learn from without it."""
        return all(
            self.totals[code] - self.held[code] - rows >= FEWEST_TRAINING_ROWS for code, rows in self.members[group]
        )

    def add(self, group: int, sign: int = 1) -> None:
        """Hold a group out, or (-1) let it back."""
        (self.groups.add if sign > 0 else self.groups.remove)(group)
        for code, rows in self.members[group]:
            self.held[code] += sign * rows

    def add_one_with(self, code: int, classes: list[str], column: str) -> None:
        """Hold out the group that fits best among those with a class of which nothing is held out yet."""
        if self.held[code]:
            return
        having = [group for group, own in enumerate(self.members) if code in (other for other, _ in own)]
        possible = [group for group in having if group not in self.groups and self.leaves_enough(group)]
        if not possible:
            raise StudyError(
                f"Class '{shown(classes[code])}' cannot be on both sides of the split: the groups of '{shown(column)}'"
                f" that hold it are too large to leave at least {FEWEST_TRAINING_ROWS} rows of each class to learn"
                " from.",
                column=column,
                hint="Use more groups, or leave the class out.",
            )
        self.add(min(possible, key=self.gain))


def _count_members(codes: IntArray, groups: IntArray) -> Members:
    """List the classes of each group with their rows."""
    n_classes = int(codes.max()) + 1
    pairs, rows = np.unique(groups * n_classes + codes, return_counts=True)
    members: Members = [[] for _ in range(int(groups.max()) + 1)]
    for pair, count in zip(pairs.tolist(), rows.tolist(), strict=True):
        members[pair // n_classes].append((pair % n_classes, count))
    return members


def _check_spread(members: Members, classes: list[str], column: str) -> None:
    """Refuse a class that sits in one group only."""
    spread = [0] * len(classes)
    for own in members:
        for code, _ in own:
            spread[code] += 1
    alone = next((classes[code] for code, count in enumerate(spread) if count < 2), None)
    if alone is not None:
        raise StudyError(
            f"Class '{shown(alone)}' sits in one group of '{shown(column)}' only; it takes two, one to learn from and"
            " one to hold out.",
            column=column,
            hint="Split by another column, or leave the class out.",
        )


def share_of(count: int, fraction: float) -> int:
    """Return how many of the rows of a class are held out at random: rounded, at least one, three at least stay.

    Examples
    --------
    >>> share_of(10, 0.25), share_of(6, 0.5), share_of(4, 0.1)
    (3, 3, 1)
    """
    return min(max(math.floor(fraction * count + 0.5), 1), count - FEWEST_TRAINING_ROWS)
