"""Roles guessed from a table, with a reason each, and what is doubtful about roles that a person chose."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import pandas as pd

from proset.common.errors import RoleError
from proset.common.words import count_words, shown
from proset.data.cells import read_words
from proset.data.checks import MISSING_TARGET, missing_target, review
from proset.data.guessing import best_identifier, guess_feature, guess_target, is_quantity
from proset.data.identifiers import numbering
from proset.data.issues import Issue, Role, Severity
from proset.data.leakage import find_leaks
from proset.data.number_target import target_numbers, thirds
from proset.data.profile import DECIMAL_COMMA, Profile, profile_column
from proset.data.roles import FEATURE_ROLES, Roles
from proset.data.row_order import order_issues
from proset.data.split_candidates import still_asked
from proset.data.table import Table
from proset.data.target import target_labels, with_evident_order

_OF_CLASSES = {"one_class", "target_quantity", "small_class", "imbalanced"}
"""Findings about the values of a target as classes."""
_WRITE_NUMBERS = (
    "Read limits and units as numbers, count words that mean missing as missing, or write numbers into the file."
)
_WRITE_POINTS = "Write a point in place of the comma, or read a CSV or Excel file, where such a column is numbers."


@dataclass(frozen=True, eq=False)
class RoleGuess:
    """Guessed roles with what speaks for them and what to look at.

    Attributes
    ----------
    roles : Roles
        The guess.
    issues : tuple of Issue
        Findings, those about the whole table first, then in table order.
    reasons : mapping of str to str
        One short sentence per column.
    """

    roles: Roles
    issues: tuple[Issue, ...]
    reasons: Mapping[str, str]


def guess_roles(
    table: Table, target: str | None = None, *, groups: str | None = None, by_time: bool = False
) -> RoleGuess:
    r"""Guess what each column is for.

    Parameters
    ----------
    target : str or None
        The target, if the person has chosen one; None guesses it, and may find none.
    groups : str or None
        The column by which the split keeps rows together, if that is known: then it is not asked about.
    by_time : bool
        Whether the latest rows are held out: then nobody is asked about the order of the rows.

    Returns
    -------
    RoleGuess
        Roles, issues and reasons. Columns that hold nothing, one value or an exact copy of the target are set aside as
        extra; other doubtful columns keep their role and an issue says which one would resolve it.

    Raises
    ------
    RoleError
        If `target` is no column of the table.

    Examples
    --------
    >>> from proset.data.table import read_table
    >>> table = read_table(b"x,kind\n1.5,a\n2.5,b\n3.25,a\n4.5,b\n", name="small.csv")
    >>> guess = guess_roles(table)
    >>> guess.roles.target, guess.roles.features, guess.reasons["x"]
    ('kind', ('x',), 'Numbers.')
    """
    profiles = table.profiles
    if target is not None and target not in profiles:
        raise RoleError(
            f"There is no column '{shown(target)}'.", column=target, hint="Choose one of the table's columns."
        )
    why = "Chosen as the target."
    if target is None:
        target, why = guess_target(profiles)
    guesses = {name: guess_feature(profile) for name, profile in profiles.items()}
    guessed = {name: role for name, (role, _) in guesses.items()}
    reasons = {name: reason for name, (_, reason) in guesses.items()}
    best = best_identifier(
        profiles, [name for name, role in guessed.items() if role is Role.IDENTIFIER and name != target]
    )
    for name, role in guessed.items():
        if role is Role.IDENTIFIER and name not in (best, target):
            guessed[name] = Role.EXTRA
            reasons[name] += f" '{shown(best)}' names the rows already."
    by_column = dict(guessed)
    leaks = find_leaks(table.frame, profiles, target)
    for name, issue in leaks.items():
        if issue.code == "target_copy" and by_column[name] in FEATURE_ROLES:
            by_column[name] = Role.EXTRA
            reasons[name] = f"It says the same as the target '{shown(target)}'."
    if target is not None:
        by_column[target] = Role.TARGET
        reasons[target] = why
    issues = review(table.frame, profiles, by_column, leaks=leaks)
    if target is not None:
        issues += (*order_issues(table.frame, profiles, by_column, read_words(table.frame[target])),)
    roles = Roles(by_column, guessed)
    if target is not None and not is_quantity(profiles[target]):
        roles = with_evident_order(table.frame, roles)
    issues += (*_names_things(profiles, roles, issues), *_words_among_numbers(table, roles))
    found = still_asked(issues, table.frame, groups, by_time=by_time)
    return RoleGuess(roles, tuple(found), MappingProxyType(reasons))


def review_roles(table: Table, roles: Roles, *, groups: str | None = None, by_time: bool = False) -> tuple[Issue, ...]:
    """Find what is doubtful about roles that a person has changed.

    Parameters
    ----------
    roles : Roles
        A role for every column.
    groups, by_time
        As in :func:`guess_roles`.

    Returns
    -------
    tuple of Issue
        As in :class:`RoleGuess`, for these roles.
    """
    classes, profiles = _with_classes(table.frame, table.profiles, roles)
    kind = "third" if roles.number else "class"
    leaks = find_leaks(classes, profiles, roles.target, kind=kind)
    issues = review(table.frame, profiles, roles.by_column, leaks=leaks)
    if roles.number and classes is table.frame:  # not read as a number: nothing is to be said of its values as classes
        issues = tuple(issue for issue in issues if issue.column != roles.target or issue.code not in _OF_CLASSES)
    if roles.target is not None and roles.classes is not None:
        issues = tuple(_told_apart(issues, table.profiles[roles.target], profiles[roles.target]))
    if roles.target is not None:
        labels = read_words(classes[roles.target])
        issues += (*order_issues(table.frame, profiles, roles.by_column, labels, kind=kind),)
    things = (*_names_things(profiles, roles, issues), *_words_among_numbers(table, roles))
    return tuple(still_asked((*issues, *things), table.frame, groups, by_time=by_time))


def _told_apart(issues: Iterable[Issue], values: Profile, classes: Profile) -> Iterator[Issue]:
    """Tell rows without a value of the target from those of classes that a person has set aside."""
    aside, label = classes.n_missing - values.n_missing, shown(values.name)
    for issue in issues:
        if issue.code != MISSING_TARGET or not aside:
            yield issue
            continue
        if values.n_missing:
            yield missing_target(values)
        them, they = ("it", "it") if aside == 1 else ("them", "they")
        yield Issue(
            "set_aside",
            f"{count_words(aside, 'row')} of classes of '{label}' that are set aside: nothing is learned from {them},"
            f" {they} can be scored afterwards.",
            column=values.name,
            severity=Severity.INFO,
        )


def _with_classes(
    frame: pd.DataFrame, profiles: Mapping[str, Profile], roles: Roles
) -> tuple[pd.DataFrame, Mapping[str, Profile]]:
    """Put the classes in place of the target's values, so that findings are about what is learned.

    In place of numbers stand their thirds, which what says much of the number says, too. Equal ones stay together: what
    is said of their order and of what gives them away would be about the order of the rows.
    """
    if roles.target is None or (roles.classes is None and not roles.number):
        return frame, profiles
    made = frame.copy(deep=False)
    try:
        numbers = target_numbers(frame, roles) if roles.number else None
        made[roles.target] = target_labels(frame, roles) if numbers is None else thirds(numbers, parted=False)
    except RoleError:  # a number that cannot be read; said where it is fitted
        return frame, profiles
    return made, {**profiles, roles.target: profile_column(made[roles.target])}


def _names_things(profiles: Mapping[str, Profile], roles: Roles, told: Iterable[Issue]) -> Iterator[Issue]:
    """Point out numbers that name things but are used as amounts, where no other finding has a way out already."""
    settled = {issue.column for issue in told if issue.suggested_role is not None}
    for name, profile in profiles.items():
        role = roles.by_column.get(name)
        if role is Role.NUMERIC and name not in settled and (why := numbering(profile)) is not None:
            yield Issue(
                "number_as_name",
                f"'{shown(name)}' looks like numbers that name things. {why}",
                column=name,
                severity=Severity.INFO,
                suggested_role=Role.EXTRA,
            )


def _words_among_numbers(table: Table, roles: Roles) -> Iterator[Issue]:
    """Say that a column of numbers is not used because of some words, unless reading has said so."""
    told = {issue.column for issue in table.issues if issue.code == "stray_text"}
    for name, profile in table.profiles.items():
        if roles.by_column.get(name) is Role.TEXT and name not in told and profile.odd_word is not None:
            found, way_out = "most values are numbers, but some are not", _WRITE_NUMBERS
            if re.search(DECIMAL_COMMA, profile.odd_word):
                found, way_out = "numbers are written with a decimal comma", _WRITE_POINTS
            yield Issue(
                "words_among_numbers",
                f"Column '{shown(name)}': {found} (row {profile.odd_row}: '{shown(profile.odd_word, 40)}'), so it is"
                f" text and not used as a feature. {way_out}",
                column=name,
            )
