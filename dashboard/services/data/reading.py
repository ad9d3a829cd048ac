"""Reading of a file in words and choices: how it was read, how else it could be, and its words for "missing"."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import groupby

from proset.common.errors import ProsetError, TableError
from proset.common.words import count_words, listed, shown
from proset.data.derived_columns import add_again
from proset.data.issues import Severity
from proset.data.missing_guess import MissingGuess, guess_missing
from proset.data.missing_words import ColumnUnit, MissingWord, word_in
from proset.data.reading.declared import cells_that_hold
from proset.data.reading.dialect import Dialect
from proset.data.reading.encodings import ENCODINGS, encoding_words
from proset.data.role_check import check_roles
from proset.data.role_guess import RoleGuess, guess_roles
from proset.data.roles import Roles
from proset.data.table import Table

AS_FOUND = "as found"
WHOLE_TABLE = "in the whole table"
FILE, STUDY, AGAIN, MISSING = "file", "study", "again", "missing"
"""Places on the page at which something could not be done."""

FILE_TYPES = ("csv", "tsv", "txt", "gz", "xlsx", "xls", "ods", "parquet")
"""Endings of the files that may be uploaded; the content decides what they are."""
DELIMITER_WORDS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
DECIMAL_WORDS = {".": "point (1.5)", ",": "comma (1,5)"}


@dataclass(frozen=True)
class ReadingProblem:
    """Reason why something could not be done.

    Attributes
    ----------
    place : str
        Where on the page: :data:`FILE`, :data:`STUDY`, :data:`AGAIN` or :data:`MISSING`.
    text : str
        What is wrong and what to do.
    option : str
        What would have to be said about the file, such as "delimiter"; empty if nothing of that kind helps.
    words : tuple of MissingWord
        What may mean "missing": counted so, it would be in nobody's way.
    """

    place: str
    text: str
    option: str = ""
    words: tuple[MissingWord, ...] = ()

    @classmethod
    def of(cls, error: ProsetError, place: str) -> ReadingProblem:
        """Return what an error says."""
        option = error.option if isinstance(error, TableError) else None
        return cls(place, str(error), option or "", tuple(getattr(error, "words", ())))


@dataclass(frozen=True)
class MissingGroup:
    """One word or number that may mean "missing", with all columns where it may.

    Attributes
    ----------
    guesses : tuple of MissingGuess
        One per column, at least one.
    """

    guesses: tuple[MissingGuess, ...]

    @property
    def words(self) -> tuple[MissingWord, ...]:
        """Words that would be declared."""
        return tuple(guess.word for guess in self.guesses)

    @property
    def message(self) -> str:
        """The finding in one or two sentences."""
        if len(self.guesses) == 1:
            return self.guesses[0].message
        first, count = self.guesses[0], sum(guess.count for guess in self.guesses)
        columns = listed((guess.word.column for guess in self.guesses), most=4)
        same = len({guess.reason for guess in self.guesses}) == 1
        why = f": {first.reason}." if same else f". In '{shown(first.word.column)}': {first.reason}."
        return (
            f"'{shown(first.word.text, 40)}' {first.meaning} in {len(self.guesses)} columns ({columns};"
            f" {count_words(count, 'cell')}){why}"
        )


def encoding_choices(found: str | None) -> list[str]:
    """Return the encodings that are offered, the one that was found in front.

    Examples
    --------
    >>> encoding_choices("cp1252")[:2], encoding_choices(None)[0]
    (['cp1252', 'utf-8'], 'as found')
    """
    if found is None:
        return [AS_FOUND, *ENCODINGS]
    same = codecs.lookup(found).name
    return [found, *(name for name in ENCODINGS if codecs.lookup(name).name != same)]


def encoding_label(name: str) -> str:
    """Return what an encoding is called in the list, with Python's name for those who know it."""
    if name == AS_FOUND:
        return name
    known = encoding_words({"iso8859-1": "latin-1"}.get(name, name))
    return known if known == name else f"{known}: {name}"


def is_doubtful(table: Table) -> bool:
    """Tell whether the encoding of a table is in doubt."""
    return any(issue.code == "doubtful_encoding" for issue in table.issues)


def is_same_reading(one: Table, other: Table) -> bool:
    """Tell whether two tables hold the same: one file, read in one way."""
    return one is other or (one.fingerprint, one.dialect) == (other.fingerprint, other.dialect)


def reading_words(table: Table) -> str:
    """Say how the file was read.

    Returns
    -------
    str
        One line, such as ``csv · encoding utf-8 · columns separated by semicolon · decimal mark: comma (1,5)``.
    """
    dialect = table.dialect
    parts = [str(dialect.kind)]
    if dialect.encoding:
        parts.append(f"encoding {encoding_label(dialect.encoding)}")
    if dialect.delimiter:
        parts.append(f"columns separated by {DELIMITER_WORDS.get(dialect.delimiter, repr(dialect.delimiter))}")
    if dialect.decimal:
        parts.append(f"decimal mark: {DECIMAL_WORDS.get(dialect.decimal, repr(dialect.decimal))}")
    if dialect.sheet:
        parts.append(f"sheet '{dialect.sheet}'")
    parts.append("first line holds the column names" if dialect.header else "no line with column names")
    if dialect.footer:
        parts.append(f"{count_words(dialect.footer, 'line')} below the table left out")
    if dialect.units:
        units = listed(dict.fromkeys(unit.text for unit in dialect.units), most=10)
        parts.append(f"read as numbers beside {units}")
    if dialect.missing:
        parts.append(f"counted as missing: {listed(dict.fromkeys(word.text for word in dialect.missing), most=10)}")
    return " · ".join(parts)


def missing_groups(table: Table, target: str | None = None) -> tuple[MissingGroup, ...]:
    """Return what may mean "missing" in a table, one group per word; those that can mean little else come first.

    Parameters
    ----------
    target : str or None
        The column to predict, where an answer such as "don't know" may be a class of interest.

    Returns
    -------
    tuple of MissingGroup
        Guesses of one word that are as sure as each other stand together.
    """
    sure: list[MissingGuess] = []
    open_: list[MissingGuess] = []
    for guess in guess_missing(table):
        told = guess
        if guess.answer and guess.word.column == target:
            told = replace(guess, severity=Severity.INFO, reason="it may also be a class of interest")
        (sure if told.severity is Severity.WARNING else open_).append(told)
    groups = []
    for guesses in (sure, open_):
        first = {guess.word.text: at for at, guess in reversed(list(enumerate(guesses)))}
        ordered = sorted(guesses, key=lambda guess: first[guess.word.text])
        groups += [MissingGroup(tuple(same)) for _, same in groupby(ordered, key=lambda guess: guess.word.text)]
    return tuple(groups)


def is_sure(group: MissingGroup) -> bool:
    """Tell whether a group can mean little else than missing."""
    return group.guesses[0].severity is Severity.WARNING


def own_word(table: Table, text: str, column: str | None) -> MissingWord:
    """Return a word that a person wrote, if there is a cell that holds it.

    Raises
    ------
    TableError
        If no cell does.
    """
    where = "No cell of the table" if column is None else f"No cell of column '{shown(column)}'"
    if not text.strip():
        raise TableError("No word or number is given.", hint="Write one; empty cells are missing anyway.")
    word = word_in(text, column)
    names = table.frame.columns if column is None else [column]
    if not any(cells_that_hold(table.frame[name], word.text).any() for name in names):
        raise TableError(f"{where} holds '{shown(word.text)}'.", hint="Write it as it stands in the table.")
    return word


def declared_groups(dialect: Dialect) -> list[tuple[str, tuple[MissingWord, ...]]]:
    """Return the declared words as (what and where, the words), one for each text.

    Examples
    --------
    >>> words = (MissingWord("-9", "a"), MissingWord("?", None), MissingWord("-9", "b"))
    >>> [text for text, _ in declared_groups(Dialect(missing=words))]
    ["'-9' in 'a', 'b'", "'?' in the whole table"]
    """
    found: dict[str, list[MissingWord]] = {}
    for word in dialect.missing:
        found.setdefault(word.text, []).append(word)
    result = []
    for text, words in found.items():
        columns = [word.column for word in words if word.column is not None]
        where = WHOLE_TABLE if len(columns) < len(words) else f"in {listed(columns, most=4)}"
        result.append((f"'{shown(text, 40)}' {where}", tuple(words)))
    return result


def roles_after(former: Roles, guess: RoleGuess, table: Table) -> Roles:
    """Return the roles for a table some of whose cells became missing: chosen ones stay, guessed ones are renewed.

    Parameters
    ----------
    table : Table
        The table as it is now, with the same columns.
    """
    renewed = guess_roles(table, target=former.target).roles.by_column
    roles = former
    for name, role in renewed.items():
        if name != former.target and role != former.by_column[name] == guess.roles.by_column.get(name):
            roles = roles.with_role(name, role)
    return roles


def with_former_columns(table: Table, former: Table) -> Table:
    """Add the days and hours that the former table had to one that was read again, where they can be counted."""
    for entry in former.derived:
        with suppress(ProsetError):
            table = add_again(table, entry)
    return table


def former_roles(table: Table, former: Roles) -> Roles:
    """Guess the roles of a table that was read again; target and classes stay where they still can be."""
    known = former.target if former.target in table.frame.columns else None
    roles = guess_roles(table, target=known).roles
    if former.classes is None or roles.target != former.target:
        return roles
    kept = roles.with_classes(former.classes)
    with suppress(ProsetError):
        check_roles(table, kept)
        return kept
    return roles


def units_words(units: Sequence[ColumnUnit]) -> str:
    """Say which units were declared, and where.

    Examples
    --------
    >>> units_words([ColumnUnit("kg", "weight"), ColumnUnit("%", "share"), ColumnUnit("%", "rate")])
    "'kg' in 'weight', '%' in 'share', 'rate'"
    """
    columns: dict[str, list[str]] = {}
    for unit in units:
        columns.setdefault(unit.text, []).append(unit.column)
    return ", ".join(f"'{shown(text)}' in {listed(names, most=4)}" for text, names in columns.items())


def models_words(count: int, *, first: bool = True, working: bool = False, said: bool = False) -> str:
    """Say what reading cells in another way does to models and to work under way.

    Parameters
    ----------
    count : int
        Models fitted so far to the table as it is.
    first : bool
        Whether nothing was declared here yet: what is left then comes back when all is taken back.
    working : bool
        Whether work is under way on the table as it is.
    said : bool
        Whether people have said something of its cases.
    """
    ends = " Work that is under way on it ends." if working else ""
    if count == 0:
        return f"Roles that were chosen and the split stay.{ends}"
    with_it = ", with what was said of its cases" if said else ""
    these = "the model fitted so far belongs" if count == 1 else f"the {count} models fitted so far belong"
    fate = "put aside until everything is taken back" if first else "closed, also when a word is taken back"
    return (
        "Reading cells in another way makes another table. Chosen roles, the split, requests and slices stay, but"
        f" {these} to the table as it is now: {'it is' if count == 1 else 'they are'} {fate}{with_it}.{ends}"
    )


def again_words(count: int) -> str:
    """Say what reading again does to roles, models and declared words."""
    models = "" if count == 0 else " The model fitted so far is closed." if count == 1 else " All models are closed."
    return (
        "Reading again starts from fresh column roles; the target stays if its column does, and so does what counts as"
        f" missing.{models}"
    )
