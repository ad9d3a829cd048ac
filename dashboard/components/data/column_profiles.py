"""Contents of the columns: a figure of the column that is chosen."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, words
from dashboard.services.data import column_profiles as service
from dashboard.services.params import Flag, Param
from dashboard.session import widgets
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from proset.data.classes import TargetClasses
from proset.data.column_profile import ColumnProfiles
from proset.data.roles import Role, Roles
from proset.data.split import SplitSettings
from proset.data.table import Table
from proset.plots.column_profile import plot_column_profile

_COLUMN = Param("profile.column", "")
_SHARES = Flag("profile.shares", False)


def find(opened: OpenTable) -> ColumnProfiles:
    """Return what the columns hold, looked at once per target and split."""
    roles = opened.recipe.roles
    found: ColumnProfiles = cache.derived(
        _profiles, opened.table, roles.target, roles.classes, roles.number, opened.recipe.split
    )
    return found


def show(session: Session, opened: OpenTable) -> None:
    """Show which rows the table speaks of, the choice of a column and its figure."""
    table, roles = opened.table, opened.recipe.roles
    found = find(opened)
    if not found.columns:
        return
    names = service.profile_frame(found, roles)["column"].tolist()
    st.caption(service.rows_words(found))
    chosen = session.get(_COLUMN) if session.get(_COLUMN) in found.columns else service.first_to_show(names, roles)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _choose(session, names, chosen, f"profile.column.{table.fingerprint[:12]}")
        if found.classes:
            widgets.toggle(
                session,
                _SHARES,
                "Shares of the ranges" if roles.number else "Shares of the classes",
                key="profile.shares",
            )
    by = (" by range of the target" if roles.number else " by class") if found.classes else ""
    shares = bool(found.classes) and session.get(_SHARES)
    figure_panel.show(
        lambda: plot_column_profile(found.columns[chosen], found.classes, shares=shares),
        owner=table,
        of=(chosen, shares, roles.target, roles.classes, roles.number, opened.recipe.split),
        key="profile.figure",
        file_name="column_profile",
        alt=f"Distribution of {words.bare(chosen)}{by}.",
    )


def _profiles(
    table: Table, target: str | None, classes: TargetClasses | None, number: bool, split: SplitSettings
) -> ColumnProfiles:
    """Look at every column; other roles than the target's do not matter."""
    by_column = {name: Role.TARGET if name == target else Role.EXTRA for name in map(str, table.frame)}
    return service.find_profiles(table, Roles(by_column, classes=classes, number=number), split)


def _choose(session: Session, names: list[str], chosen: str, key: str) -> None:
    """Show the choice of a column."""
    taken = partial(session.put, _COLUMN)
    widgets.held(st.selectbox, "Column", names, key=key, value=chosen, taken=taken, format_func=words.bare, width=360)
