"""A table file and what its columns are for, as ``proset fit`` and ``proset compare`` take them."""

from __future__ import annotations

import argparse
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from proset.cli.fit_search import check_counts, option_names
from proset.cli.fit_target import add_target, as_number, check_target, stated_classes
from proset.cli.options import open_table, suggestions
from proset.cli.terminal import show_issues
from proset.common.errors import RoleError
from proset.common.words import shown
from proset.data.issues import Role

if TYPE_CHECKING:
    from proset.data.roles import Roles
    from proset.data.split import SplitSettings
    from proset.data.table import Table

_LISTED = 10


def add_table(parser: argparse.ArgumentParser) -> None:
    """Add the table and its target."""
    parser.add_argument(
        "table", type=Path, metavar="DATA", help="CSV, TSV, Excel, OpenDocument or Parquet file; may be gzipped"
    )
    parser.add_argument("-t", "--target", required=True, metavar="COLUMN", help="column that is predicted")


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add what the columns are for, and how classes are made of the target."""
    parser.add_argument("--id", metavar="COLUMN", help="column that names the rows; not used by the model")
    parser.add_argument(
        "--role", action="append", default=[], type=_role, metavar="COLUMN=ROLE",
        help="say what a column is: numeric, categorical, boolean, date, text, identifier, or extra (not used); "
        "can be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--days-between", action="append", default=[], metavar="A,B",
        help="add the days from date column A to date column B as a column; can be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--hour-of", action="append", default=[], metavar="COLUMN",
        help="add the hour of the day of a column of times, such as 18:30, as a column; can be given several times",
    )  # fmt: skip
    add_target(parser)


def add_split(parser: argparse.ArgumentParser) -> None:
    """Add which rows are held out; None stands for the default."""
    group = parser.add_argument_group("split")
    group.add_argument("--test-fraction", type=float, metavar="SHARE", help="share of rows held out (default 0.3)")
    group.add_argument(
        "--groups", metavar="COLUMN", help="keep rows with the same value together, such as the visits of one patient"
    )
    group.add_argument(
        "--time", metavar="COLUMN", help="hold out the latest rows by this column of dates or numbers; folds of a "
        "search learn from earlier rows only",
    )  # fmt: skip
    group.add_argument(
        "--file-order", action="store_true", default=None,
        help="hold out the last rows of the file: their order is that of time, without a column that says so",
    )  # fmt: skip
    group.add_argument("--seed", type=int, metavar="N", help="seed of the split and of the fit (default 0)")


def open_problem(args: argparse.Namespace, *, numbers: bool = False) -> tuple[Table, Roles]:
    """Read the table, guess and check what its columns are for, and show what was found odd.

    With `numbers` the target may be one: where that was asked for, and by itself where it is an amount.
    """
    from proset.data.role_guess import guess_roles, review_roles
    from proset.data.split import earlier_rows
    from proset.data.target import with_evident_order

    table = _with_hours(_with_days(open_table(args.table, args), args.days_between), args.hour_of)
    for column in (args.target, args.groups, args.time):
        if column is not None:
            _known(column, table)
    split = {"groups": args.groups, "by_time": bool(args.time is not None or args.file_order)}
    guess = guess_roles(table, target=args.target, **split)
    roles = _override(guess.roles, args, table)
    target = table.frame[args.target]
    classes = stated_classes(args, target, earlier_rows(target, stated_split(args), table.frame))
    if classes is not None:
        roles = with_evident_order(table.frame, roles.with_classes(classes))
    if numbers:
        roles = as_number(args, table, roles)
    issues = guess.issues if roles == guess.roles else review_roles(table, roles, **split)
    show_issues([*table.issues, *suggestions(table), *issues], quiet=args.quiet)
    check_target(table, roles)
    return table, roles


def stated_split(args: argparse.Namespace) -> SplitSettings:
    """Return the split with what was stated."""
    from proset.data.split import SplitSettings

    check_counts(args)
    stated = {
        "seed": args.seed, "test_fraction": args.test_fraction, "groups": args.groups, "time": args.time,
        "file_order": args.file_order,
    }  # fmt: skip
    with option_names():
        return SplitSettings(**{name: value for name, value in stated.items() if value is not None})


def _with_days(table: Table, pairs: list[str]) -> Table:
    """Add the columns that were asked for; names may hold commas themselves."""
    from proset.data.derived_columns import add_difference

    for pair in pairs:
        parts = pair.split(",")
        splits = [(",".join(parts[:at]), ",".join(parts[at:])) for at in range(1, len(parts))]
        if not splits:
            raise RoleError(f"--days-between '{shown(pair)}' is not A,B.", hint="Name two columns of dates.")
        known = [split for split in splits if set(split) <= set(table.frame.columns)]
        table = add_difference(table, *(known or splits)[0])
    return table


def _with_hours(table: Table, columns: list[str]) -> Table:
    """Add the hours that were asked for."""
    from proset.data.derived_columns import add_hour

    for column in columns:
        table = add_hour(table, column)
    return table


def _role(text: str) -> tuple[str, Role]:
    """Read COLUMN=ROLE; the column may hold '=' itself."""
    column, separator, role = text.rpartition("=")
    if not separator or role not in list(Role):
        raise argparse.ArgumentTypeError(f"'{text}' is not COLUMN=ROLE; roles are {', '.join(Role)}")
    return column, Role(role)


def _override(roles: Roles, args: argparse.Namespace, table: Table) -> Roles:
    """Return roles as guessed, with what the person said instead."""
    stated = [*args.role, *([(args.id, Role.IDENTIFIER)] if args.id is not None else [])]
    for column, role in stated:
        _known(column, table)
        roles = roles.with_role(column, role)
    return roles


def _known(column: str, table: Table) -> None:
    """Refuse a column that is not there, and say what may be meant."""
    columns = [str(name) for name in table.frame.columns]
    if column in columns:
        return
    near = get_close_matches(column, columns, n=1)
    listed = ", ".join(f"'{name}'" for name in columns[:_LISTED]) + (", ..." if len(columns) > _LISTED else "")
    hint = f"Its columns are {listed}."
    if near:
        hint = f"Did you mean '{near[0]}'?"
    elif table.dialect.header is False:
        hint = "Its first row was read as data; if it holds the names, add --header."
    raise RoleError(f"The table has no column '{column}'.", column=column, hint=hint)
