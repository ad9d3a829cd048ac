"""Result of a search by algorithm 2.2: its two figures, and the way to another choice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, page, words
from dashboard.components.jobs import job_panel
from dashboard.services.fit import search as service
from dashboard.session import jobs, widgets
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from dashboard.work.tasks import SEARCH
from proset.plots.selection import plot_stage_1, plot_stage_2
from proset.selection import SearchRecord

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from proset.study import Study

_TITLES = {1: "Step 1: the penalties", 2: "Step 2: the number of batches"}
_PLOTS: dict[int, Callable[[SearchRecord], go.Figure]] = {1: plot_stage_1, 2: plot_stage_2}


def show(session: Session, opened: OpenTable, study: Study, record: SearchRecord) -> None:
    """Show how the settings of a study were found."""
    page.section("How the settings were found")
    page.finding(service.found_words(record), service.reason_words(record))
    grid = st.grid(2, min_column_width=380, gap="medium")
    for stage in (1, 2):
        if not service.stage_frame(record, stage).empty:
            with grid.cell():
                _step(session, opened, study, record, stage)
    _offer(session, opened, study, record)


def _drawn(study: Study, stage: int) -> go.Figure:
    assert isinstance(study.search, SearchRecord)  # the page is for these
    return _PLOTS[stage](study.search)


def _step(session: Session, opened: OpenTable, study: Study, record: SearchRecord, stage: int) -> None:
    """Show one figure and, below it, its points as a list."""
    st.markdown(f"**{_TITLES[stage]}**")
    figure = cache.derived(_drawn, study, stage)

    def clicked(label: int | None) -> None:
        _look_at(opened, record, stage, label)

    figure_panel.show_points(
        session,
        figure,
        name=f"search.figure.{stage}.{opened.current}",
        picked=_proposed(opened, stage),
        file_name=f"search_step_{stage}",
        alt=f"Log-loss of the points of step {stage}. {service.point_words(record, stage, record.chosen(stage))}.",
        clicked=clicked,
    )
    _list(opened, record, stage)
    if figure.layout.meta:
        st.caption(words.caption(figure.layout.meta))


def _list(opened: OpenTable, record: SearchRecord, stage: int) -> None:
    """Show the points as a list, for those who do not point and click."""
    # The browser holds on to the text of an option; with another study the same option reads differently.
    widgets.held(
        st.selectbox,
        f"Points of step {stage}",
        list(service.stage_frame(record, stage).index),
        key=f"search.point.{stage}.{opened.current}",
        value=_current(opened, record, stage),
        taken=partial(_look_at, opened, record, stage),
        format_func=lambda label: service.point_words(record, stage, label),
        help="Click a point in the figure, or pick it here, to use it instead of the chosen one.",
    )


def _current(opened: OpenTable, record: SearchRecord, stage: int) -> int:
    """Return the point a person looks at in this step: the chosen one until another is picked."""
    proposed = _proposed(opened, stage)
    return record.chosen(stage) if proposed is None else proposed


def _proposed(opened: OpenTable, stage: int) -> int | None:
    """Return the point that is looked at instead of the chosen one, if it is one of this step."""
    proposal = opened.proposal
    return proposal[1] if proposal is not None and proposal[0] == stage else None


def _look_at(opened: OpenTable, record: SearchRecord, stage: int, label: int | None) -> None:
    """Look at another point, or, with None, at the chosen one again."""
    opened.propose(None if label is None or label == record.chosen(stage) else (stage, label))


def _offer(session: Session, opened: OpenTable, study: Study, record: SearchRecord) -> None:
    """Offer to fit with the point that is looked at."""
    proposal = opened.proposal
    if proposal is None:
        st.caption("To use another point, click it in a figure or pick it from the list below the figure.")
        return
    stage, label = proposal
    with st.container(border=True):
        st.markdown(
            f"Instead of the chosen point: **{words.markdown(service.setting_words(record, stage, label))}**.  \n"
            f":gray[{words.markdown(service.cost_words(record, stage, label))}]"
        )
        with st.container(horizontal=True):
            busy = jobs.running(SEARCH) is not None
            if st.button(
                "Fit with this", type="primary", key="search.refit", icon=":material/play_arrow:", disabled=busy
            ):
                job_panel.start_choice(session, study, service.with_point(record, stage, label))
                st.rerun()
            st.button(
                "Keep the chosen one", key="search.withdraw", on_click=_look_at, args=(opened, record, stage, None)
            )
