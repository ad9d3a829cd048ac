"""Options of ``proset fit`` that say whether the target is a number, and how classes are made of it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from proset.common.errors import RoleError
from proset.common.words import shown

if TYPE_CHECKING:
    import pandas as pd

    from proset.data.classes import TargetClasses
    from proset.data.roles import Roles
    from proset.data.table import Table

# Which options do what a way out says, by how it begins.
_OPTIONS = {"Join these classes": "--join, --set-aside"}
# Ways out that pages offer, as the command line has them.
_HINTS = {
    "Take it as a number": "Take it as ranges (at the median, thirds, quarters or cuts of your own). Options: --cuts.",
    "Say on the Data page": "Say that it means missing with --missing COLUMN=WORD, correct the file, or leave out"
    " --number.",
    "Take each value as a class": "Leave out --number to take each value as a class, or choose another target.",
}
_PARTS = {"median": 2, "thirds": 3, "quarters": 4}


def add_target(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser of ``proset fit``."""
    group = parser.add_argument_group(
        "classes of the target", "A list is separated by commas; each option but --cuts can be given several times."
    )
    group.add_argument(
        "--cuts", metavar="WHERE",
        help="take numbers or dates as ranges: median, thirds, quarters, or cuts such as 1.5,3 (a range ends with its "
        "cut; one of dates begins with it); --cuts=-1,2 where the first one is negative",
    )  # fmt: skip
    group.add_argument(
        "--join", action="append", default=[], metavar="NAME=A,B",
        help="make one class of several, or give a class another name: --join other=c,d",
    )  # fmt: skip
    group.add_argument(
        "--set-aside", action="append", default=[], metavar="A,B",
        help="leave out the rows of these classes; they get estimates, but nothing is learned from them",
    )  # fmt: skip
    group.add_argument(
        "--order", action="append", default=[], metavar="A,B",
        help="order of the classes in tables and figures; those not named follow",
    )  # fmt: skip


def add_number(parser: argparse.ArgumentParser) -> None:
    """Add what takes the target as a number."""
    parser.add_argument(
        "--number", action="store_true",
        help="take the target as a number, which the model states as a distribution; amounts, such as prices, are "
        "taken so by themselves unless an option makes classes of them",
    )  # fmt: skip
    parser.add_argument(
        "--calibrate", action="store_true",
        help="of a number: move the ends of intervals until they hold what they promise of training rows, each judged "
        "by a model that has not seen it (conformal prediction; five more fits)",
    )  # fmt: skip


def stated_classes(
    args: argparse.Namespace, series: pd.Series, earlier: pd.Index | None = None
) -> TargetClasses | None:
    """Return how classes are made of the target.

    Parameters
    ----------
    args : Namespace
        With the options of :func:`add_target`.
    series : Series
        The target as it was read.
    earlier : Index or None
        Rows before the latest ones, on which equal ranges are cut; None for all.

    Returns
    -------
    TargetClasses or None
        None where nothing was stated; what the table lacks is refused by the check of roles.

    Raises
    ------
    RoleError
        If an option is impossible; says which and why.
    """
    from proset.data.classes import TargetClasses

    if args.cuts is None and not (args.join or args.set_aside or args.order):
        return None
    classes = TargetClasses() if args.cuts is None else _cut(args.cuts, series, earlier)
    labels = list(dict.fromkeys(classes.label(series).dropna())) or list(classes.labels)
    there = dict.fromkeys([*classes.labels, *labels])
    for text in args.join:
        name, joined = _read_join(text, there)
        classes = classes.joined(joined, name)
    for text in args.set_aside:
        classes = classes.without(read_list(text, there))
    names = dict.fromkeys(classes.names.get(label, label) for label in there)
    order = tuple(name for text in args.order for name in read_list(text, names))
    return TargetClasses(classes.cuts, classes.names, classes.set_aside, order, classes.dates)


def as_number(args: argparse.Namespace, table: Table, roles: Roles) -> Roles:
    """Return roles whose target is a number if that was asked for, or nothing was said of an amount.

    Raises
    ------
    RoleError
        If a number and classes are asked for.
    """
    from proset.data.guessing import is_quantity
    from proset.data.profile import CellKind, profile_column

    asked = {"--cuts": args.cuts is not None, "--join": args.join, "--set-aside": args.set_aside, "--order": args.order}
    said = [option for option, given in asked.items() if given]
    if args.number and said:
        told = f"--number takes '{shown(args.target)}' as a number, and {said[0]} makes classes of it."
        raise RoleError(told, column=args.target, hint="Leave one of them out.")
    profile = profile_column(table.frame[args.target])
    by_itself = not said and profile.kind is CellKind.NUMBER and is_quantity(profile)
    return roles.as_number() if args.number or by_itself else roles


def check_target(table: Table, roles: Roles) -> None:
    """Refuse roles and classes that cannot be fitted, naming the options that help.

    Raises
    ------
    RoleError
        As :func:`proset.data.role_check.check_roles` and :func:`proset.data.target.check_classes` do.
    """
    from proset.data.role_check import check_roles
    from proset.data.target import check_classes, target_labels

    try:
        check_roles(table, roles)
        if not roles.number:
            check_classes(target_labels(table.frame, roles))
    except RoleError as error:
        hint = next((said for begins, said in _HINTS.items() if (error.hint or "").startswith(begins)), None)
        if hint is not None:
            raise RoleError(error.message, column=error.column, hint=hint) from error
        options = next((said for begins, said in _OPTIONS.items() if (error.hint or "").startswith(begins)), None)
        if options is None:
            raise
        raise RoleError(error.message, column=error.column, hint=f"{error.hint} Options: {options}.") from error


def read_list(text: str, known: Iterable[str]) -> tuple[str, ...]:
    """Read names separated by commas; a name that is known may hold commas itself.

    Examples
    --------
    >>> read_list("a, b", ["a", "b"]), read_list("yes, partly,no", ["yes, partly", "no"])
    (('a', 'b'), ('yes, partly', 'no'))
    """
    names, pieces = set(known), text.split(",")
    found = []
    while pieces:
        # The longest run of pieces that is a name; one piece where none is.
        ends = (end for end in range(len(pieces), 1, -1) if ",".join(pieces[:end]).strip() in names)
        end = next(ends, 1)
        found.append(",".join(pieces[:end]).strip())
        pieces = pieces[end:]
    return tuple(name for name in found if name)


def _cut(text: str, series: pd.Series, earlier: pd.Index | None) -> TargetClasses:
    """Return the ranges that a word or a list of cuts stands for."""
    from proset.data.cuts import equal_ranges, read_cuts
    from proset.data.profile import profile_column

    profile, word = profile_column(series), text.strip().lower()
    if word not in _PARTS:
        return read_cuts(text, profile)
    return equal_ranges(series if earlier is None else series.loc[earlier], profile, _PARTS[word])


def _read_join(text: str, known: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """Read NAME=A,B; both sides may hold '=', so the first place is taken behind which all names are known."""
    places = [at for at, letter in enumerate(text) if letter == "="]
    if not places:
        raise RoleError(f"'{shown(text)}' is not NAME=A,B.", hint="Write the new name, '=', and the classes to join.")
    names = set(known)
    fits = (at for at in places if set(read_list(text[at + 1 :], names)) <= names)
    at = next(fits, places[0])
    joined = read_list(text[at + 1 :], names)
    if not joined:
        raise RoleError(f"'{shown(text)}' names no class to join.", hint="Write them behind '=', such as other=c,d.")
    return text[:at].strip(), joined
