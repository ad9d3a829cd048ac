"""Form for the split into training and held-out rows."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.services.data import split as service
from dashboard.session import widgets
from dashboard.session.opened import OpenTable
from proset.data.split import LARGEST_FRACTION, LARGEST_SEED, SMALLEST_FRACTION, SplitSettings


def show(opened: OpenTable) -> None:
    """Show which rows are held out; a change makes a fitted model stale."""
    table, roles = opened.table, opened.recipe.roles
    settings = service.without_target(opened.recipe.split, roles.target)
    if settings != opened.recipe.split:
        opened.edit(split=settings)
    _share(opened, settings)
    columns = service.split_columns(table.profiles, roles)
    _column(
        opened,
        "groups",
        "Keep rows together by",
        [name for name in columns.groups if name != settings.time],
        "Rows that belong together, such as the visits of one patient, are all learned from or all held out. Else the "
        "model is judged on patients it already knows.",
    )
    _column(
        opened,
        "time",
        "Hold out the latest rows by",
        [*(name for name in columns.times if name != settings.groups), service.FILE_ORDER],
        "The model learns from earlier rows and is judged on the latest ones, as it will be used. The order of the "
        "file does where its rows were written down one after the other. Without, held-out rows are drawn by chance.",
    )
    notes = cache.derived(service.split_notes, table, roles, settings)
    if notes:
        st.caption(words.caption(" ".join(notes)))


def _share(opened: OpenTable, settings: SplitSettings) -> None:
    """Show the share of rows held out, and the seed where something is left to chance."""
    by_chance = not settings.by_time
    each = "the rows" if opened.recipe.roles.number else "each class"
    whose = each if by_chance else "all rows, the latest ones,"
    widgets.held(
        st.slider,
        "Held-out rows",
        round(100 * SMALLEST_FRACTION),
        round(100 * LARGEST_FRACTION),
        key="split.share",
        value=round(100 * settings.test_fraction),
        taken=lambda said: opened.edit(split=replace(opened.recipe.split, test_fraction=said / 100)),
        format="%d %%",
        help=f"Share of {whose} kept back while learning, to judge the model on cases it has never seen.",
    )
    if by_chance:
        widgets.held(
            st.number_input,
            "Seed of the split",
            0,
            LARGEST_SEED,
            key="split.seed",
            value=settings.seed,
            taken=lambda said: opened.edit(split=replace(opened.recipe.split, seed=int(said))),
            help="Which rows are held out is drawn by chance; the same seed draws the same rows.",
        )


def _column(opened: OpenTable, name: str, label: str, options: list[service.Choice], help: str) -> None:
    """Show the choice of a column of the split; nothing where there is none to choose."""
    chosen = service.chosen(opened.recipe.split, name)
    if not options and chosen is None:
        return
    # A key of its own for each table: the browser may still send the choice that belongs to the former one.
    widgets.held(
        st.selectbox,
        label,
        options if chosen is None or chosen in options else [chosen, *options],
        key=f"split.{name}.{opened.table.fingerprint[:12]}",
        value=chosen,
        taken=partial(_take_column, opened, name),
        clearable=True,
        format_func=lambda option: option.value if isinstance(option, service.FileOrder) else words.bare(option),
        placeholder="No column",
        help=help,
    )


def _take_column(opened: OpenTable, name: str, said: service.Choice | None) -> None:
    """Take over a column, or that none is chosen."""
    opened.edit(split=service.with_choice(opened.recipe.split, name, said))
