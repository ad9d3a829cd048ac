"""The rows of each class, or the numbers, of both parts: beside what is chosen, and what goes into a fit."""

from __future__ import annotations

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, words
from dashboard.services.data import columns as service
from dashboard.services.data import target as target_service
from dashboard.services.numbers.target import NumberParts, parts_of, parts_words
from dashboard.session.opened import OpenTable
from proset.common.errors import ProsetError
from proset.common.words import count_words
from proset.plots.classes import plot_class_balance
from proset.plots.number_parts import plot_number_parts


def show(opened: OpenTable) -> None:
    """Show how many rows each class has, or which numbers, in both parts; or why that cannot be shown."""
    table, roles, split = opened.table, opened.recipe.roles, opened.recipe.split
    if roles.target is None:
        st.markdown(":gray[Choose a target to see how many rows each class has.]")
        return
    if roles.number:
        _numbers(opened)
        return
    if target_service.needs_ranges(table.profiles[roles.target], roles.classes):
        st.markdown(":gray[Take the target as ranges to see how many rows each class has.]")
        return
    try:
        counts = cache.derived(service.class_counts, table, roles, split)
    except ProsetError as error:
        rare = target_service.rare_class_counts(table, roles, most=service.MOST_CLASSES_SHOWN)
        if rare is None:
            words.notice("error", error)
            return
        counts = rare  # what is wrong, and the way out, stand below
    if len(counts) > service.MOST_CLASSES_SHOWN:
        st.markdown(f"{len(counts):,} classes. Choose a column with fewer values as the target.")
        return
    figure_panel.show(
        lambda: plot_class_balance(counts),
        owner=table,
        of=(roles, split),
        key="data.balance",
        file_name="",
        alt=service.balance_words(counts),
        tools=False,
    )
    missing = service.unlabelled_rows(table, roles)
    if missing:
        st.caption(f"{count_words(missing, 'row has', 'rows have')} no class: not learned from, only estimated.")


def _numbers(opened: OpenTable) -> None:
    """Show how many rows have which numbers in both parts, or why none can be shown."""
    table, roles, split = opened.table, opened.recipe.roles, opened.recipe.split
    try:
        found: NumberParts = cache.derived(parts_of, table, roles, split)
    except ProsetError as error:
        words.notice("error", error)
        return
    figure = figure_panel.show(
        lambda: plot_number_parts(found.training, found.held_out, unit=str(roles.target)),
        owner=table,
        of=(roles, split),
        key="data.balance",
        file_name="",
        alt=parts_words(found),
        tools=False,
    )
    if figure.note:
        st.caption(words.caption(figure.note))
    if found.n_missing:
        st.caption(
            f"{count_words(found.n_missing, 'row has', 'rows have')} no number: not learned from, only estimated."
        )
