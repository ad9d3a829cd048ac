"""A table's facts, findings and class counts for the Data page, as plain frames and texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dashboard.texts.data import ROLE_HELP
from proset.common.errors import RoleError
from proset.common.words import shown
from proset.data.column_profile import value_word
from proset.data.issues import Issue, Role, Severity
from proset.data.number_split import split_table
from proset.data.risks import worst_first
from proset.data.role_check import check_roles
from proset.data.role_guess import RoleGuess, review_roles
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.data.split_candidates import still_asked
from proset.data.table import Table
from proset.data.target import check_classes, class_order, target_labels

_EXAMPLE_LENGTH = 60
MOST_CLASSES_SHOWN = 40
PREVIEW_ROWS, PREVIEW_COLUMNS = 200, 60
"""Bounds on the part of a table that is shown at once."""


@dataclass(frozen=True, eq=False)
class Preview:
    """The first rows and columns of a table.

    Attributes
    ----------
    frame : DataFrame
        What is shown.
    note : str
        What is left out; empty if nothing is.
    days : tuple of str
        Columns that hold days without a time.
    """

    frame: pd.DataFrame
    note: str
    days: tuple[str, ...]


def preview(table: Table) -> Preview:
    """Return the beginning of a table, small enough to be drawn at once.

    Returns
    -------
    Preview
        At most :data:`PREVIEW_ROWS` rows and :data:`PREVIEW_COLUMNS` columns.
    """
    n_rows, n_columns = table.frame.shape
    parts = []
    if n_rows > PREVIEW_ROWS:
        parts.append(f"the first {PREVIEW_ROWS} of {n_rows:,} rows")
    if n_columns > PREVIEW_COLUMNS:
        parts.append(f"the first {PREVIEW_COLUMNS} of {n_columns:,} columns")
    note = f"Shown here: {' and '.join(parts)}. None is left out because of that." if parts else ""
    frame = table.frame.iloc[:PREVIEW_ROWS, :PREVIEW_COLUMNS]
    times = frame.select_dtypes("datetime")
    days = tuple(str(column) for column in times if _are_days(times[column].dropna()))
    return Preview(frame, note, days)


def column_facts(table: Table) -> pd.DataFrame:
    """Return what does not depend on roles: share of missing values and an example, per column.

    Parameters
    ----------
    table : Table
        Of any size; every value is looked at once.

    Returns
    -------
    DataFrame
        Index ``column``; columns ``missing`` (per cent, 0 to 100) and ``example`` (text of the first value).
    """
    frame = table.frame
    return pd.DataFrame(
        {
            "missing": 100.0 * frame.isna().mean().to_numpy(dtype=float),
            "example": [_example(frame[column]) for column in frame.columns],
        },
        index=pd.Index(frame.columns, name="column"),
    )


def column_table(facts: pd.DataFrame, guess: RoleGuess, roles: Roles) -> pd.DataFrame:
    """Return the table in which roles are edited: one row per column.

    Parameters
    ----------
    facts : DataFrame
        From :func:`column_facts`.

    Returns
    -------
    DataFrame
        Columns ``column``, ``role``, ``missing`` (per cent), ``example`` and ``reason``.
    """
    columns = list(facts.index)
    return pd.DataFrame(
        {
            "column": columns,
            "role": [str(roles.by_column[column]) for column in columns],
            "missing": facts["missing"].to_numpy(),
            "example": facts["example"].to_numpy(),
            "reason": [_reason(column, guess, roles) for column in columns],
        }
    )


def findings(table: Table, roles: Roles, guess: RoleGuess) -> list[Issue]:
    """Return what was found about the table and its columns, the worst first.

    A finding that is settled, because its column already has the suggested role, is left out.

    Parameters
    ----------
    table : Table
        With the issues found while reading.
    guess : RoleGuess
        What was guessed, with its own findings; they hold as long as its roles do.

    Returns
    -------
    list of Issue
        What blocks fitting, then warnings, then what is good to know.
    """
    about_roles = guess.issues if roles == guess.roles else review_roles(table, roles)
    found = [*dict.fromkeys((*table.issues, *about_roles))]
    problem = fit_problem(table, roles)
    if problem is not None and not any(issue.severity is Severity.ERROR for issue in found):
        found.insert(0, Issue("cannot_fit", str(problem), problem.column, Severity.ERROR))
    return worst_first(issue for issue in found if not _settled(issue, roles))


def still_open(table: Table, roles: Roles, guess: RoleGuess, split: SplitSettings) -> list[Issue]:
    """Return the :func:`findings` that a split does not answer by keeping rows together or holding out the latest."""
    found = findings(table, roles, guess)
    return worst_first(still_asked(found, table.frame, split.groups, by_time=split.by_time))


def fit_problem(table: Table, roles: Roles) -> RoleError | None:
    """Return why these roles cannot be fitted, or None if they can.

    Returns
    -------
    RoleError or None
        Names the column and the way out.
    """
    try:
        check_roles(table, roles)
        check_classes(target_labels(table.frame, roles))
    except RoleError as error:
        return error
    return None


def apply_suggestions(roles: Roles, issues: Sequence[Issue]) -> Roles:
    """Return the roles after every suggestion of one is followed; the target is never changed this way."""
    for issue in issues:
        if issue.column is not None and issue.suggested_role is not None and issue.column != roles.target:
            roles = roles.with_role(issue.column, issue.suggested_role)
    return roles


def class_counts(table: Table, roles: Roles, split: SplitSettings) -> pd.DataFrame:
    """Count the rows of each class in both parts of the split.

    Returns
    -------
    DataFrame of int
        Index: classes; columns ``training`` and ``held out``.

    Raises
    ------
    RoleError
        If there is no target, or its classes cannot be divided.
    StudyError
        If the rows cannot be divided by the columns that the split names.
    """
    labels = target_labels(table.frame, roles)
    parts = split_table(table.frame, roles, split)
    rows = {"training": pd.Index(parts.train), "held out": pd.Index(parts.held_out)}
    frame = pd.DataFrame({name: labels.loc[ids].value_counts() for name, ids in rows.items()})
    return frame.fillna(0).astype("int64").reindex(pd.Index(class_order(roles, frame.index)))


def balance_words(counts: pd.DataFrame) -> str:
    """Say how many rows each class has, for those who cannot see the figure.

    Parameters
    ----------
    counts : DataFrame
        From :func:`class_counts`, or without a split.

    Examples
    --------
    >>> balance_words(pd.DataFrame({"training": [7], "held out": [3]}, index=["cat"]))
    "Rows of each class: 'cat' 7 training, 3 held out."
    """
    each = (
        f"'{shown(label)}' " + ", ".join(f"{count} {part}" for part, count in line.items())
        for label, line in counts.iterrows()
    )
    return f"Rows of each class: {'; '.join(each)}."


def unlabelled_rows(table: Table, roles: Roles) -> int:
    """Return how many rows have no target value; they are set aside."""
    return int(target_labels(table.frame, roles).isna().sum())


def _are_days(times: pd.Series) -> bool:
    """Tell whether all times are midnight."""
    return bool((times == times.dt.normalize()).all())


def _example(values: pd.Series) -> str:
    """Return the first value that is not missing, as short text."""
    first = values.first_valid_index()
    if first is None:
        return ""
    value = values.loc[first]
    if isinstance(value, (int, float, np.number)) and not isinstance(value, bool):
        return value_word(float(value))
    text = str(value.date() if isinstance(value, pd.Timestamp) and value == value.normalize() else value)
    return text if len(text) <= _EXAMPLE_LENGTH else text[: _EXAMPLE_LENGTH - 1] + "…"


def _reason(column: str, guess: RoleGuess, roles: Roles) -> str:
    """Say why the column has its role: the guess's reason, or that a person chose it."""
    role = roles.by_column[column]
    if guess.roles.by_column.get(column) == role:
        return guess.reasons.get(column, "")
    return f"Chosen: {ROLE_HELP[role]}."


def _settled(issue: Issue, roles: Roles) -> bool:
    """Return True if the column already has the role the issue suggests, or is no longer used."""
    if issue.column is None or issue.suggested_role is None:
        return False
    return roles.by_column.get(issue.column) in (issue.suggested_role, Role.EXTRA)
