"""Before there is a model: what a fit starts from, and what it would not see."""

from __future__ import annotations

import streamlit as st

from dashboard import cache
from dashboard.components import page, words
from dashboard.components.data import balance, finding_actions
from dashboard.services.fit import goes_in as service
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from proset.data.unit_guess import guess_units


def show(session: Session, opened: OpenTable) -> None:
    """Say which rows and columns a fit starts from, where nothing stands in its way."""
    if finding_actions.why_not_fitted(opened):
        return
    table, recipe = opened.table, opened.recipe
    rows = cache.derived(service.rows_words, table, recipe.roles, recipe.split)
    page.section("What goes in")
    grid = st.grid(2, min_column_width=300, gap="medium")
    with grid.cell():
        st.markdown(words.markdown(rows))
        st.markdown(words.markdown(service.columns_words(table, recipe.roles)))
        if unread := service.unread_words(recipe.roles, cache.derived(guess_units, table)):
            words.notice("warning", unread)
            page.link(session, "data", "Read them on the Data page", content=True)
        st.markdown(":gray[After the fit, this page shows how good the model is and what it looks at.]")
    with grid.cell():
        balance.show(opened)
