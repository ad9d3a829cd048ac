"""How rows are divided into training and held-out rows."""

from __future__ import annotations

import streamlit as st

from dashboard.session import widgets
from dashboard.session.opened import OpenTable
from proset.data.split import LARGEST_FRACTION, LARGEST_SEED, SMALLEST_FRACTION, SplitSettings

_SHARE_KEY = "split.share"
_SEED_KEY = "split.seed"


def show(opened: OpenTable) -> None:
    """Show the share of rows held out and the seed; a change makes a fitted model stale."""
    settings = opened.recipe.split
    widgets.shows(_SHARE_KEY, round(100 * settings.test_fraction))
    widgets.shows(_SEED_KEY, settings.seed)
    st.slider(
        "Held-out rows",
        round(100 * SMALLEST_FRACTION),
        round(100 * LARGEST_FRACTION),
        key=_SHARE_KEY,
        format="%d %%",
        on_change=_take,
        args=(opened,),
        help="Share of each class kept back while learning, to judge the model on cases it has never seen.",
    )
    st.number_input(
        "Seed of the split",
        0,
        LARGEST_SEED,
        key=_SEED_KEY,
        on_change=_take,
        args=(opened,),
        help="Which rows are held out is drawn by chance; the same seed draws the same rows.",
    )


def _take(opened: OpenTable) -> None:
    """Take over what the widgets say."""
    opened.edit(split=SplitSettings(widgets.says(_SHARE_KEY) / 100, int(widgets.says(_SEED_KEY))))
