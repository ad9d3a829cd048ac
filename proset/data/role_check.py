"""Whether roles describe a classification problem on a table; the last check before fitting."""

from __future__ import annotations

import pandas as pd
from pandas.api import types

from proset.common.errors import DesignError, RoleError
from proset.common.words import shown
from proset.data.cells import settle
from proset.data.guessing import is_quantity
from proset.data.issues import Role
from proset.data.levels import LevelEncoder
from proset.data.profile import profile_column
from proset.data.quantities import DateEncoder, NumberEncoder
from proset.data.roles import Roles
from proset.data.table import Table


def check_roles(table: Table, roles: Roles) -> None:
    """Refuse roles that do not describe a classification problem on this table.

    Parameters
    ----------
    table : Table
        The table.
    roles : Roles
        A role for every column.

    Raises
    ------
    RoleError
        If a column is unknown or has no role, there is no target or no feature, the target is a quantity, or a column
        does not fit its role. Names the column and the way out.
    """
    columns = dict.fromkeys(table.frame.columns)
    for name in (*roles.by_column, *columns):
        if name not in columns or name not in roles.by_column:
            problem = "is not in the table" if name not in columns else "has no role"
            raise RoleError(
                f"Column '{shown(name)}' {problem}.", column=name, hint="Guess the roles of this table again."
            )
    if roles.target is None:
        raise RoleError("No column is the target.", hint="Give the role 'target' to the column that holds the classes.")
    if not roles.features:
        raise RoleError(
            "No column is left to learn from.",
            hint="Give at least one column the role numeric, categorical, boolean or date.",
        )
    profile = profile_column(table.frame[roles.target])
    if is_quantity(profile):
        raise RoleError(
            f"Target '{shown(roles.target)}' is a quantity with {profile.n_distinct:,} different values,"
            " not a few classes.",
            column=roles.target,
            hint="Cut it into ranges (low, middle, high) in the file, or choose another target.",
        )
    for name in roles.features:
        _check_feature(table.frame[name], roles.by_column[name])


def _check_feature(series: pd.Series, role: Role) -> None:
    """Refuse a column whose cells do not fit its role; the cheap cases are let through by their type."""
    settled = settle(series)
    try:
        if role is Role.NUMERIC and not types.is_numeric_dtype(settled.dtype):
            NumberEncoder.fit(series)
        elif role is Role.DATE and not types.is_datetime64_dtype(settled.dtype):
            DateEncoder.fit(series)
        elif role is Role.BOOLEAN and not types.is_bool_dtype(settled.dtype):
            LevelEncoder.fit(series, role)
    except DesignError as error:
        raise RoleError(error.message, column=error.column, hint=error.hint) from error
