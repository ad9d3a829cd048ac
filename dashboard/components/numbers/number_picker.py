"""Ways to a case of a number: by its name, through lists, and the list itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import line_list, part_switch, tables, words
from dashboard.components.case import link, picker
from dashboard.components.review import these
from dashboard.services.cases import CaseRef, Part, Within
from dashboard.services.numbers import number_walk
from dashboard.services.numbers.number_walk import LIST, LIST_LABELS, NumberList, rows_of
from dashboard.services.review.these import Origin
from dashboard.session import widgets
from dashboard.session.session import Session

if TYPE_CHECKING:
    import pandas as pd

    from proset.study import NumberStudy

_LINES_SHOWN, _LIST_WIDTH = 12, 290


def show(session: Session, study: NumberStudy) -> None:
    """Show the box that finds a case, and which rows are looked through in which order."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        picker.find_box(session, study)
        part_switch.show(session, key="case")
        with st.container(width=_LIST_WIDTH):
            names = LIST_LABELS.__getitem__
            widgets.pick(session, LIST, LIST.options, "Look through", key="number.list", words=names, in_line=True)
    if problem := session.take_problem():
        words.notice("error", problem)


def _rows(study: NumberStudy, part: Part, which: NumberList, within: Within | None) -> pd.DataFrame:
    """Return the rows of a list."""
    return rows_of(study.predictions, part, which, within)


def lines(session: Session, study: NumberStudy) -> pd.DataFrame:
    """Return the rows that are looked through with their answers."""
    return cache.derived(_rows, study, session.part, session.get(LIST), session.within)


def order(session: Session, study: NumberStudy) -> tuple[CaseRef, ...]:
    """Return the cases that are looked through: those that a page has picked, else those of the list."""
    picked = session.cases.picked
    return picked if picked is not None else tuple(map(CaseRef.in_table, lines(session, study).index))


def table(session: Session, study: NumberStudy) -> None:
    """Show the rows of the list; picking one opens it."""
    found = lines(session, study)
    which, part = session.get(LIST), session.part
    listed = tuple(map(CaseRef.in_table, found.index))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(words.caption(number_walk.place_words(listed, None, part, which, session.within)), width="content")
        these.button_of(session, listed, Origin.LIST, key="case")
    if found.empty:
        return
    of = words.help_text(study.roles.target)
    shown = found[["actual", "median", "lower", "upper", "error", "quantile"]]
    plain = st.column_config.NumberColumn
    line_list.show_cases(
        session,
        f"number.list.{session.rows_key}.{which}",
        tables.in_words(shown, ["quantile"], even=["median", "lower", "upper", "error"]),
        rows=found.index,
        lines=_LINES_SHOWN,
        columns={
            "row": plain("Row", format="%d", width=52),
            "actual": plain("Actual", format="%.6g", width=75, help=f"What the table says: {of}."),
            "median": plain("Median", width=75, help=f"Half of the distribution lies below: {of}."),
            "lower": plain("90 % from", width=82),
            "upper": plain("to", width=75),
            "error": plain("Off by", width=75, help="Median less actual."),
            "quantile": plain(
                "Familiar", width=75, help="Share of held-out rows that are at most as familiar as this one."
            ),
        },
        alt="Rows of the table with their numbers and what the model says.",
    )


def bar(session: Session, study: NumberStudy) -> None:
    """Show the bar that leads from one case to the next; it stays in sight."""
    cases, here = order(session, study), session.case
    with st.bottom, st.container(horizontal=True, gap="small", vertical_alignment="center", key="case-walk"):
        picker.steps(session, cases)
        link.back(session)
        if here is not None:
            st.button("List", key="number.back", icon=":material/list:", on_click=session.select, args=(None,))
        if session.cases.picked is None:
            said = number_walk.place_words(cases, here, session.part, session.get(LIST), session.within)
        else:
            said = picker.place_words(cases, here, session.cases)
        st.caption(words.caption(said), width="content")
