"""Declaring what means "missing" in a table: a word or a number, in one column or in all."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches

import pandas as pd

from proset.common.errors import TableError
from proset.common.words import listed, shown
from proset.data.cells import settle
from proset.data.date_differences import with_differences
from proset.data.reading.declared import Declaration, cells_that_hold, words_by_column
from proset.data.reading.dialect import LONGEST_WORD, MOST_WORDS, Dialect, MissingWord
from proset.data.table import Table

__all__ = [
    "MissingWord",
    "check_words",
    "declare_missing",
    "mask_missing",
    "missing_word",
    "that_apply",
    "with_words",
    "word_in",
]


def declare_missing(table: Table, words: Sequence[MissingWord], *, known: Sequence[MissingWord] = ()) -> Table:
    r"""Take words that mean "missing" out of a table.

    Works on any table, whether its file is at hand or not. A column that is left with nothing but numbers or dates
    becomes such a column.

    Parameters
    ----------
    table : Table
        The table.
    words : sequence of MissingWord
        What means "missing"; each is looked for in its column, or in all.
    known : sequence of MissingWord
        Words of another table, such as the one a model was fitted to; those for columns that are not here do nothing.

    Returns
    -------
    Table
        With the words in its dialect, and with what was found; `table` itself if there is no word.

    Raises
    ------
    TableError
        If a word names a column that there is not.

    Examples
    --------
    >>> from proset.data.table import read_table
    >>> table = read_table(b"dose,kind\n1,a\nk.A.,b\n3,a\n-999,b\n")
    >>> table = declare_missing(table, [MissingWord("k.A."), MissingWord("-999", "dose")])
    >>> table.frame["dose"].tolist()
    [1.0, nan, 3.0, nan]
    """
    check_words(words, table.frame.columns)
    every = tuple(dict.fromkeys((*that_apply(known, table.frame.columns), *words)))
    if not every:
        return table
    check_words((*table.dialect.missing, *every), table.frame.columns)
    declaration = Declaration(every, table.dialect.decimal or ".").learn([table.frame])
    dialect = with_words(table.dialect, every)
    issues = declaration.issues(table.issues, expected=words)
    frame = declaration.apply(table.frame)
    if table.derived:  # a date that is missing now leaves no days to count
        frame = with_differences(frame, table.derived)
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


def check_words(words: Sequence[MissingWord], columns: Sequence[str] | pd.Index) -> None:
    """Refuse a word for a column that there is not.

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
            raise TableError(
                f"'{shown(word.text)}' is to mean missing in a column '{shown(word.column)}', which there is not.",
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
    names = sorted((str(name) for name in columns), key=len, reverse=True)
    column: str | None = None
    word = text.removeprefix("=")
    if "=" in text and not text.startswith("="):
        column = next((name for name in names if text.startswith(f"{name}=")), text.rpartition("=")[0])
        word = text[len(column) + 1 :]
    if not word.strip():
        raise TableError(
            f"'{shown(text)}' names no word.", hint="Give WORD or COLUMN=WORD; blank cells are missing anyway."
        )
    found = word_in(word, column)
    check_words([found], columns)
    return found


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


def that_apply(words: Sequence[MissingWord], columns: Sequence[str] | pd.Index) -> tuple[MissingWord, ...]:
    """Return the words for the whole table and for columns that there are."""
    names = set(columns)
    return tuple(word for word in words if word.column is None or word.column in names)


def with_words(dialect: Dialect, words: Sequence[MissingWord]) -> Dialect:
    """Return a dialect with more words."""
    return dataclasses.replace(dialect, missing=tuple(dict.fromkeys((*dialect.missing, *words))))
