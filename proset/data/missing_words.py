"""Declaring what means "missing" in a table, a word or a number in one column or in all, and units beside numbers."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa

from proset.common.errors import TableError
from proset.common.words import listed, shown
from proset.data.cells import settle
from proset.data.derived_rows import with_derived
from proset.data.reading.declared import Declaration, cells_that_hold, without_unit, words_by_column
from proset.data.reading.dialect import LONGEST_WORD, MOST_WORDS, ColumnUnit, Dialect, MissingWord
from proset.data.reading.evidence import ColumnEvidence
from proset.data.reading.values import ValueType, convert, decide
from proset.data.table import Table

__all__ = [
    "ColumnUnit",
    "MissingWord",
    "check_words",
    "column_unit",
    "declare",
    "mask_missing",
    "missing_word",
    "that_apply",
    "with_words",
    "without_units",
    "word_in",
]

_One = TypeVar("_One", MissingWord, ColumnUnit)


def declare(
    table: Table,
    words: Sequence[MissingWord] = (),
    *,
    units: Sequence[ColumnUnit] = (),
    known: Dialect | None = None,
) -> Table:
    r"""Take words that mean "missing" and units beside numbers out of a table.

    Works on any table, whether its file is at hand or not. A column that is left with nothing but numbers or dates
    becomes such a column.

    Parameters
    ----------
    words : sequence of MissingWord
        What means "missing"; each is looked for in its column, or in all.
    units : sequence of ColumnUnit
        What stands beside numbers.
    known : Dialect or None
        That of another table, such as the one a model was fitted to, for the words and units that were declared there;
        those for columns that are not here do nothing.

    Returns
    -------
    Table
        With words and units in its dialect, and with what was found; `table` itself if there are none.

    Raises
    ------
    TableError
        If a word or a unit names a column that there is not.

    Examples
    --------
    >>> from proset.data.table import read_table
    >>> table = read_table(b"dose,kind,weight\n1,a,80 kg\nk.A.,b,75 kg\n3,a,90 kg\n-999,b,81\n")
    >>> table = declare(table, [MissingWord("k.A."), MissingWord("-999", "dose")], units=[ColumnUnit("kg", "weight")])
    >>> table.frame["dose"].tolist(), table.frame["weight"].tolist()
    ([1.0, nan, 3.0, nan], [80, 75, 90, 81])
    """
    columns = table.frame.columns
    check_words((*words, *units), columns)
    known = known or Dialect()
    every = tuple(dict.fromkeys((*that_apply(known.missing, columns), *words)))
    every_unit = tuple(dict.fromkeys((*that_apply(known.units, columns), *units)))
    if not every and not every_unit:
        return table
    check_words((*table.dialect.missing, *every), columns)
    declaration = Declaration(every, table.dialect.decimal or ".", every_unit).learn([table.frame])
    dialect = with_words(table.dialect, every, every_unit)
    issues = declaration.issues(table.issues, expected=(*words, *units))
    frame = declaration.apply(table.frame)
    if table.derived:  # a date that is missing now leaves nothing to count
        frame = with_derived(frame, table.derived)
    changed = {*declaration.changed, *(derived.name for derived in table.derived)}
    return table.with_columns(frame, changed, dialect=dialect, issues=issues)


def mask_missing(frame: pd.DataFrame, words: Sequence[MissingWord]) -> pd.DataFrame:
    """Take words that mean "missing" out of new rows; no column changes its type otherwise.

    Parameters
    ----------
    frame : DataFrame
        Any rows.
    words : sequence of MissingWord
        Of the table that a model was fitted to; those for columns that are not here do nothing.

    Returns
    -------
    DataFrame
        `frame` itself if it holds none of the words.

    Examples
    --------
    >>> mask_missing(pd.DataFrame({"dose": [-999, 2]}), [MissingWord("-999")])["dose"].tolist()
    [nan, 2.0]
    """
    if not words or not frame.columns.is_unique:  # names that occur twice are refused where they matter
        return frame
    changed = {}
    for name, texts in words_by_column(words, frame.columns).items():
        column = settle(frame[name])
        hit = cells_that_hold(column, *texts)
        if hit.any():
            changed[name] = column.mask(hit)
    return frame.assign(**changed) if changed else frame


def without_units(frame: pd.DataFrame, units: Sequence[ColumnUnit], decimal: str = ".") -> pd.DataFrame:
    """Take units out of new rows; a column of texts that are numbers then becomes a column of numbers.

    Parameters
    ----------
    frame : DataFrame
        Any rows.
    units : sequence of ColumnUnit
        Of the table that a model was fitted to; those for columns that are not here do nothing.
    decimal : str
        Decimal mark of that table.

    Returns
    -------
    DataFrame
        `frame` itself if no cell holds a unit.

    Examples
    --------
    >>> without_units(pd.DataFrame({"weight": ["80.5 kg", "75"]}), [ColumnUnit("kg", "weight")])["weight"].tolist()
    [80.5, 75.0]
    """
    changed: dict[str, pd.Series] = {}
    for unit in units if frame.columns.is_unique else ():  # names that occur twice are refused where they matter
        if unit.column not in frame.columns:
            continue
        alone, hit = without_unit(settle(changed.get(unit.column, frame[unit.column])), unit.text)
        if hit.any():
            changed[unit.column] = alone
    return frame.assign(**{name: _as_numbers(alone, decimal) for name, alone in changed.items()}) if changed else frame


def _as_numbers(series: pd.Series, decimal: str) -> pd.Series:
    """Read texts as a file is read, where all are numbers."""
    texts, evidence = pa.array(series, pa.large_string()), ColumnEvidence()
    evidence.add(texts, np.arange(len(series)))
    plan = decide(evidence, decimal)
    is_number = plan.kind in (ValueType.NUMBER, ValueType.INTEGER)
    return convert(texts, plan).set_axis(series.index) if is_number else series


def check_words(words: Sequence[MissingWord | ColumnUnit], columns: Sequence[str] | pd.Index) -> None:
    """Refuse a word or a unit for a column that there is not.

    Raises
    ------
    TableError
        Names the column and what may be meant.
    """
    names = [str(name) for name in columns]
    if any(count > MOST_WORDS for count in Counter(word.column for word in words).values()):
        raise TableError(
            f"More than {MOST_WORDS} words are to mean missing in one place.", hint="Mend the values in the file."
        )
    for word in words:
        if word.column is not None and word.column not in names:
            near = get_close_matches(word.column, names, n=1)
            what = "mean missing" if isinstance(word, MissingWord) else "be a unit"
            raise TableError(
                f"'{shown(word.text)}' is to {what} in a column '{shown(word.column)}', which there is not.",
                column=word.column,
                hint=f"Did you mean '{shown(near[0])}'?" if near else f"The columns are {listed(names, most=10)}.",
            )


def missing_word(text: str, columns: Sequence[str] | pd.Index) -> MissingWord:
    r"""Read WORD or COLUMN=WORD, as the command line takes it.

    Parameters
    ----------
    text : str
        What was written. Names of columns and words may hold "=": the longest name that fits counts. A word for the
        whole table that holds "=" is written with "=" in front.
    columns : sequence of str
        The columns that there are.

    Returns
    -------
    MissingWord
        The word, in its column or in all.

    Raises
    ------
    TableError
        If there is no such column, or no word.

    Examples
    --------
    >>> missing_word("-999", ["a"]), missing_word("a=b=?", ["a", "a=b"]).column, missing_word("==x", ["a"]).text
    (MissingWord(text='-999', column=None), 'a=b', '=x')
    """
    column: str | None = None
    word = text.removeprefix("=")
    if "=" in text and not text.startswith("="):
        column = _column_before(text, columns) or text.rpartition("=")[0]
        word = text[len(column) + 1 :]
    if not word.strip():
        raise TableError(
            f"'{shown(text)}' names no word.", hint="Give WORD or COLUMN=WORD; blank cells are missing anyway."
        )
    found = word_in(word, column)
    check_words([found], columns)
    return found


def column_unit(text: str, columns: Sequence[str] | pd.Index) -> ColumnUnit:
    r"""Read COLUMN=UNIT, as the command line takes it; the longest name of a column that fits counts.

    Raises
    ------
    TableError
        If there is no such column, or what is said is no unit.

    Examples
    --------
    >>> column_unit("weight=kg", ["weight"])
    ColumnUnit(text='kg', column='weight')
    """
    column = _column_before(text, columns) or text.partition("=")[0]
    try:
        unit = ColumnUnit(text[len(column) + 1 :].strip(), column)
    except ValueError as error:
        hint = "Give COLUMN=UNIT, such as weight=kg."
        raise TableError(f"'{shown(text)}' names no unit. {error}", hint=hint) from error
    check_words([unit], columns)
    return unit


def _column_before(text: str, columns: Sequence[str] | pd.Index) -> str | None:
    """Return the longest name of a column that stands before a "=" at the beginning of a text."""
    return max((name for name in map(str, columns) if text.startswith(f"{name}=")), key=len, default=None)


def word_in(text: str, column: str | None) -> MissingWord:
    """Return a word that a person wrote.

    Raises
    ------
    TableError
        If it is too long.

    Examples
    --------
    >>> word_in(" k.A. ", None).text
    'k.A.'
    """
    if len(text.strip()) > LONGEST_WORD:
        raise TableError(
            f"'{shown(text)}' is longer than {LONGEST_WORD} characters.", hint="A text as long as that says something."
        )
    return MissingWord(text.strip(), column)


def that_apply(words: Sequence[_One], columns: Sequence[str] | pd.Index) -> tuple[_One, ...]:
    """Return the words for the whole table and words and units for columns that there are."""
    names = set(columns)
    return tuple(word for word in words if word.column is None or word.column in names)


def with_words(dialect: Dialect, words: Sequence[MissingWord], units: Sequence[ColumnUnit] = ()) -> Dialect:
    """Return a dialect with more words and units."""
    every, every_unit = dict.fromkeys((*dialect.missing, *words)), dict.fromkeys((*dialect.units, *units))
    return dataclasses.replace(dialect, missing=tuple(every), units=tuple(every_unit))
