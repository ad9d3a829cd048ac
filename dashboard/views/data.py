"""The Data page: choose a table, say what its columns mean, see what stands out."""

from __future__ import annotations

import streamlit as st

from dashboard import cache, state
from dashboard.components import data_source, page, role_editor, split_form
from dashboard.components.page import plain, say
from dashboard.services import data as service
from dashboard.session import jobs
from proset.common.errors import ProsetError
from proset.data.roles import Roles
from proset.data.table import Table
from proset.plots.classes import plot_class_balance


def render() -> None:
    """Draw the page."""
    page.head("data")
    table, roles = state.table(), state.roles()
    if table is None or roles is None:
        st.subheader("Start with an example", anchor=False)
        data_source.gallery()
        st.subheader("Or with your own data", anchor=False)
        data_source.upload()
        page.how_to_read("data")
        return
    # The key makes the expander fold again when another table is open, so that one sees the table.
    with st.expander("Open other data", icon=":material/folder_open:", key=f"data.other.{table.fingerprint[:12]}"):
        data_source.upload()
        data_source.gallery()
    _table(table)
    _target(table, roles)
    st.subheader("Findings", anchor=False)
    role_editor.show_findings(table, roles)
    st.subheader("Columns", anchor=False)
    st.caption("Double-click a role to change it. Numeric, categorical, boolean and date columns go into the model.")
    role_editor.edit(table, roles)
    page.how_to_read("data")
    page.link("fit", "Next: fit a model")
    jobs.get_ready()


def _table(table: Table) -> None:
    """Show the table's size, its first rows and how it was read."""
    st.subheader(plain(table.name), anchor=False)
    shown = service.preview(table)
    st.dataframe(shown.frame, height=220, column_config={day: st.column_config.DateColumn() for day in shown.days})
    if shown.note:
        st.caption(shown.note)
    data_source.reading_options(table)
    if state.source() is not None:
        st.caption(
            "Your file is held for this browser tab only: reloading the page closes it. "
            "To keep the work, save the study on the Fit page."
        )


def _target(table: Table, roles: Roles) -> None:
    """Show the choice of the target, the split and the class balance beside them."""
    st.subheader("Target and split", anchor=False)
    grid = st.grid(2, min_column_width=300, gap="medium")
    with grid.cell():
        role_editor.choose_target(table, roles)
        split_form.show()
    with grid.cell():
        if roles.target is None:
            st.markdown(":gray[Choose a target to see how many rows each class has.]")
            return
        try:
            split = state.split_settings()
            counts = cache.derived(
                table, "class counts", lambda: service.class_counts(table, roles, split), roles.target, split
            )
        except ProsetError as error:
            say("error", error)
            return
        if len(counts) > service.MOST_CLASSES_SHOWN:
            st.markdown(f"{len(counts):,} classes. Choose a column with fewer values as the target.")
            return
        st.plotly_chart(plot_class_balance(counts), key="data.balance", config={"displayModeBar": False})
        missing = service.unlabelled_rows(table, roles)
        if missing:
            st.caption(f"{missing:,} rows have no target value and are set aside.")


if __name__ == "__main__":
    render()
