"""The shared part of all encoders.

An encoder stands for one table column. It is learned from training rows only and never changes afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import DesignError
from proset.common.words import shown
from proset.data.cells import read_words
from proset.data.date_cells import no_dates
from proset.data.issues import Role
from proset.data.reading.declared import number_of
from proset.data.scales import Bend, held_digits


@dataclass(frozen=True)
class MatrixColumn:
    """Meaning of one column of the matrix.

    Attributes
    ----------
    name : str
        Unique within a design: the table column, or "island = Biscoe" for an indicator.
    source : str
        The table column.
    role : Role
        NUMERIC, CATEGORICAL, BOOLEAN or DATE.
    level : str or None
        The level that an indicator stands for; None for numbers and dates.
    offset, scale : float
        Value in the table = matrix value * scale + offset; dates count days since 1970, indicators are 0 or 1.
    bend : Bend or None
        The way between both where it is not straight; `offset` and `scale` are mean and standard deviation then.
    evidence_for : str or None
        The class for which the column holds weights of evidence of the values; None for a column of the values.
    """

    name: str
    source: str
    role: Role
    level: str | None
    offset: float
    scale: float
    bend: Bend | None = None
    evidence_for: str | None = None

    def to_table(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the numbers (days, for a date) that matrix values stand for, same shape."""
        if self.bend is not None:
            return self.bend.value(values)
        return held_digits(values * self.scale + self.offset, values, self.scale)

    def to_matrix(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the matrix values that numbers of the table become, same shape."""
        return (numbers - self.offset) / self.scale if self.bend is None else self.bend.place(numbers)


@dataclass(frozen=True, eq=False)
class Block:
    """The matrix columns of one table column.

    Attributes
    ----------
    values : ndarray of float64, shape (n, k)
        Finite.
    imputed, unseen : ndarray of bool, shape (n,)
        Cells that were missing and filled in; cells with a level that the training rows do not have.
    """

    values: NDArray[np.float64]
    imputed: NDArray[np.bool_]
    unseen: NDArray[np.bool_]


class Encoder(Protocol):
    """Encoder as the design uses it."""

    @property
    def source(self) -> str:
        """The table column."""
        ...

    @property
    def columns(self) -> tuple[MatrixColumn, ...]:
        """Matrix columns that it makes, at least one."""
        ...

    def encode(self, series: pd.Series) -> Block:
        """Turn cells into matrix values."""
        ...

    def decode(self, values: NDArray[np.float64]) -> list[Any]:
        """Turn values of one of the matrix columns into the user's words and units."""
        ...

    def to_state(self) -> dict[str, Any]:
        """Return what was learned as plain JSON types."""
        ...


def first_unreadable(series: pd.Series, unreadable: NDArray[np.bool_], role: Role) -> DesignError:
    """Build the error that names column, row and value of the first cell that does not fit the role.

    Parameters
    ----------
    series : Series
        The column; its index holds the row ids.
    unreadable : ndarray of bool, shape (n,)
        At least one True.
    role : Role
        What the cell should have been.

    Examples
    --------
    >>> column = pd.Series(["1.5", "tall"], index=[7, 8], name="height")
    >>> str(first_unreadable(column, np.array([False, True]), Role.NUMERIC)).split(". ")[0]
    "Column 'height' has the role numeric, but row 8 holds 'tall'"
    >>> column = pd.Series(["1,2", "k.A."], index=[1, 2], name="height")
    >>> first_unreadable(column, np.array([True, True]), Role.NUMERIC).message
    "Column 'height' has the role numeric, but row 2 holds 'k.A.'."
    >>> column = pd.Series(["12.05.2023", "soon"], index=[1, 2], name="since")
    >>> first_unreadable(column, np.array([True, True]), Role.DATE).message
    "Column 'since' has the role date, but row 2 holds 'soon'."
    """
    where = np.flatnonzero(unreadable)
    # One word among "1,2" and "3,4", or among dates, makes text of them all: it is the word that does not fit.
    words = read_words(series.iloc[where])
    numeric = role is Role.NUMERIC
    odd = np.array([number_of(word) is None for word in words]) if numeric else no_dates(words, None)
    where, words = (where[odd], words[odd]) if odd.any() else (where, words)
    position, count = int(where[0]), len(where)
    more = f" ({count:,} rows are like that)" if count > 1 else ""
    return DesignError(
        f"Column '{shown(series.name)}' has the role {role}, but row {series.index[position]} holds"
        f" '{shown(words.iloc[0], 40)}'{more}.",
        column=str(series.name),
        hint="Correct or empty these cells, or fit a model in which the column has another role.",
    )
