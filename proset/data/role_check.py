"""Check that roles describe a problem that a model can be fitted to; the last check before fitting."""

from __future__ import annotations

import pandas as pd
from pandas.api import types

from proset.common.errors import DesignError, RoleError
from proset.common.words import shown
from proset.data.cells import settle
from proset.data.classes import TargetClasses, check_labels
from proset.data.cuts import date_form
from proset.data.guessing import MOST_CODES, is_quantity
from proset.data.issues import Role
from proset.data.levels import LevelEncoder
from proset.data.number_target import check_numbers, target_numbers
from proset.data.profile import Profile, profile_column
from proset.data.quantities import DateEncoder, NumberEncoder
from proset.data.roles import Roles
from proset.data.table import Table


def check_kinds(table: object, roles: object) -> None:
    """Refuse what is no table or no roles, such as a frame, and say the way from one to the other.

    Raises
    ------
    TypeError
        If either is of another kind.

    Examples
    --------
    >>> check_kinds(pd.DataFrame({"a": [1]}), None)
    Traceback (most recent call last):
        ...
    TypeError: A Table is needed, not a DataFrame: make one with proset.read_table(frame).
    """
    if not isinstance(table, Table):
        raise TypeError(f"A Table is needed, not a {type(table).__name__}: make one with proset.read_table(frame).")
    if not isinstance(roles, Roles):
        way = "proset.data.role_guess.guess_roles(table, target=...).roles"
        raise TypeError(f"Roles are needed, not a {type(roles).__name__}: guess them with {way}.")


def check_roles(table: Table, roles: Roles) -> None:
    """Refuse roles that do not describe classes or a number to be predicted on this table.

    Parameters
    ----------
    roles : Roles
        A role for every column.

    Raises
    ------
    RoleError
        If a column is unknown or has no role, there is no target or no feature, the target is a quantity that is
        neither taken as a number nor cut into ranges, or a column does not fit its role. Names column and way out.
    """
    columns = dict.fromkeys(table.frame.columns)
    for name in (*roles.by_column, *columns):
        if name not in columns or name not in roles.by_column:
            problem = "is not in the table" if name not in columns else "has no role"
            raise RoleError(
                f"Column '{shown(name)}' {problem}.", column=name, hint="Guess the roles of this table again."
            )
    if roles.target is None:
        raise RoleError(
            "No column is the target.",
            hint="Give the role 'target' to the column that is to be told: classes or a number.",
        )
    if not roles.features:
        raise RoleError(
            "No column is left to learn from.",
            hint="Give at least one column the role numeric, categorical, boolean or date.",
        )
    _check_target(table.frame[roles.target], roles)
    for name in roles.features:
        _check_feature(table.frame[name], roles.by_column[name])


def _check_target(series: pd.Series, roles: Roles) -> None:
    """Refuse a target that holds no numbers where it is one, whose classes are not there, or a quantity as classes."""
    if roles.number:
        check_numbers(target_numbers(series.to_frame(), roles))
        return
    classes, profile = roles.classes, profile_column(series)
    quantity = is_quantity(profile)
    if classes is not None:
        if classes.cuts:
            _check_kind(profile, classes)
        labels = classes.label(series)
        # Few whole numbers, some of them rare, become classes when these are joined or set aside.
        few = profile.whole and classes.named(labels).nunique() <= MOST_CODES
        quantity = quantity and not (few or classes.cuts)
    if quantity:
        raise RoleError(
            f"Target '{shown(series.name)}' is a quantity with {profile.n_distinct:,} different values,"
            " not a few classes.",
            column=str(series.name),
            hint="Take it as a number, or as ranges (at the median, thirds, quarters or cuts of your own), or choose"
            " another target.",
        )
    if classes is not None:
        check_labels(classes, labels)


def _check_kind(profile: Profile, classes: TargetClasses) -> None:
    """Refuse cuts of numbers in a target of dates, and the other way round."""
    form = date_form(profile)
    if (form is None) != (classes.dates is None):
        held, cut = ("numbers", "dates") if form is None else ("dates", "numbers")
        raise RoleError(
            f"Target '{shown(profile.name)}' holds {held}, but the cuts are {cut}.",
            column=profile.name,
            hint="Choose the cuts again.",
        )


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
