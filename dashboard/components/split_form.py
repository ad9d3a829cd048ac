"""How rows are divided into training and held-out rows."""

from __future__ import annotations

import streamlit as st

from dashboard import state
from proset.data.split import SplitSettings

_SHARE_KEY = "split.share"
_SEED_KEY = "split.seed"


def show() -> None:
    """Show the share of rows held out and the seed; a change makes a fitted model stale."""
    settings = state.split_settings()
    st.session_state[_SHARE_KEY] = round(100 * settings.test_fraction)
    st.session_state[_SEED_KEY] = settings.seed
    st.slider(
        "Held-out rows",
        10,
        50,
        key=_SHARE_KEY,
        format="%d %%",
        on_change=_take,
        help="Share of each class kept back while learning, to judge the model on cases it has never seen.",
    )
    st.number_input(
        "Seed of the split",
        0,
        2**31 - 1,
        key=_SEED_KEY,
        on_change=_take,
        help="Which rows are held out is drawn by chance; the same seed draws the same rows.",
    )


def _take() -> None:
    """Take over what the widgets say."""
    state.set_split_settings(SplitSettings(st.session_state[_SHARE_KEY] / 100, int(st.session_state[_SEED_KEY])))
