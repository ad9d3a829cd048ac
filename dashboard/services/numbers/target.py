"""The numbers of a target in both parts of the split."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.words import count_words, number
from proset.data.number_split import split_table
from proset.data.number_target import target_numbers
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.data.table import Table


@dataclass(frozen=True, eq=False)
class NumberParts:
    """Numbers of the target by part.

    Attributes
    ----------
    training, held_out : float64 arrays
        Numbers of the rows to learn from, and of those held out.
    n_missing : int
        Rows without a number.
    """

    training: NDArray[np.float64]
    held_out: NDArray[np.float64]
    n_missing: int


def parts_of(table: Table, roles: Roles, split: SplitSettings) -> NumberParts:
    """Return the numbers of both parts.

    Raises
    ------
    RoleError, StudyError
        If the target holds no numbers, or rows cannot be split in this way.
    """
    target, parts = target_numbers(table.frame, roles), split_table(table.frame, roles, split)
    training, held_out = (target.loc[pd.Index(rows)].to_numpy() for rows in (parts.train, parts.held_out))
    return NumberParts(training, held_out, int(target.isna().sum()))


def parts_words(parts: NumberParts) -> str:
    """Say what the figure of the numbers shows, for those who cannot see it."""
    every = np.concatenate([parts.training, parts.held_out])
    rows = f"{count_words(len(parts.training), 'training row')}, {len(parts.held_out):,} held out"
    return (
        f"Numbers from {number(every.min())} to {number(every.max())}, half below {number(np.median(every))}: {rows}."
    )
