"""The Data page: choose a table, say what its columns mean, see what stands out."""

from __future__ import annotations

import streamlit as st

from dashboard.components import page, words
from dashboard.components.data import (
    balance,
    column_profiles,
    example_pictures,
    missing_words,
    role_editor,
    source,
    split_form,
    target_form,
    units,
)
from dashboard.services.data import columns as service
from dashboard.session import jobs, kept
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from dashboard.texts import kept as kept_text
from proset.study.any_study import AnyStudy


def render(session: Session, _: AnyStudy | None) -> None:
    """Draw the page."""
    opened = session.opened
    if opened is None:
        source.upload(session)
        page.section("Or start with an example")
        source.gallery(session)
        return
    # The key makes the expander fold again when another table is open, so that one sees the table.
    asked = session.wants_file
    with st.expander(
        "Open other data",
        icon=":material/folder_open:",
        key=f"data.other.{opened.table.fingerprint[:12]}.{asked}",
        expanded=asked,
    ):
        source.upload(session)
        source.gallery(session)
    _target(session, opened)
    page.section("Findings")
    role_editor.show_findings(session, opened)
    units.show(session, opened)
    missing_words.show(session, opened)
    example_pictures.show(opened)
    page.section("Columns")
    st.caption("Double-click a role to change it. Numeric, categorical, boolean and date columns go into the model.")
    role_editor.edit(session, opened)
    column_profiles.show(session, opened)
    _table(session, opened)
    jobs.get_ready()


def _table(session: Session, opened: OpenTable) -> None:
    """Show the table's size, its first rows and how it was read."""
    page.section(f"The rows of {words.label(opened.table.name)}")
    shown = service.preview(opened.table)
    st.dataframe(shown.frame, height=220, column_config={day: st.column_config.DateColumn() for day in shown.days})
    if shown.note:
        st.caption(shown.note)
    missing_words.form(session, opened)
    source.reading_options(session, opened)
    if opened.source is not None:
        st.caption(kept_text.STAYS if kept.is_kept(session) else kept_text.HELD)


def _target(session: Session, opened: OpenTable) -> None:
    """Show the choice of the target, how classes are made of it, the split, and the class balance beside them."""
    grid = st.grid(2, min_column_width=300, gap="medium")
    with grid.cell():
        role_editor.choose_target(session, opened)
        target_form.ranges(session, opened)
        roles = opened.recipe.roles
        held_out = opened.recipe.split.words_for(number=None if roles.target is None else roles.number)
        # The key keeps it open while its label follows what is chosen in it.
        with st.expander(
            words.label(f"Which rows are held out: {held_out}"),
            icon=":material/call_split:",
            key=f"data.split.{opened.table.fingerprint[:12]}",
        ):
            split_form.show(opened)
        target_form.edit(session, opened)
    with grid.cell():
        balance.show(opened)
