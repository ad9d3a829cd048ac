"""Options that several commands share: how a table file is to be read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proset.cli.paths import table_file

if TYPE_CHECKING:
    from proset.data.table import Table

Commands = Any  # argparse does not export the type of its group of commands


def add_reading(parser: argparse.ArgumentParser) -> None:
    """Add the options that override what is found out about a file."""
    group = parser.add_argument_group("reading the table (found out unless stated)")
    group.add_argument("--encoding", metavar="NAME", help="text encoding, such as utf-8 or cp1252")
    group.add_argument("--delimiter", metavar="CHAR", type=_delimiter, help="one character, or 'tab'")
    group.add_argument("--decimal", metavar="CHAR", choices=[".", ","], help="decimal mark: '.' or ','")
    group.add_argument(
        "--header", action=argparse.BooleanOptionalAction, default=None, help="whether the first row holds column names"
    )
    group.add_argument("--sheet", metavar="NAME", help="sheet of an Excel file")


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Add ``--quiet``."""
    parser.add_argument("-q", "--quiet", action="store_true", help="print errors only")


def reading_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the overrides as keywords of :func:`proset.data.table.read_table`."""
    return {name: getattr(args, name) for name in ("encoding", "delimiter", "decimal", "header", "sheet")}


def open_table(path: Path, args: argparse.Namespace) -> Table:
    """Read a table with the overrides that were given."""
    from proset.data.guarded import read_table_guarded
    from proset.data.reading.dialect import Limits

    with table_file(path, most=Limits().max_bytes) as file:
        return read_table_guarded(file, **reading_options(args))


def _delimiter(text: str) -> str:
    r"""Read one character; 'tab' and '\\t' stand for a tab."""
    if text in ("tab", "\\t"):
        return "\t"
    if len(text) != 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not one character; give ',', ';', '|' or tab")
    return text
