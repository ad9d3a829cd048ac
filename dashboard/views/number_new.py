"""New data of a model of a number: what it says of rows that it has never seen, and which to look at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, figure_panel, page, words
from dashboard.components.downloads import Download
from dashboard.components.numbers import new_list
from dashboard.components.rows import new_drift, new_upload
from dashboard.services import exports
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.numbers import new_rows as service
from dashboard.services.numbers.new_rows import ORDER
from dashboard.session.session import Session
from dashboard.texts import new as new_text
from dashboard.texts import number_new as text
from proset.common.errors import ProsetError
from proset.plots.number_new_rows import plot_number_rows

if TYPE_CHECKING:
    from dashboard.services.new_data import NewRows
    from dashboard.services.numbers.new_rows import ScoredNumbers
    from proset.study.number_study import NumberStudy

PARAMS = (ORDER,)


def render(session: Session, study: NumberStudy) -> None:
    """Draw the page."""
    opened = session.opened
    if opened is None:
        return
    rows, scored, refused = opened.new_rows, None, None
    if rows is not None:
        try:
            with st.spinner(new_text.COMPARING, show_time=True):
                scored = cache.derived(service.score_numbers, study, rows)
        except ProsetError as error:
            refused = error
    new_upload.show(session, study, opened, refused)
    if rows is not None and scored is not None:
        _show(session, study, rows, scored)


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
    if assumed := service.assumed_words(scored):
        st.caption(words.caption(assumed))
    if scored.drift is not None:
        new_drift.show(scored.drift, stem)
    else:
        st.caption(text.TOO_MANY)
    drifted = {} if scored.drift is None else {"drift": scored.drift.to_frame().reset_index()}
    downloads.show(
        Download("Scores (CSV)", f"{stem}.csv", downloads.CSV, lambda: exports.csv_bytes(scored.output, index=False)),
        Download(
            "Scores (.xlsx)",
            f"{stem}.xlsx",
            downloads.XLSX,
            lambda: exports.workbook_bytes({"scores": scored.output} | drifted),
        ),
        key="new",
    )


def _figure(session: Session, scored: ScoredNumbers, stem: str, target: str) -> None:
    """Show median, interval and familiarity of each row; a click selects the row."""

    def clicked(row: int | None) -> None:
        session.select(None if row is None else CaseRef(CaseSource.NEW, row))

    here = session.selected_row(CaseSource.NEW)
    figure = plot_number_rows(scored.lines, target=target, selected=here)
    figure_panel.show_points(
        session, figure, name="new.figure", picked=here, file_name=stem,
        alt="The new rows by familiarity, with the median and the interval that the model states.", clicked=clicked,
    )  # fmt: skip
    if figure.layout.meta:
        st.caption(words.caption(figure.layout.meta))
