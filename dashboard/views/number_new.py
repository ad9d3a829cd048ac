"""New data of a model of a number: what it says of rows that it has never seen, and which to look at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import page, words
from dashboard.components.numbers import new_list
from dashboard.components.rows import new_together, new_upload
from dashboard.services import exports
from dashboard.services.cases import CaseSource
from dashboard.services.new_data import noted_words
from dashboard.services.numbers import new_rows as service
from dashboard.services.numbers.new_rows import ORDER
from dashboard.session.session import Session
from dashboard.texts import number_new as text
from proset.plots.number_new_rows import plot_number_rows

if TYPE_CHECKING:
    from dashboard.services.new_data import NewRows
    from dashboard.services.numbers.new_rows import ScoredNumbers
    from proset.study.number_study import NumberStudy

PARAMS = (ORDER,)


def render(session: Session, study: NumberStudy) -> None:
    """Draw the page."""
    if found := new_upload.scored(
        session, study, session.opened, lambda rows: cache.derived(service.score_numbers, study, rows)
    ):
        _show(session, study, *found)


def _show(session: Session, study: NumberStudy, rows: NewRows, scored: ScoredNumbers) -> None:
    """Show the rows in a figure and a list, what they are together, and the files."""
    stem, target = exports.file_stem(rows.table.name, "scores"), str(study.roles.target)
    first, rest = service.finding(study, scored)
    rest = f"{rest} {service.judged_words(study, scored)}".strip()
    page.finding(first, rest)
    grid = st.grid(2, min_column_width=420, gap="medium")
    with grid.cell():
        _figure(session, scored, stem, target)
    with grid.cell():
        new_list.card(session, study, scored)
        new_list.show(session, scored, target)
    if assumed := noted_words(scored.lines):
        st.caption(words.caption(assumed))
    if scored.drift is not None:
        new_together.drift(scored.drift, stem)
    else:
        st.caption(text.TOO_MANY)
    new_together.files(scored.output, scored.drift, stem)


def _figure(session: Session, scored: ScoredNumbers, stem: str, target: str) -> None:
    """Show median, interval and familiarity of each row; a click selects the row."""
    drawn = plot_number_rows(scored.lines, target=target, selected=session.selected_row(CaseSource.NEW))
    alt = "The new rows by familiarity, with the median and the interval that the model states."
    new_together.figure(session, drawn, stem, alt)
