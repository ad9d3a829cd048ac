"""Split of the rows of a table whose target is a number, and that of any table."""

from __future__ import annotations

import numpy as np
import pandas as pd

from proset.data.number_target import check_numbers, named, places, target_numbers, thirds
from proset.data.roles import Roles
from proset.data.split import Split, SplitSettings, split_rows
from proset.data.target import target_labels

_ALTERNATING = np.array(["one half", "other half"], dtype=object)


def split_table(frame: pd.DataFrame, roles: Roles, settings: SplitSettings | None = None) -> Split:
    """Split the rows of a table, whether its target is a number or classes are made of it.

    Raises
    ------
    RoleError, StudyError
        As for :func:`split_numbers` and :func:`proset.data.split.split_rows`.
    """
    if roles.number:
        return split_numbers(target_numbers(frame, roles), settings, frame=frame)
    return split_rows(target_labels(frame, roles), settings, frame=frame)


def split_numbers(target: pd.Series, settings: SplitSettings | None = None, *, frame: pd.DataFrame) -> Split:
    """Split rows so that both parts have low, middle and high numbers; in whole groups or by time where that is asked.

    Parameters
    ----------
    target : Series of float64
        From :func:`target_numbers`; rows without a number are set aside.
    settings, frame
        As for :func:`proset.data.split.split_rows`.

    Raises
    ------
    RoleError, StudyError
        As for :func:`check_numbers` and :func:`proset.data.split.split_rows`.

    Examples
    --------
    >>> target = pd.Series(np.arange(30.0), index=range(1, 31), name="price")
    >>> split = split_numbers(target, frame=target.to_frame())
    >>> len(split.train), len(split.held_out), int((target[split.held_out] < 10).sum())
    (21, 9, 3)
    """
    check_numbers(target)
    settings = settings or SplitSettings()
    # Where groups or times decide, thirds would be asked for rows that one of the parts may not have.
    free = settings.groups is None and not settings.by_time
    place, known = places(target)
    labels = thirds(target) if free else named(target, known, _ALTERNATING[place % 2])
    return split_rows(labels, settings, frame=frame)
