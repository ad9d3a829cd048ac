"""The confusion matrix, whose cells are lists of cases: by a click, or by a box that works with the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import anchor, figure_panel, page, words
from dashboard.components.case import picker
from dashboard.components.review import these
from dashboard.services.cases import PART_WORDS, CaseSet
from dashboard.services.quality import quality as service
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import quality as text
from proset.plots.confusion import plot_confusion

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from proset.study import Study


def show(session: Session, study: Study, counts: pd.DataFrame, *, key: str) -> None:
    """Show the matrix; a click on a cell makes its cases the list to look through."""
    classes, part = study.classes, session.part
    picked = _cell(session.cases, classes) if session.cases.part is part else None
    name = f"{key}.confusion.{session.rows_key}"
    # The figure stays the one that the browser has: it shows by itself what is clicked.
    _, start = anchor.place(session, name, picked)
    dark = figure_panel.is_dark()

    def draw() -> go.Figure:
        return plot_confusion(counts, picked=None if start is None else _names(start, classes), dark=dark)

    def clicked(cell: int | None) -> None:
        session.look_through(None if cell is None else service.cell_set(part, *_names(cell, classes)))

    figure = figure_panel.show_points(
        session,
        draw,
        owner=study,
        of=(start, part, session.rule),
        name=name,
        picked=picked,
        file_name="confusion",
        alt=f"Confusion matrix: {PART_WORDS[part]} by actual class and class said. The box beside it lists its cells.",
        clicked=clicked,
        fade=True,
    )
    st.caption(words.caption(figure.note))


def lists(session: Session, study: Study, *, key: str) -> None:
    """Show the box of all lists that the matrix offers, with what is looked through now."""
    judged, cases = session.judged(study), session.cases
    counts = {offer.cases: offer.count for offer in service.offers(judged, session.part, study.classes, session.within)}
    if cases not in counts:
        counts[cases] = len(cases.cases(judged))
    usual = session.usual_cases
    widgets.held(
        st.selectbox,
        text.LISTS,
        list(counts),
        key=f"{key}.lists",
        value=cases,
        taken=lambda chosen: session.look_through(None if chosen == usual else chosen),
        format_func=lambda entry: words.bare(entry.counted(counts[entry])),
        label_visibility="collapsed",
    )


def ways(session: Session, study: Study, *, key: str) -> None:
    """Show the ways to the listed cases: from one to the next here, all on the map, or one by one from the first."""
    cases = session.cases.cases(session.judged(study))

    def first() -> None:
        if session.case not in cases:
            session.select(cases[0])

    with st.container(horizontal=True):
        picker.walk(session, study, primary=False)
        on_map = st.button("See them on the map", key=f"{key}.map", icon=":material/scatter_plot:", disabled=not cases)
        through = st.button(
            "One by one", key=f"{key}.walk", icon=":material/person_search:", disabled=not cases, on_click=first
        )
        these.button(session, study, key=key)
    if on_map or through:
        page.go(session, page.find(session, "map" if on_map else "case"))


def _cell(cases: CaseSet, classes: tuple[str, ...]) -> int | None:
    """Return the number of the cell that a list is, counted line by line; None if it is none."""
    if cases.picked is not None or cases.actual not in classes or cases.predicted not in classes:
        return None
    return classes.index(cases.actual) * len(classes) + classes.index(cases.predicted)


def _names(cell: int, classes: tuple[str, ...]) -> tuple[str, str]:
    """Return actual and predicted class of a cell."""
    return classes[cell // len(classes)], classes[cell % len(classes)]
