"""Doubts about a table and its roles, in plain words with the role that would resolve each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from proset.common.words import count_words, shown
from proset.data.capitals import capital_issues
from proset.data.date_differences import difference_issues
from proset.data.day_hours import hour_issues
from proset.data.guessing import is_quantity
from proset.data.issues import Issue, Role, Severity
from proset.data.levels import MOST_LEVELS, POOLED, fewest_rows
from proset.data.profile import CellKind, Profile
from proset.data.roles import FEATURE_ROLES
from proset.data.split_candidates import repeated_identifiers, repetition_issues
from proset.data.target import FEWEST_CLASS_ROWS

MISSING_TARGET = "target_missing"
"""Code of the finding that rows have no value of the target."""

_FEW_CODES = 6
_FIRST_COLUMNS = 20
_SMALL_CLASS_SHARE = 0.05


def review(
    frame: pd.DataFrame, profiles: Mapping[str, Profile], roles: Mapping[str, Role], *, leaks: Mapping[str, Issue]
) -> tuple[Issue, ...]:
    """Find everything that a person should know before fitting.

    Parameters
    ----------
    frame : DataFrame
        The table, index row.
    roles : mapping of str to Role
        A role per column.
    leaks : mapping of str to Issue
        Columns that give the target away, from :func:`~proset.data.leakage.find_leaks`.

    Returns
    -------
    tuple of Issue
        Findings about the whole table, then about the target, then column by column.
    """
    target = next((name for name, role in roles.items() if role is Role.TARGET), None)
    issues = [*_duplicates(frame, roles, profiles)]
    if target is not None:
        issues += [*_target_issues(profiles[target]), *capital_issues(profiles[target], Role.TARGET)]
        issues += repetition_issues(profiles, roles)
    issues += [
        issue for issue in difference_issues(frame, profiles, roles) if not {issue.column, issue.other} & {*leaks}
    ]
    repeated = repeated_identifiers(profiles, roles)
    for name, profile in profiles.items():
        if name == target:
            continue
        leak = leaks.get(name)
        if leak is not None and name in repeated and roles[name] not in FEATURE_ROLES:
            leak = None  # who a row belongs to says much about it; that is asked, and nobody learns from the name
        found = [*_column_issues(profile, roles[name]), *hour_issues(frame[name], profile, roles[name], profiles)]
        # A column that had better go needs no advice on how to use it, nor a second reason to go.
        issues += found if leak is None or leak.suggested_role is None else [i for i in found if i.code == "constant"]
        if leak is not None:
            issues.append(_unless_aside(leak, roles[name], Role.EXTRA))
    return tuple(issues)


def _duplicates(frame: pd.DataFrame, roles: Mapping[str, Role], profiles: Mapping[str, Profile]) -> Iterator[Issue]:
    """Rows that repeat another one in everything but the identifier."""
    columns = [name for name in frame.columns if roles.get(name) is not Role.IDENTIFIER]
    if not columns or any(profiles[name].unique for name in columns):
        return
    try:
        rest = frame[columns[:_FIRST_COLUMNS]]  # rows that differ in a few columns need no comparing of all of them
        rest = frame.loc[rest.duplicated(keep=False).to_numpy(), columns]
        count = int(rest.duplicated().sum())
    except TypeError:  # a column of lists: nothing to compare
        return
    if count:
        named = "but the identifier" if len(columns) < frame.shape[1] else "of the table"
        yield Issue(
            "duplicate_rows",
            f"{_rows(count)} repeat{'s' if count == 1 else ''} an earlier row in every column {named}."
            " Remove copies of a case in the file, else held-out rows are no fair test; different cases that look alike"
            " may stay.",
            severity=Severity.INFO,
        )


def missing_target(profile: Profile) -> Issue:
    """Say how many rows have no value of the target."""
    they = "it" if profile.n_missing == 1 else "they"
    return Issue(
        MISSING_TARGET,
        f"{_rows(profile.n_missing)} without a value of the target '{shown(profile.name)}': set aside for fitting,"
        f" {they} can be scored afterwards.",
        column=profile.name,
    )


def _target_issues(profile: Profile) -> Iterator[Issue]:
    """Say what is wrong with the target."""
    name, label = profile.name, shown(profile.name)
    if profile.n_missing and profile.n_distinct:
        yield missing_target(profile)
    if profile.n_distinct < 2:
        found = "is empty" if profile.n_distinct == 0 else "has the same value in every row"
        yield Issue(
            "one_class",
            f"The target '{label}' {found}; a classifier needs two classes.",
            column=name,
            severity=Severity.ERROR,
            suggested_role=Role.EXTRA,
        )
    elif is_quantity(profile):
        yield Issue(
            "target_quantity",
            f"The target '{label}' is a quantity with {profile.n_distinct:,} different values. Take it as ranges (at"
            " the median, thirds, quarters or cuts of your own), or choose another target.",
            column=name,
            severity=Severity.ERROR,
            suggested_role=Role.DATE if profile.kind is CellKind.DATE else Role.NUMERIC,
        )
    elif profile.counts is not None:
        yield from _class_sizes(name, profile.counts)
    else:
        yield Issue(
            "small_class",
            f"The target '{label}' has {profile.n_distinct:,} different values; choose a column with few classes.",
            column=name,
            severity=Severity.ERROR,
        )


def _class_sizes(name: str, counts: pd.Series) -> Iterator[Issue]:
    """Classes with too few rows, or with a small share of them."""
    label = shown(name)
    small = counts[counts < FEWEST_CLASS_ROWS]
    if len(small):
        yield Issue(
            "small_class",
            f"{count_words(len(small), 'class', 'classes')} of the target '{label}' with fewer than {FEWEST_CLASS_ROWS}"
            f" rows: {_named(small)}. Join these classes with others, set them aside, or add rows of them.",
            column=name,
            severity=Severity.ERROR,
        )
    rare = counts[counts < _SMALL_CLASS_SHARE * counts.sum()]
    if (rare >= FEWEST_CLASS_ROWS).any() and len(counts) * _SMALL_CLASS_SHARE <= 0.5:
        yield Issue(
            "imbalanced",
            f"{count_words(len(rare), 'class', 'classes')} of the target '{label}'"
            f" with less than {_SMALL_CLASS_SHARE:.0%}"
            f" of the rows: {_named(rare)}. Judge the model by balanced accuracy and log-loss, not by accuracy.",
            column=name,
            severity=Severity.INFO,
        )


def _column_issues(profile: Profile, role: Role) -> Iterator[Issue]:
    """Say what is doubtful about a column that is not the target."""
    name, label = profile.name, shown(profile.name)
    if profile.in_grid:
        return
    if profile.n_distinct <= 1:
        found = "holds nothing" if profile.n_distinct == 0 else "has the same value in every filled cell"
        yield _unless_aside(Issue("constant", f"'{label}' {found}, so it tells no rows apart.", name), role, Role.EXTRA)
        return
    if profile.unique and (role is Role.IDENTIFIER or profile.kind is CellKind.TEXT or profile.gapless):
        message = f"'{label}' differs in every row, so it names rows and can teach the model nothing."
        yield _unless_aside(Issue("unique", message, name), role, Role.IDENTIFIER)
        return
    if profile.n_missing > profile.n_rows / 2:
        share = min(profile.n_missing / profile.n_rows, 0.99)
        message = f"'{label}' is missing in {share:.0%} of the rows ({profile.n_missing:,} of {profile.n_rows:,})."
        yield _unless_aside(Issue("mostly_missing", message, name), role, Role.EXTRA)
    if role is Role.NUMERIC:
        yield from _number_issues(profile)
    if role is Role.DATE and len(profile.date_formats) > 1:
        yield Issue(
            "ambiguous_dates",
            f"Day and month of '{label}' cannot be told apart; they are read as"
            f" {_date_words(profile.date_formats[0])}.",
            column=name,
            severity=Severity.INFO,
        )
    if role is Role.CATEGORICAL:
        yield from _level_issues(profile)
        yield from capital_issues(profile, role)


def _unless_aside(issue: Issue, role: Role, suggested: Role) -> Issue:
    """Suggest a role, or say that the column is no feature anyway."""
    if role in (Role.EXTRA, Role.TEXT, Role.IDENTIFIER):
        return Issue(issue.code, f"{issue.message} It is not used as a feature.", issue.column, Severity.INFO)
    if issue.severity is Severity.INFO:
        return issue
    return Issue(issue.code, issue.message, issue.column, Severity.WARNING, suggested)


def _number_issues(profile: Profile) -> Iterator[Issue]:
    """Numbers in text, and few whole numbers that may be codes."""
    name, label = profile.name, shown(profile.name)
    if profile.stored_as_text:
        yield Issue(
            "number_as_text",
            f"'{label}' holds numbers written as text; they are read as numbers.",
            column=name,
            severity=Severity.INFO,
        )
    if profile.whole and 3 <= profile.n_distinct <= _FEW_CODES and profile.counts is not None:
        values = ", ".join(sorted(profile.counts.index, key=float))
        yield Issue(
            "few_numbers",
            f"'{label}' holds only the whole numbers {values}. If they are codes without an order, it is a category.",
            column=name,
            severity=Severity.INFO,
            suggested_role=Role.CATEGORICAL,
        )


def _level_issues(profile: Profile) -> Iterator[Issue]:
    """Say how many values of a category are told apart, and which are not: one finding for both."""
    name, label, fewest = profile.name, shown(profile.name), fewest_rows(profile.n_rows)
    if profile.counts is None:  # more than anybody lists
        yield Issue(
            "many_levels",
            f"'{label}' has {profile.n_distinct:,} different values; at most the {MOST_LEVELS} most frequent ones are"
            f" told apart, and all others count as one, '{POOLED}'.",
            column=name,
            suggested_role=Role.EXTRA,
        )
        return
    kept = min(int((profile.counts >= fewest).sum()), MOST_LEVELS)
    rest = profile.counts.iloc[kept:]
    if not len(rest):
        return
    values = f"'{label}' has {profile.n_distinct:,} different values"
    if kept == 0:
        yield Issue(
            "rare_levels",
            f"{values}, each in fewer than {count_words(fewest, 'row')}: too rare to be told apart, so the model can"
            " learn nothing from them.",
            column=name,
            suggested_role=Role.EXTRA,
        )
        return
    told = "the most frequent one is" if kept == 1 else f"the {kept} most frequent ones are"
    others = (
        f"the other {len(rest):,}, such as {_named(rest.iloc[:1])}, count"
        if len(rest) > 1
        else (f"the other one, {_named(rest)}, counts")
    )
    many = profile.n_distinct > MOST_LEVELS
    yield Issue(
        "many_levels" if many else "rare_levels",
        f"{values}; {told} told apart, and {others} as {'one' if len(rest) > 1 else 'rare'}, '{POOLED}'.",
        column=name,
        severity=Severity.WARNING if many else Severity.INFO,
        suggested_role=Role.EXTRA if many else None,
    )


def _date_words(form: str) -> str:
    """Return a date format in words."""
    return "day before month" if form.startswith("%d") else "month before day"


def _named(counts: pd.Series) -> str:
    """Return the first three levels with their rows."""
    listed = ", ".join(f"'{shown(level, 40)}' ({_rows(int(n))})" for level, n in counts.iloc[:3].items())
    return listed + (f" and {len(counts) - 3:,} more" if len(counts) > 3 else "")


def _rows(count: int) -> str:
    """Return rows in words."""
    return count_words(count, "row", "rows")
