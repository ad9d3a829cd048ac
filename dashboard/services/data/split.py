"""Columns on offer for the split, and notes on it, as plain texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from proset.common.errors import ProsetError, StudyError
from proset.common.words import count_words, shown
from proset.data.number_split import split_table
from proset.data.profile import Profile
from proset.data.roles import FEATURE_ROLES, Roles
from proset.data.split import SplitSettings
from proset.data.split_candidates import group_candidates, time_candidates
from proset.data.split_columns import time_values
from proset.data.table import Table


class FileOrder(Enum):
    """The order of the rows of a file, on offer beside columns of times; no text, which a column may be called."""

    ROWS = "the order of the file"


FILE_ORDER = FileOrder.ROWS
Choice = str | FileOrder
"""Columns that rows can be split by."""


@dataclass(frozen=True)
class SplitColumns:
    """Columns by which rows can be split.

    Attributes
    ----------
    groups, times : tuple of str
        The likeliest first.
    """

    groups: tuple[str, ...]
    times: tuple[str, ...]


def split_columns(profiles: Mapping[str, Profile], roles: Roles) -> SplitColumns:
    """Return the columns that can keep rows together, and those that can order them.

    Parameters
    ----------
    profiles : mapping of str to Profile
        Facts per column of the table.
    roles : Roles
        What holds now; the target is left out.
    """
    return SplitColumns(group_candidates(profiles, roles.by_column), time_candidates(profiles, roles.by_column))


def chosen(split: SplitSettings, name: str) -> Choice | None:
    """Return what a split goes by: "groups" or "time"."""
    column: str | None = getattr(split, name)
    return FILE_ORDER if name == "time" and split.file_order else column


def with_choice(split: SplitSettings, name: str, choice: Choice | None) -> SplitSettings:
    """Return a split that goes by something else.

    Examples
    --------
    >>> with_choice(SplitSettings(time="day"), "time", FILE_ORDER).words
    'the last 30 % of the file'
    """
    column = None if isinstance(choice, FileOrder) else choice
    if name == "groups":
        return replace(split, groups=column)
    return replace(split, time=column, file_order=isinstance(choice, FileOrder))


def without_target(split: SplitSettings, target: str | None) -> SplitSettings:
    """Return a split that does not use the target, which may have been chosen after it.

    Examples
    --------
    >>> without_target(SplitSettings(0.2, groups="ward"), "ward")
    SplitSettings(test_fraction=0.2, seed=0, groups=None, time=None, file_order=False)
    """
    groups, time = (None if column == target else column for column in (split.groups, split.time))
    return replace(split, groups=groups, time=time)


def split_problem(table: Table, roles: Roles, split: SplitSettings) -> ProsetError | None:
    """Return why rows whose classes can be learned cannot be split in this way, or None if they can.

    Parameters
    ----------
    roles : Roles
        What holds now; problems of the classes themselves are not looked for.

    Returns
    -------
    ProsetError or None
        Names the column and the way out.
    """
    if split.groups is None and not split.by_time:
        return None
    try:
        split_table(table.frame, roles, split)
    except StudyError as error:
        return error
    except ProsetError:
        return None
    return None


def split_notes(table: Table, roles: Roles, split: SplitSettings) -> list[str]:
    """Say what the columns of a split leave out, one sentence each.

    Parameters
    ----------
    split : SplitSettings
        With columns for groups or time.

    Returns
    -------
    list of str
        Empty if there is nothing to say, or the rows cannot be split in this way, which is said elsewhere.
    """
    notes = []
    if split.groups is not None:
        alone = int(table.frame[split.groups].isna().sum())
        if alone:
            are = "is on its own" if alone == 1 else "are each on their own"
            notes.append(f"{count_words(alone, 'row')} without '{shown(split.groups)}' {are}.")
    if split.time is not None:
        try:
            missing = int(np.isnan(time_values(table.frame[split.time])).sum())
        except ProsetError:
            return notes
        if missing:
            are = "is" if missing == 1 else "are"
            notes.append(f"{count_words(missing, 'row')} without '{shown(split.time)}' {are} set aside.")
        if roles.by_column.get(split.time) in FEATURE_ROLES:
            notes.append(
                f"'{shown(split.time)}' is also learned from, though the latest rows lie beyond everything the model"
                " has seen of it. Role 'extra' keeps it out."
            )
    return notes
