"""One case as each system sees it, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from dashboard.components import words
from dashboard.components.compare_kept import kept
from dashboard.services import compare_case as service
from dashboard.services.cases import Source
from dashboard.texts import compare as text
from proset.common.errors import ProsetError
from proset.compare import explain_row

if TYPE_CHECKING:
    from dashboard.session.session import Session
    from proset.compare import Comparison, SystemCase
    from proset.study import Study

_CARD, _ROW_HEIGHT = 330, 35


def show(session: Session, study: Study, found: Comparison, *, key: str) -> None:
    """Show what each system says of the selected case, and why."""
    case = session.case
    if case is None:
        return
    if case.source is not Source.TABLE:
        st.caption(text.NO_ROW)
        return
    try:
        seen = kept(study, found, "case", lambda: explain_row(study, found, case.row), case.row)
    except ProsetError as error:
        words.notice("warning", error)
        return
    st.header(words.label(text.CASE.format(case=case.label.lower())), anchor=False)
    st.caption(words.caption(service.truth_words(study, found, case.row)))
    with st.container(horizontal=True, gap="small", key=f"{key}-cards"):
        for one in seen:
            with st.container(border=True, width=_CARD):
                _card(study, one, case.row, key=f"{key}.case.{one.key}")


def _card(study: Study, one: SystemCase, row: int, *, key: str) -> None:
    """Show one system's answer: the class, how familiar the case is to it, and the prototypes that count."""
    st.markdown(f"**{words.markdown(one.title)}**: {words.markdown(service.said_words(study, one, row))}")
    st.caption(words.caption(service.shares_words(one)))
    frame = service.prototype_lines(one)
    if len(frame):
        st.dataframe(
            frame,
            key=f"{key}.prototypes",
            hide_index=True,
            height=_ROW_HEIGHT * (1 + len(frame)) + 3,
            column_config=_columns(frame),
            alt=f"Prototypes that count most for {words.bare(one.title)}.",
        )
    for line in service.notes(one):
        st.caption(words.caption(line))


def _columns(frame: pd.DataFrame) -> dict[str, Any]:
    """Return how the columns look."""
    config = st.column_config
    return {
        "case": config.TextColumn("Prototype", width=96),
        "class": config.TextColumn("Class", width=84),
        "counts": config.TextColumn(text.COUNTS[frame.attrs["counts"]], width=90) if "counts" in frame else None,
    }
