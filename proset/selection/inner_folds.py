"""Folds within the rows of one fit, by which a model chooses its settings: whole groups, earlier before later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_consistent_length, column_or_1d

from proset.common.errors import StudyError
from proset.engine.set_manager import FloatArray, IntArray
from proset.selection.folds import Fold, make_folds

MOST_GROUPS = 500
"""Dealing out more of them takes seconds, for every fit and every number of folds that is tried."""


class NoFoldsError(StudyError):
    """Groups or times leave fewer than two folds."""


@dataclass(frozen=True)
class FoldCount:
    """Plan of folds as :func:`~proset.selection.folds.make_folds` takes it."""

    n_folds: int
    random_state: int


@dataclass(frozen=True, eq=False)
class GroupsAndTimes:
    """Groups and times that folds have to respect.

    Attributes
    ----------
    groups : ndarray of int64, shape (n,), or None
        Rows of one group stay in one fold.
    times : ndarray of float64, shape (n,), or None
        When each row was: folds learn from rows before those that they leave out.
    """

    groups: IntArray | None = None
    times: FloatArray | None = None

    @classmethod
    def of(cls, groups: ArrayLike | None, times: ArrayLike | None, n_rows: int) -> Self:
        """Check what a caller passed.

        Raises
        ------
        ValueError
            If a row has no group or time, there are more or fewer of them than rows, or times are no numbers.

        Examples
        --------
        >>> GroupsAndTimes.of(["b", "a", "b"], None, 3).groups.tolist()
        [1, 0, 1]
        """
        return cls(
            None if groups is None else _number_groups(groups, n_rows),
            None if times is None else _checked_times(times, n_rows),
        )

    def __bool__(self) -> bool:
        """Tell whether there is anything to respect."""
        return self.groups is not None or self.times is not None

    def at(self, rows: IntArray) -> Self:
        """Return what folds of some of the rows have to respect."""
        return type(self)(
            None if self.groups is None else self.groups[rows], None if self.times is None else self.times[rows]
        )

    def pooled(self, seed: int) -> Self:
        """Return these with groups thrown together at random where there are very many; who was together stays so.

        With times as well, rows are left out that have a group in common with later ones: there groups stay what they
        are, and nothing has to be dealt out.

        Examples
        --------
        >>> known = GroupsAndTimes(groups=np.repeat(np.arange(2_000), 3)).pooled(seed=0)
        >>> len(np.unique(known.groups)), bool((known.groups[::3] == known.groups[2::3]).all())
        (500, True)
        """
        if self.groups is None or self.times is not None:
            return self
        count = int(self.groups.max(initial=-1)) + 1
        if count <= MOST_GROUPS:
            return self
        return type(self)(np.random.default_rng(seed).permutation(count)[self.groups] % MOST_GROUPS)


def inner_folds(
    target: IntArray, most: int, seed: int, known: GroupsAndTimes | None = None, *, smallest: int = 1
) -> tuple[Fold, ...]:
    """Cut the rows of a fit into as many folds as there may be, every class in each part that is learned from.

    Parameters
    ----------
    target : ndarray of int64, shape (n,)
        Class of each row, 0 to K - 1.
    most : int
        Folds that are wanted.
    seed : int
        Draws them; by time, nothing is left to chance.
    known : GroupsAndTimes or None
        What folds have to respect. With nothing, each class is in every fold.
    smallest : int, default=1
        Rows of each class that every training part has to have, where there are groups or times.

    Returns
    -------
    tuple of Fold
        Fewer than wanted where the smallest class, the groups or the times allow no more; none if a class has a single
        row and there is nothing to respect.

    Raises
    ------
    NoFoldsError
        If groups or times leave fewer than two folds; rows drawn one by one would not respect them.

    Examples
    --------
    >>> target = np.array([0, 0, 0, 1, 1])
    >>> [len(fold.test) for fold in inner_folds(target, 5, 0)]
    [3, 2]
    >>> known = GroupsAndTimes.of([7, 7, 8, 8, 9], None, 5)
    >>> [fold.test.tolist() for fold in inner_folds(np.array([0, 1, 0, 1, 0]), 5, 0, known)]
    [[4], [2, 3], [0, 1]]
    """
    if not known:
        count = min(most, int(np.bincount(target).min()))
        return make_folds(target, FoldCount(count, seed)) if count > 1 else ()
    why = ""
    for count in range(most if _may_leave_out(target, known, smallest) else 1, 1, -1):
        try:
            return make_folds(target, FoldCount(count, seed), known.groups, known.times, smallest=smallest)
        except StudyError as error:
            why = error.message
    raise NoFoldsError(
        f"{known_words(known)} of these rows leave no two folds to choose settings by.",
        hint=f"Pass more rows, or fix the settings. {why}".strip(),
    )


def _may_leave_out(target: IntArray, known: GroupsAndTimes, smallest: int) -> bool:
    """Tell whether any group may be left out, which takes a while to find out by trying."""
    if known.groups is None or known.times is not None:
        return True
    n_groups = int(known.groups.max()) + 1
    counts = np.bincount(target * n_groups + known.groups).astype(np.int64)
    counts = np.append(counts, np.zeros(-len(counts) % n_groups, dtype=np.int64)).reshape(-1, n_groups)
    return bool((counts.sum(axis=1) - counts.max(axis=1) >= smallest).all())


def known_words(known: GroupsAndTimes) -> str:
    """Say what there is, at the beginning of a sentence.

    Examples
    --------
    >>> known_words(GroupsAndTimes(times=np.zeros(2)))
    'The times'
    """
    names = [name for name in ("groups", "times") if getattr(known, name) is not None]
    return f"The {' and '.join(names)}"


def _number_groups(groups: ArrayLike, n_rows: int) -> IntArray:
    """Replace groups by numbers from 0; every row has to have one."""
    given = np.asarray(groups)
    check_consistent_length(np.empty(n_rows), given)
    if pd.isna(np.asarray(groups, dtype=object)).any():
        raise StudyError("There are rows without a group.", hint="Give every row one, if need be one of its own.")
    return np.unique(given, return_inverse=True)[1].astype(np.int64)


def _checked_times(times: ArrayLike, n_rows: int) -> FloatArray:
    """Return times as numbers; every row has to have one."""
    given = column_or_1d(times)
    check_consistent_length(np.empty(n_rows), given)
    if given.dtype.kind not in "fiub":
        raise StudyError("times holds no numbers.", hint="Pass numbers that grow with time, such as days since a date.")
    found: FloatArray = given.astype(np.float64)
    if not np.isfinite(found).all():
        raise StudyError("There are rows without a time.", hint="Give every row one.")
    return found
