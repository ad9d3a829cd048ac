"""Contents of the columns: a table with small charts, and a figure of the column that is chosen."""

from __future__ import annotations

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, words
from dashboard.services.data import column_profiles as service
from dashboard.services.params import Flag, Param
from dashboard.session import widgets
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from dashboard.texts.data import RELATION_HELP
from proset.data.classes import TargetClasses
from proset.data.column_profile import ColumnProfiles
from proset.data.roles import Role, Roles
from proset.data.split import SplitSettings
from proset.data.table import Table
from proset.plots.column_profile import plot_column_profile

_COLUMN = Param("profile.column", "")
_VERSION = Param("profile.version", 0)
_SHARES = Flag("profile.shares", False)


def show(session: Session, opened: OpenTable) -> None:
    """Show the table, the choice of a column and its figure."""
    table, roles, split = opened.table, opened.recipe.roles, opened.recipe.split
    found = cache.derived(_profiles, table, roles.target, roles.classes, split)
    if not found.columns:
        return
    frame = service.profile_frame(found, roles)
    names = frame["column"].tolist()
    key = f"profile.table.{table.fingerprint[:12]}.{session.get(_VERSION)}"
    st.dataframe(
        frame if found.classes else frame.drop(columns="relation"),
        key=key,
        hide_index=True,
        height=min(38 + 35 * len(frame), 388),
        on_select=lambda: _take_row(session, key, names),
        selection_mode="single-row",
        column_config={
            "column": st.column_config.TextColumn("Column", pinned=True, width=150),
            "role": st.column_config.TextColumn("Role", width=80),
            "relation": st.column_config.ProgressColumn(
                "Relation to target", min_value=0, max_value=100, format="%.1f %%", width=125, help=RELATION_HELP
            ),
            "distribution": st.column_config.BarChartColumn("Distribution", y_min=0, width=110),
            "distinct": st.column_config.NumberColumn("Distinct", format="localized", width=70),
            "missing": st.column_config.NumberColumn("Missing", format="%.1f %%", width=70),
            "lowest": st.column_config.TextColumn("Lowest", width=85),
            "typical": st.column_config.TextColumn("Typical", width=95, help="The median, or the most frequent word."),
            "highest": st.column_config.TextColumn("Highest", width=85),
        },
    )
    st.caption(service.rows_words(found))
    chosen = session.get(_COLUMN) if session.get(_COLUMN) in found.columns else names[0]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _choose(session, names, chosen, f"profile.column.{table.fingerprint[:12]}")
        if found.classes:
            widgets.toggle(session, _SHARES, "Shares of the classes", key="profile.shares")
    shares = bool(found.classes) and session.get(_SHARES)
    figure_panel.show(
        plot_column_profile(found.columns[chosen], found.classes, shares=shares),
        key="profile.figure",
        file_name="column_profile",
        alt=f"Distribution of {words.bare(chosen)}" + (" by class." if found.classes else "."),
    )


def _profiles(table: Table, target: str | None, classes: TargetClasses | None, split: SplitSettings) -> ColumnProfiles:
    """Look at every column; other roles than the target's do not matter."""
    by_column = {name: Role.TARGET if name == target else Role.EXTRA for name in map(str, table.frame)}
    return service.find_profiles(table, Roles(by_column, classes=classes), split)


def _choose(session: Session, names: list[str], chosen: str, key: str) -> None:
    """Show the choice of a column; a line that is marked in the table is unmarked by it."""

    def take() -> None:
        session.put(_COLUMN, widgets.says(key))
        session.put(_VERSION, session.get(_VERSION) + 1)

    widgets.shows(key, chosen)
    st.selectbox("Column", names, key=key, format_func=words.bare, on_change=take, width=360)


def _take_row(session: Session, key: str, names: list[str]) -> None:
    """Show the column whose line was clicked."""
    rows = widgets.says(key)["selection"]["rows"]
    if rows and rows[0] < len(names):
        session.put(_COLUMN, names[rows[0]])
