"""The Fit page: fit a model, see how good it is and what it looks at."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from dashboard import cache
from dashboard.components import (
    downloads,
    figure_panel,
    fit_form,
    fit_mode,
    job_panel,
    page,
    search_form,
    search_result,
    words,
)
from dashboard.components.downloads import CSV, Download
from dashboard.components.fit_mode import Mode
from dashboard.services import exports
from dashboard.services import fit as service
from dashboard.services.cases import Part, part_rows
from dashboard.services.data import fit_problem
from dashboard.session import jobs
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from dashboard.work.tasks import FIT, SEARCH
from proset.plots.confusion import plot_confusion
from proset.plots.weights import plot_feature_weights
from proset.storage import to_bytes
from proset.study import Study
from proset.study.decision import MOST_PROBABLE, confusion

_BARS = 20


def render(session: Session, study: Study | None) -> None:
    """Draw the page."""
    opened = session.opened
    if opened is None:
        return
    _controls(session, opened)
    if study is None:
        if not session.working:
            st.markdown(":gray[After the fit, this page shows how good the model is and what it looks at.]")
    else:
        if opened.stale:
            again = "Search" if fit_mode.current(session) is Mode.SEARCH else "Fit"
            changed = f"This shows the last fit. Changed since: {opened.changes}."
            words.notice("warning", f"{changed} {again} again to bring it up to date.")
        table = _held_out_confusion(session, study)
        _quality(session, study, table)
        search_result.show(session, opened, study)
        _inside(study, table)
        _batches(study)
    page.how_to_read(session)
    if study is not None:
        _downloads(study, table)
        page.next_steps(session, "map", "case")


def _controls(session: Session, opened: OpenTable) -> None:
    """Show the settings and the button, or the progress of the work under way."""
    search = fit_mode.show(session) is Mode.SEARCH
    if search:
        search_form.show(opened)
    fit_form.advanced(opened, searched=opened.recipe.finds if search else ())
    job_panel.boxes(session, key="fit")
    if jobs.running(SEARCH if search else FIT) is not None:
        return
    jobs.get_ready()
    table, roles = opened.table, opened.recipe.roles
    problem = cache.derived(table, "fit problem", lambda: fit_problem(table, roles), roles)
    if problem is not None:
        words.notice("error", problem)
        page.next_steps(session, "data")
        return
    if search:
        search_form.buttons(session, opened)
        return
    label = "Fit" if opened.study is None else "Fit again"
    if st.button(label, type="primary", icon=":material/play_arrow:", key="fit.start"):
        job_panel.start(session)
        st.rerun()


def _held_out_confusion(session: Session, study: Study) -> pd.DataFrame:
    """Return how often each class is said of the held-out cases of each class."""
    judged = session.judged(study)
    return confusion(part_rows(judged, Part.HELD_OUT), study.classes)


def _quality(session: Session, study: Study, table: pd.DataFrame) -> None:
    """Show the verdict and the measures on held-out rows beside the naive model."""
    st.subheader("On rows the model has not seen", anchor=False)
    words.notice(*service.verdict(study, table))
    entries = service.measures(study, table)
    grid = st.grid(len(entries), min_column_width=180)
    for entry in entries:
        grid.metric(
            entry.label,
            entry.value,
            delta=f"naive {entry.naive}",
            delta_color="off",
            delta_arrow="off",
            help=entry.help,
            border=True,
        )
    rule = study.metrics.rule if session.rule == MOST_PROBABLE else session.rule.words
    absent = study.metrics.absent_classes
    note = f" No held-out row belongs to: {', '.join(map(words.caption, absent))}." if absent else ""
    st.caption(
        f"Measured on {study.metrics.n_rows:,} held-out rows. Predicted class: {words.caption(rule)}. "
        f"Naive: always states how common each class is among the training rows.{note}"
    )


def _inside(study: Study, table: pd.DataFrame) -> None:
    """Show the feature weights and the confusion matrix."""
    grid = st.grid(2, min_column_width=330, gap="medium")
    with grid.cell():
        st.subheader("What the model looks at", anchor=False)
        weights = study.feature_weights
        if weights.empty:
            st.markdown(":gray[No feature is used.]")
        else:
            figure = plot_feature_weights(weights, limit=_BARS)
            figure_panel.show(
                figure,
                key="fit.weights",
                file_name="feature_weights",
                alt=f"Feature weights as bars; the largest is {weights.index[0]}.",
            )
            hidden = len(weights) - _BARS
            more = f" {hidden:,} more features with smaller weights are in the download." if hidden > 0 else ""
            st.caption(f"Weights are for standardised features, so that their lengths can be compared.{more}")
    with grid.cell():
        st.subheader("Right and wrong", anchor=False)
        figure_panel.show(
            plot_confusion(table),
            key="fit.confusion",
            file_name="confusion",
            alt="Held-out rows by actual and predicted class.",
        )


def _batches(study: Study) -> None:
    """Show how many prototypes were kept and how the search for weights ended."""
    st.subheader("Prototypes", anchor=False)
    frame = service.batch_table(study)
    if frame.empty:
        st.markdown(":gray[The model has no batch, so it only states how common each class is.]")
    else:
        st.dataframe(frame, width="content")
    for converged, text in service.solver_lines(study):
        icon = ":material/check:" if converged else ":orange[:material/warning:]"
        st.markdown(f"{icon} {words.markdown(text)}")
    st.caption(words.caption(service.made_words(study)))


def _downloads(study: Study, table: pd.DataFrame) -> None:
    """Offer the study, the weights, the prototypes and the confusion as files."""

    def name(what: str) -> str:
        return f"{exports.file_stem(Path(study.table.name).stem, what)}.csv"

    study_name = f"{exports.file_stem(Path(study.table.name).stem)}.proset"
    downloads.show(
        Download("Study (.proset)", study_name, "application/zip", lambda: to_bytes(study)),
        Download("Feature weights", name("weights"), CSV, lambda: exports.csv_bytes(study.feature_weights)),
        Download("Prototypes", name("prototypes"), CSV, lambda: exports.csv_bytes(study.prototypes, index=False)),
        Download("Confusion", name("confusion"), CSV, lambda: exports.csv_bytes(table)),
        key="fit",
    )
