"""New data: what the model says of rows that it has never seen, and which of them a person should look at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import page, words
from dashboard.components.rows import new_list, new_together, new_upload
from dashboard.services import exports
from dashboard.services.cases import CaseSource
from dashboard.services.new_data import (
    NEAR_COLUMNS,
    Near,
    NewRowOrder,
    NewRows,
    ScoredRows,
    assumed_words,
    score_rows,
    summary,
)
from dashboard.services.params import EnumParam
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import new as text
from proset.plots.new_rows import plot_standing

if TYPE_CHECKING:
    from proset.study import Study

ORDER = EnumParam("order", NewRowOrder.UNUSUAL)
"""In which order the rows are listed."""
NEAR = EnumParam("nearness", Near.ALL)
"""In which columns the figure asks how near known cases are; in all, because that warns best (see the benchmarks)."""


def render(session: Session, study: Study) -> None:
    """Draw the page."""
    rule = session.rule
    if found := new_upload.scored(
        session, study, session.opened, lambda rows: cache.derived(score_rows, study, rows, rule)
    ):
        _show(session, study, *found)


def _show(session: Session, study: Study, rows: NewRows, scored: ScoredRows) -> None:
    """Show the rows in a figure and a list, what they are together, and the files."""
    stem = exports.file_stem(rows.table.name, "scores")
    page.finding(summary(study, scored), scored.drift.words)
    grid = st.grid(2, min_column_width=420, gap="medium")
    with grid.cell():
        widgets.choose(session, NEAR, "Nearness in", key="new.near.widget", words=lambda option: text.NEAR[option])
        _figure(session, study, scored, stem)
    with grid.cell():
        new_list.card(session, scored)
        new_list.show(session, scored, ORDER, session.get(NEAR))
    if assumed := assumed_words(scored):
        st.caption(words.caption(assumed))
    new_together.drift(scored.drift, stem, said=False)
    new_together.files(scored.output, scored.drift, stem)


def _figure(session: Session, study: Study, scored: ScoredRows, stem: str) -> None:
    """Show how familiar each row is and how near a known case; a click selects the row."""
    drawn = plot_standing(
        scored.found,
        scored.lines["estimate"].tolist(),
        study.classes,
        near=NEAR_COLUMNS[session.get(NEAR)],
        selected=session.selected_row(CaseSource.NEW),
    )
    new_together.figure(session, drawn, stem, "The new rows by familiarity and by nearness to known cases.")
