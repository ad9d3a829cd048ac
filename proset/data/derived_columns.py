"""Tables with columns that are made of others."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from proset.data.date_differences import DateDifference, make_difference
from proset.data.day_hours import make_hour
from proset.data.derived_rows import DerivedColumn
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.table import Table


def add_difference(table: Table, first: str, second: str) -> Table:
    r"""Return a table with the days between two dates as a column, which new rows will get as well.

    Parameters
    ----------
    table : Table
        Stays as it is.
    first, second : str
        Columns of the dates from which and to which days are counted.

    Returns
    -------
    Table
        The column stands behind that of the second date: numbers, missing where one of the dates is. The fingerprint is
        another one, because what was fitted without the column belongs to the table without it.

    Raises
    ------
    DesignError
        If a column is not there or holds no dates.

    Examples
    --------
    >>> from proset.data.table import read_table
    >>> rows = "in,out,ill\n2024-01-30,2024-02-02,yes\n2024-03-01,,no\n"
    >>> table = add_difference(read_table(rows.encode(), name="stays.csv"), "in", "out")
    >>> table.frame["days from in to out"].tolist()
    [3.0, nan]
    """
    return _with(table, make_difference(table.profiles, first, second))


def add_hour(table: Table, column: str) -> Table:
    r"""Return a table with the hours of a column of times as a column, which new rows will get as well.

    Parameters
    ----------
    table : Table
        Stays as it is.
    column : str
        Holds dates with times, or times of the day such as 18:30.

    Returns
    -------
    Table
        The column stands behind that of the times: numbers from 0 to 24, 18.5 for 18:30, missing where the time is.

    Raises
    ------
    DesignError
        If the column is not there or holds no times.

    Examples
    --------
    >>> from proset.data.table import read_table
    >>> table = add_hour(read_table(b"seen,ill\n18:30,yes\n7:15,no\n", name="visits.csv"), "seen")
    >>> table.frame["hour of seen"].tolist()
    [18.5, 7.25]
    """
    return _with(table, make_hour(table.frame, table.profiles, column))


def add_again(table: Table, entry: DerivedColumn) -> Table:
    """Return a table with a column that another one has, made as there; a DesignError where that cannot be."""
    if isinstance(entry, DateDifference):
        return add_difference(table, entry.first, entry.second)
    return add_hour(table, entry.column)


def _with(table: Table, entry: DerivedColumn) -> Table:
    """Return a table with one column more, behind the last of those that it is made of."""
    frame = table.frame.copy(deep=False)
    frame.insert(list(frame.columns).index(entry.columns[-1]) + 1, entry.name, entry.values(frame))
    words = "\n".join((table.fingerprint, entry.name, *entry.columns))
    return replace(
        table,
        frame=frame,
        derived=(*table.derived, entry),
        fingerprint=hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def with_new_columns(roles: Roles, table: Table) -> Roles:
    r"""Return roles for a table with further numeric columns, in its order; all others keep theirs.

    Examples
    --------
    >>> from proset.data.table import read_table
    >>> table = add_difference(read_table(b"a,b\n2024-01-30,2024-02-02\n2024-01-30,2024-02-03\n", name="t"), "a", "b")
    >>> list(with_new_columns(Roles({"a": Role.DATE, "b": Role.DATE}), table).by_column.values())[-1]
    <Role.NUMERIC: 'numeric'>
    """
    by_column = {name: roles.by_column.get(name, Role.NUMERIC) for name in table.frame.columns}
    guessed = {name: role for name, role in roles.guessed.items() if name in by_column}
    guessed |= {name: Role.NUMERIC for name in by_column if name not in roles.by_column} if guessed else {}
    return replace(roles, by_column=by_column, guessed=guessed)
