"""Options that several commands share: how a table file is to be read."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from proset.cli.paths import table_file
from proset.common.errors import TableError

if TYPE_CHECKING:
    import pandas as pd

    from proset.data.issues import Issue
    from proset.data.reading.dialect import ColumnUnit, Dialect, MissingWord
    from proset.data.table import Table
    from proset.study.any_study import AnyStudy
    from proset.study.case import Case

Commands = Any  # argparse does not export the type of its group of commands


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options that override what is found out about a file."""
    group = parser.add_argument_group("reading the table (found out unless stated)")
    group.add_argument("--encoding", metavar="NAME", help="text encoding, such as utf-8, cp1252, gb18030")
    group.add_argument("--delimiter", metavar="CHAR", type=_delimiter, help="one character, or 'tab'")
    group.add_argument("--decimal", metavar="CHAR", choices=[".", ","], help="decimal mark: '.' or ','")
    group.add_argument(
        "--header", action=argparse.BooleanOptionalAction, default=None, help="whether the first row holds column names"
    )
    group.add_argument("--sheet", metavar="NAME", help="sheet of an Excel file")
    group.add_argument("--footer", metavar="N", type=int, help="lines below the table that are no cases, such as a sum")
    group.add_argument(
        "--missing", action="append", default=[], metavar="[COLUMN=]WORD",
        help="a word or number that means 'missing', such as -999 or 'dose=k.A.'; can be given several times; write "
        "--missing==WORD for a word that holds '='",
    )  # fmt: skip
    group.add_argument(
        "--unit", action="append", default=[], metavar="COLUMN=UNIT",
        help="a unit beside the numbers of a column, such as 'weight=kg' for '80.3 kg'; can be given several times",
    )  # fmt: skip


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Add ``--quiet``."""
    parser.add_argument("-q", "--quiet", action="store_true", help="print errors only")


def reading_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the overrides as keywords of :func:`proset.data.table.read_table`."""
    return {name: getattr(args, name) for name in ("encoding", "delimiter", "decimal", "header", "sheet", "footer")}


def open_table(path: Path, args: argparse.Namespace, known: Dialect | None = None) -> Table:
    """Read a table with the overrides that were given; what was declared of a `known` one holds in it as well."""
    from proset.data.guarded import read_table_guarded
    from proset.data.missing_words import declare
    from proset.data.reading.dialect import Limits

    with named_options(args), table_file(path, most=Limits().max_bytes) as file:
        table = read_table_guarded(file, **reading_options(args))
    words, units = declared(args, table.frame.columns)
    return declare(table, words, units=units, known=known)


def declared(args: argparse.Namespace, columns: pd.Index) -> tuple[list[MissingWord], list[ColumnUnit]]:
    """Return the words that mean missing and the units that were given, of these columns."""
    from proset.data.missing_words import column_unit, missing_word

    return [missing_word(text, columns) for text in args.missing], [column_unit(text, columns) for text in args.unit]


def open_case(study: AnyStudy, args: argparse.Namespace) -> Case:
    """Return the row that was named: of the model's table, or of another one where that is given."""
    from proset.study.find_row import find_row

    if args.table is None:
        return study.case(study.row_of(args.row))
    frame = open_table(args.table, args, study.table.dialect).frame
    return study.case(frame.loc[[find_row(frame, args.row, identifier=study.roles.identifier)]])


def suggestions(table: Table) -> list[Issue]:
    """Return words that may mean missing, and units, as findings that say how to declare them."""
    from proset.data.missing_guess import guess_missing
    from proset.data.unit_guess import guess_units

    found = []
    for guess in guess_missing(table):
        option = quote(f"--missing={guess.word.column}={guess.word.text}")
        found.append(replace(guess.issue(), message=f"{guess.message} To count it as missing: {option}"))
    for unit in guess_units(table):
        option = quote(f"--unit={unit.unit.column}={unit.unit.text}")
        found.append(replace(unit.issue(), message=f"{unit.message} To read the number alone: {option}"))
    return found


@contextmanager
def named_options(args: argparse.Namespace) -> Iterator[None]:
    """Let a message about how a file is read name the option that says it, unless it was given."""
    try:
        yield
    except TableError as error:
        if error.option is None or getattr(args, error.option) is not None:
            raise
        hint = " ".join(filter(None, (error.hint, f"Use --{error.option}.")))
        raise TableError(error.message, column=error.column, hint=hint) from error


def _delimiter(text: str) -> str:
    r"""Read one character; 'tab' and '\\t' stand for a tab."""
    if text in ("tab", "\\t"):
        return "\t"
    if len(text) != 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not one character; give ',', ';', '|' or tab")
    return text
