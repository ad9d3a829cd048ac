"""The numbers of the target on the Data page: how they are spread over training and held-out rows."""

from __future__ import annotations

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, words
from dashboard.services.numbers.target import NumberParts, parts_of, parts_words
from dashboard.session.opened import OpenTable
from proset.common.errors import ProsetError
from proset.common.words import count_words
from proset.plots.number_parts import plot_number_parts


def show(opened: OpenTable) -> None:
    """Show how many rows have which numbers in both parts, or why none can be shown."""
    table, roles, split = opened.table, opened.recipe.roles, opened.recipe.split
    try:
        found: NumberParts = cache.derived(parts_of, table, roles, split)
    except ProsetError as error:
        words.notice("error", error)
        return
    figure_panel.show(
        lambda: plot_number_parts(found.training, found.held_out, unit=str(roles.target)),
        owner=table,
        of=(roles, split),
        key="data.balance",
        file_name="",
        alt=parts_words(found),
        tools=False,
    )
    if found.n_missing:
        st.caption(
            f"{count_words(found.n_missing, 'row has', 'rows have')} no number: not learned from, only estimated."
        )
