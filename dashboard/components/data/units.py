"""Columns that are text because a unit stands beside their numbers: made numbers by one click, and the way back."""

from __future__ import annotations

import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.components.data.missing_words import declare_here, fate_of_models, take_back
from dashboard.services.data import reading as service
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from proset.data.unit_guess import guess_units

_SHOWN = 6
_HELP = (
    "The number alone is read then, wherever the table is used, and in new rows as well; a number without the unit is"
    " taken as it is. It can be taken back."
)


def show(session: Session, opened: OpenTable) -> None:
    """Show which columns would be numbers, and which became so."""
    guesses = cache.derived(guess_units, opened.table)
    for at, guess in enumerate(guesses[:_SHOWN]):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f":orange[:material/straighten:] {words.markdown(guess.message)}", width="stretch")
            st.button(
                "Read as numbers",
                key=f"units.{at}", on_click=declare_here, args=(session, opened, (), (guess.unit,)), help=_HELP,
            )  # fmt: skip
    if len(guesses) > 1:
        every = tuple(guess.unit for guess in guesses)
        st.button(
            f"Read all {len(guesses)} as numbers",
            key="units.all", on_click=declare_here, args=(session, opened, (), every), help=_HELP,
        )  # fmt: skip
    if guesses and (opened.models or session.working):
        st.caption(words.caption(fate_of_models(session, opened)))
    _declared(session, opened)


def _declared(session: Session, opened: OpenTable) -> None:
    """Say which units were declared; what was declared here can be taken back."""
    declared = opened.table.dialect.units
    before = opened.original.table.dialect.units if opened.original is not None else declared
    here = [unit for unit in declared if unit not in before]
    if declared:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            told = words.markdown(f"The number is read beside {service.units_words(declared)}.")
            st.markdown(f":gray[:material/straighten:] {told}", width="stretch")
            if here:
                st.button("Take back", key="units.back", on_click=take_back, args=(session, opened, here))
