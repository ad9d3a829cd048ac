"""One prototype of a model of a number: what it says, what it is like, and for which rows it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import page, tables, words
from dashboard.components.guidance import ask
from dashboard.components.rows.prototype_view import ways
from dashboard.services.case.case import case_name
from dashboard.services.cases import CaseRef
from dashboard.services.numbers import prototypes as service
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import number_prototypes as text

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.numbers.prototypes import NumberPrototypeView
    from proset.study.number_study import NumberStudy

_LINES = 8
_VALUES = 400


def show(session: Session, study: NumberStudy, found: NumberPrototypeView, lines: pd.DataFrame, place: int) -> None:
    """Show the prototype that is looked at, the one at a place of all lines."""
    line, several, alone = lines.iloc[place], len(set(lines["batch"])) > 1, len(set(lines["row"])) == 1
    name = case_name(study, found.row)
    page.section(f"{words.label(name)}{f', batch {found.batch}' if several else ''}")
    st.markdown("  \n".join(map(words.markdown, service.view_words(found, line, alone=alone))))

    def wish() -> None:
        ask.row(session, study, found.row, key="prototypes")

    ways(session, found.row, service.cases(found), "Its rows one by one", key="prototypes", beside=wish)
    with st.container(horizontal=True, gap="medium"):
        left, right = st.container(width="stretch"), st.container(width=_VALUES)
    with left:
        _cases(session, found, str(study.roles.target))
    with right:
        _values(found)


def _cases(session: Session, found: NumberPrototypeView, target: str) -> None:
    """Show the rows for which it counts most; a tick selects one."""
    st.subheader("Rows it counts most for", anchor=False)
    if found.cases.empty:
        st.caption(text.NO_CASES)
        return
    key = f"prototypes.cases.{found.batch}.{found.row}"

    def ticked() -> None:
        rows = widgets.says(key)["selection"]["rows"]
        if rows:
            session.select(CaseRef.in_table(int(found.cases.index[rows[0]])))

    number, of_target = st.column_config.NumberColumn, words.help_text(target)
    st.dataframe(
        tables.in_words(found.cases.drop(columns="error"), ["share"], even=["says", "median"]),
        key=key,
        on_select=ticked,
        selection_mode="single-row",
        height=tables.height(len(found.cases), _LINES),
        column_config={
            "row": number("Row", format="%d"),
            "share": number("Share", help="How much of the row's answer it makes up."),
            "rank": number("Rank", help="1 where no prototype has a larger share."),
            "says": number("Says", help="Its own number, adjusted for what tells the row from it."),
            "median": number("Median", help=f"Median of the whole answer: {of_target}."),
            "actual": number("Actual", format="%.4g", help=f"What the row has: {of_target}."),
        },
        alt="Rows for which the prototype counts most.",
    )
    st.caption(text.TICK)


def _values(found: NumberPrototypeView) -> None:
    """Show its values in the columns that its batch uses, beside typical ones."""
    st.subheader("What it is like", anchor=False)
    st.dataframe(
        tables.in_words(found.values, [], even=["weight"]),
        height=tables.height(len(found.values), _LINES),
        column_config={
            "feature": "Column",
            "value": "Its value",
            "typical": st.column_config.TextColumn("Typical", help="Median or most frequent value, training rows."),
            "weight": st.column_config.NumberColumn("Weight", help="How closely its batch looks."),
        },
        alt="Values of the prototype in the columns that its batch uses.",
    )
