"""The facts about one column that roles are guessed from and issues are found in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pandas.api import types

from proset.data.arrow_texts import distinct_words
from proset.data.cells import is_placeholder, like_numbers, read_numbers, read_words, settle, truth_of, word_of
from proset.data.date_cells import find_date_formats

#: Columns with more different words (or numbers) than this keep no list of them.
MOST_COUNTED = 1000
MOST_COUNTED_NUMBERS = 100

_MOST_SPELLINGS = 12

# Digits that a number would lose: zeros in front, or more than float64 holds.
_CODE = r"^0\d|^\d{16,}$"

#: Such as "-1,5": what a column that came as text, from a frame or a Parquet file, may hold in place of numbers.
DECIMAL_COMMA = r"^[+-]?[0-9]*,[0-9]+$"


class CellKind(StrEnum):
    """Kinds of cells that a column can hold."""

    EMPTY = "empty"
    NUMBER = "number"
    TRUTH = "truth"
    DATE = "date"
    TEXT = "text"


@dataclass(frozen=True, eq=False)
class Profile:
    """Facts about one column.

    Attributes
    ----------
    name : str
        The column.
    kind : CellKind
        What its cells hold.
    n_rows, n_missing, n_distinct : int
        Rows, missing cells, different values (missing not counted).
    rarest : int
        Rows of the least frequent value, 0 for an empty column.
    low, high : float
        Smallest and largest finite number; NaN where the kind is no number.
    whole, increasing : bool
        Numbers: whether all are whole, and whether each is larger than the one above it.
    stored_as_text : bool
        Whether numbers are read as words.
    odd_row, odd_word : int and str, or None
        First cell of a column of numbers in text that cannot be read as one, where at least nine in ten are numbers,
        with a decimal point or comma.
    date_formats : tuple of str
        Text that holds dates: the formats that fit all of them.
    length, words : float
        Text: mean number of characters and words of the different values.
    counts : Series or None
        Rows per word, most frequent first; None above :data:`MOST_COUNTED` different ones.
    in_grid : bool
        Whether the column is a pixel of an image.
    """

    name: str
    kind: CellKind
    n_rows: int
    n_missing: int
    n_distinct: int
    rarest: int = 0
    low: float = np.nan
    high: float = np.nan
    whole: bool = False
    increasing: bool = False
    stored_as_text: bool = False
    odd_row: int | None = None
    odd_word: str | None = None
    date_formats: tuple[str, ...] = ()
    length: float = 0.0
    words: float = 0.0
    counts: pd.Series | None = None
    in_grid: bool = False

    def fields(self) -> dict[str, Any]:
        """Return the facts as JSON can hold them; :meth:`of` makes them a profile again."""
        counts = None if self.counts is None else (self.counts.index.tolist(), self.counts.tolist())
        return vars(self) | {"counts": counts}

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Profile:
        """Return the profile that :meth:`fields` were made of."""
        words, rows = fields["counts"] or ([], [])
        counts = None if fields["counts"] is None else _counts(words, np.asarray(rows, dtype=np.int64))
        formats = tuple(fields["date_formats"])
        return cls(**{**fields, "kind": CellKind(fields["kind"]), "date_formats": formats, "counts": counts})

    @property
    def n_present(self) -> int:
        """Cells that hold something."""
        return self.n_rows - self.n_missing

    @property
    def date_format(self) -> str | None:
        """Format in which text that holds dates is read; None for all else, and for dates proper."""
        return self.date_formats[0] if self.date_formats else None

    @property
    def unique(self) -> bool:
        """True if no two rows hold the same and no cell is missing."""
        return self.n_missing == 0 and self.n_distinct == self.n_rows

    @property
    def gapless(self) -> bool:
        """True if the numbers are a range of whole numbers, each once, in any order."""
        return self.whole and self.unique and self.high - self.low == self.n_rows - 1


def profile_column(series: pd.Series, *, in_grid: bool = False) -> Profile:
    """Collect the facts about one column.

    Parameters
    ----------
    series : Series
        The column, index row.
    in_grid : bool
        Whether the column is a pixel of an image.

    Returns
    -------
    Profile
        Facts; no copy of the column.

    Examples
    --------
    >>> profile = profile_column(pd.Series(["1", "2", None, "2"], name="code"))
    >>> profile.kind, profile.n_distinct, profile.n_missing, profile.stored_as_text
    (<CellKind.NUMBER: 'number'>, 2, 1, True)
    """
    settled = settle(series)
    name = str(series.name)
    if isinstance(settled.dtype, pd.StringDtype):
        return _profile_text(read_words(settled), name, in_grid)
    if types.is_datetime64_dtype(settled.dtype) or types.is_bool_dtype(settled.dtype):
        kind = CellKind.TRUTH if types.is_bool_dtype(settled.dtype) else CellKind.DATE
        return _profile_counted(*distinct_words(read_words(settled)), name, kind, len(settled))
    return _profile_numbers(settled, name, in_grid)


def _profile_numbers(settled: pd.Series, name: str, in_grid: bool, stored_as_text: bool = False) -> Profile:
    """Facts about numbers; infinite ones count as missing."""
    values = settled.to_numpy()
    present = values[np.isfinite(values)]
    n_missing = len(values) - len(present)
    if len(present) == 0:
        return Profile(name, CellKind.EMPTY, len(values), n_missing, 0, in_grid=in_grid)
    different, rows = np.unique(present, return_counts=True)
    return Profile(
        name=name,
        kind=CellKind.NUMBER,
        n_rows=len(values),
        n_missing=n_missing,
        n_distinct=len(different),
        rarest=int(rows.min()),
        low=float(different[0]),
        high=float(different[-1]),
        whole=bool(np.array_equal(different, np.floor(different))),
        increasing=n_missing == 0 and bool((present[1:] > present[:-1]).all()),
        stored_as_text=stored_as_text,
        counts=None if len(different) > MOST_COUNTED_NUMBERS else _counts([word_of(n) for n in different], rows),
        in_grid=in_grid,
    )


def _counts(words: list[str], rows: NDArray[np.int64]) -> pd.Series:
    """Return the rows per word, most frequent first, ties as they came."""
    order = np.argsort(-rows, kind="stable")
    return pd.Series(rows[order], index=pd.Index([words[at] for at in order], dtype="str"))


def _profile_counted(different: pa.Array, rows: NDArray[np.int64], name: str, kind: CellKind, n_rows: int) -> Profile:
    """Facts that hold for every kind: how many, how many different, how often."""
    if len(rows) == 0:
        return Profile(name, CellKind.EMPTY, n_rows, n_rows, 0)
    kept = _counts(different.to_pylist(), rows) if len(rows) <= MOST_COUNTED else None
    return Profile(name, kind, n_rows, n_rows - int(rows.sum()), len(rows), rarest=int(rows.min()), counts=kept)


def _profile_text(words: pd.Series, name: str, in_grid: bool) -> Profile:
    """Facts about text, which may hold numbers, dates or truth values."""
    texts, rows = distinct_words(words)
    different = pd.Series(texts, dtype="str")
    telling = different[~is_placeholder(different)]
    odd_row, odd_word = None, None
    if pc.any(like_numbers(texts)).as_py():
        numbers = read_numbers(telling)
        n_numbers = int(np.isfinite(numbers.values).sum())
        codes = pc.any(pc.match_substring_regex(texts, _CODE)).as_py()
        if n_numbers and not numbers.unreadable.any() and not codes:
            return _profile_numbers(pd.Series(read_numbers(words).values), name, in_grid, stored_as_text=True)
        n_commas = int(telling.str.contains(DECIMAL_COMMA).sum())
        if numbers.unreadable.any() and n_numbers + n_commas >= 0.9 * len(telling):
            odd_row, odd_word = _first_odd(words)
    if 0 < len(texts) <= _MOST_SPELLINGS and all(truth_of(word) is not None for word in texts.to_pylist()):
        return _profile_counted(texts, rows, name, CellKind.TRUTH, len(words))
    formats = find_date_formats(telling)
    if formats:
        return replace(_profile_counted(texts, rows, name, CellKind.DATE, len(words)), date_formats=formats)
    return replace(
        _profile_counted(texts, rows, name, CellKind.TEXT, len(words)),
        odd_row=odd_row,
        odd_word=odd_word,
        length=float(pc.mean(pc.utf8_length(texts)).as_py() or 0.0),
        words=float(pc.mean(pc.add(pc.count_substring_regex(texts, r"\s+"), 1)).as_py() or 0.0),
    )


def _first_odd(words: pd.Series) -> tuple[int, str]:
    """Row and text of the first cell that is no number."""
    position = int(np.flatnonzero(read_numbers(words).unreadable)[0])
    return int(words.index[position]), str(words.iloc[position])
