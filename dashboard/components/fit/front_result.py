"""Result of a joint search, or of the quick choice among a few settings; and the way to another choice."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, page, words
from dashboard.components.jobs import job_panel
from dashboard.services.fit import front as service
from dashboard.services.fit.modes import Mode, mode_of
from dashboard.session import jobs, widgets
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from proset.plots.front import plot_curves, plot_front
from proset.selection import JointRecord, front_point
from proset.selection.front import counts_as_good, used_label, with_label

if TYPE_CHECKING:
    from collections.abc import Callable

    from proset.study import Study

T = TypeVar("T")

_STEP = 1  # what a proposal of a joint search says, see OpenTable.proposal


def show(session: Session, opened: OpenTable, study: Study, record: JointRecord) -> None:
    """Show what was chosen and why, the front, and the way to another point; after a quick fit it is folded."""
    mode = mode_of(study)
    title = service.title(mode)
    if mode is not Mode.QUICK:
        page.section(title)
        _found(session, opened, study, record)
        return
    # Two figures that nobody may ask for: they are drawn when it is opened.
    folded = st.expander(
        title,
        key=f"search.tried.{opened.current}",
        icon=":material/scatter_plot:",
        expanded=opened.proposal is not None,
        on_change="rerun",
    )
    if folded.open:
        with folded:
            _found(session, opened, study, record)


def _found(session: Session, opened: OpenTable, study: Study, record: JointRecord) -> None:
    """Show everything below the title."""
    page.finding(service.found_words(record))
    _figure(session, opened, study, record)
    st.caption(words.caption(service.reason_words(record)))
    lines = service.named_lines(record)
    grid = st.grid(len(lines), min_column_width=200, gap="medium")
    for names, what, given_away in lines:
        with grid.cell():
            st.markdown(
                f"**{words.markdown(names[0].upper() + names[1:])}**  \n{words.markdown(what)}"
                + (f"  \n:gray[{words.markdown(given_away)}]" if given_away else "")
            )
    _list(opened, study, record)
    _offer(session, opened, study, record)
    st.caption(words.caption(" ".join(service.notes(record, study.design))))
    if record.tried:
        with st.expander("Log-loss over the number of batches", icon=":material/show_chart:"):
            figure = cache.derived(_of_search, study, plot_curves)
            figure_panel.show(
                figure, key=f"search.curves.{opened.current}", file_name="search_curves",
                alt="Log-loss over the number of batches for the penalties that were tried on all folds.",
            )  # fmt: skip


def _of_search(study: Study, make: Callable[[JointRecord], T]) -> T:
    assert isinstance(study.search, JointRecord)  # the page is for these
    return make(study.search)


def _figure(session: Session, opened: OpenTable, study: Study, record: JointRecord) -> None:
    """Show the front; a click proposes another point."""
    figure = cache.derived(_of_search, study, plot_front)
    chosen = used_label(record)

    def clicked(label: int | None) -> None:
        _look_at(opened, record, label)

    figure_panel.show_points(
        session,
        figure,
        name=f"search.front.{opened.current}",
        picked=_proposed(opened),
        file_name="search_front",
        alt=f"Log-loss against the number of prototypes. {_lines(study)[chosen]}.",
        clicked=clicked,
    )
    if figure.layout.meta:
        st.caption(words.caption(figure.layout.meta))


def _lines(study: Study) -> dict[int, str]:
    """Return what is said of each point."""
    return cache.derived(_of_search, study, service.point_lines)


def _list(opened: OpenTable, study: Study, record: JointRecord) -> None:
    """Show the points as a list, for those who do not point and click."""
    said = _lines(study)
    proposed = _proposed(opened)
    widgets.held(
        st.selectbox,
        "Points, those on the front first",
        list(said),
        key=f"search.point.front.{opened.current}",
        value=used_label(record) if proposed is None else proposed,
        taken=partial(_look_at, opened, record),
        format_func=said.__getitem__,
        help="Click a point in the figure, or pick it here, to use it instead of the chosen one.",
    )


def _proposed(opened: OpenTable) -> int | None:
    """Return the point that is looked at instead of the chosen one."""
    return None if opened.proposal is None else opened.proposal[1]


def _look_at(opened: OpenTable, record: JointRecord, label: int | None) -> None:
    """Look at another point, or, with None, at the chosen one again."""
    opened.propose(None if label in (None, used_label(record)) else (_STEP, label))


def _offer(session: Session, opened: OpenTable, study: Study, record: JointRecord) -> None:
    """Offer to fit with the point that is looked at."""
    label = _proposed(opened)
    if label is None:
        st.caption("To use another point, click it in the figure or pick it from the list.")
        return
    point = front_point(record, label)
    given_away = service.given_away_words(point, as_good=counts_as_good(record, point))
    with st.container(border=True):
        st.markdown(
            f"Instead of the chosen point: **{words.markdown(service.setting_words(point))}**, "
            f"{words.markdown(point.size)}.  \n:gray[{words.markdown(given_away)} "
            f"{service.price_words(point)}]"
        )
        with st.container(horizontal=True):
            busy = jobs.running(job_panel.task_of(mode_of(study))) is not None
            if st.button(
                "Fit with this", type="primary", key="search.refit", icon=":material/play_arrow:", disabled=busy
            ):
                job_panel.start_choice(session, study, with_label(record, label))
                st.rerun()
            st.button("Keep the chosen one", key="search.withdraw", on_click=_look_at, args=(opened, record, None))
