"""The front of a search that is under way: it grows at every look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import figure_panel
from dashboard.session import jobs
from dashboard.work.tasks import SEARCH
from proset.common.words import count_words
from proset.plots.front import plot_front
from proset.selection import JointRecord

if TYPE_CHECKING:
    from dashboard.session.session import Session


def show(session: Session) -> None:
    """Draw what the search of the open table has found so far; nothing where that is not enough for a figure."""
    under_way = jobs.running(SEARCH)
    if under_way is None or session.opened is None or under_way not in jobs.under_way(session.opened):
        return
    record = under_way.job.so_far()
    if not isinstance(record, JointRecord) or not record.can_be_taken:
        return
    figure_panel.show(
        plot_front(record),
        key="search.growing",
        file_name="",
        tools=False,
        alt="Log-loss against the number of prototypes, for the settings that were tried so far.",
    )
    st.caption(f"So far, from {count_words(record.n_fits, 'fit')}: each further one may move the front.")
