"""The answer of a model of a number along one column: the choices, the figure, what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, page, words
from dashboard.components.numbers import rest_choice
from dashboard.services import exports
from dashboard.services.cases import CaseSource
from dashboard.services.numbers import features as service
from dashboard.services.numbers.features import COLUMN
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import number_features as text
from proset.explain.numbers.course import NumberCourse, number_course
from proset.plots.number_course import plot_number_course

if TYPE_CHECKING:
    from proset.study.number_study import NumberStudy

_WIDTH = 260


def show(session: Session, study: NumberStudy) -> NumberCourse:
    """Show the course along the column that is chosen, and return it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        feature = _column(session, study)
        typical = rest_choice.show(session, key="features.rest")
    found = _found(session, study, feature, typical=typical)
    page.finding(found.words)
    figure = figure_panel.show(
        lambda: plot_number_course(found),
        key="features.course",
        file_name=exports.file_stem(study.table.name, "along", feature),
        alt=f"{found.words} Rows of the table behind it. The downloads hold the numbers.",
    )
    among = "held-out" if len(study.split.held_out) else "training"
    grey = "" if found.known.all() else text.GREY.format(rows=among)
    st.caption(words.caption(" ".join(filter(None, (grey, figure.note)))))
    return found


def _column(session: Session, study: NumberStudy) -> str:
    """Show the choice of a column and return its name."""
    places, names = service.columns(study), study.roles.features
    with st.container(width=_WIDTH):
        chosen = widgets.pick(
            session, COLUMN, places, text.COLUMN, key="features.column",
            words=lambda place: f"Along {words.bare(names[int(place) - 1])}", in_line=True,
        )  # fmt: skip
    return names[int(chosen) - 1]


def _found(session: Session, study: NumberStudy, feature: str, *, typical: bool) -> NumberCourse:
    """Return the course; of rows of the table it is kept."""
    case = session.case
    if typical or case is None:
        return cache.derived(service.course, study, feature, None)
    if case.source is CaseSource.TABLE:
        return cache.derived(service.course, study, feature, case.row)
    return number_course(study, case.open(study, session.others), feature=feature)
