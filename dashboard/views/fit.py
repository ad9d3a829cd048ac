"""The Fit page: fit a model, see how good it is and what it looks at."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard.components import downloads, ignored_risks, page, words
from dashboard.components.data import finding_actions, rare_classes
from dashboard.components.downloads import CSV, Download
from dashboard.components.fit import (
    fit_mode,
    goes_in,
    growing_front,
    guidance_line,
    headline,
    quick_form,
    search_form,
    search_result,
    time_panel,
)
from dashboard.components.fit import verdict as quality
from dashboard.components.guidance import models
from dashboard.components.jobs import job_panel
from dashboard.components.numbers import fit_result as number_result
from dashboard.services import exports
from dashboard.services.fit.modes import Mode, mode_of
from dashboard.session import jobs
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from dashboard.work.tasks import FIT
from proset.common.words import seconds_words
from proset.storage import to_bytes
from proset.study import NumberStudy
from proset.study.any_study import AnyStudy


def render(session: Session, study: AnyStudy | None) -> None:
    """Draw the page: the form until there is a result, which then takes its place."""
    opened = session.opened
    if opened is None:
        return
    job_panel.boxes(session, key="fit", more=lambda: growing_front.show(session))
    ignored_risks.of_recipe(session, opened)
    guidance_line.show(session, opened)
    if study is None:
        _form(session, opened)
        if not session.working:
            goes_in.show(session, opened)
        return
    _again(session, opened, study)
    if isinstance(study, NumberStudy):
        number_result.show(session, study)
        models.show(session, study)
    else:
        verdict = quality.held_out_verdict(session, study)
        headline.show(verdict)
        quality.show(session, study, verdict)
        search_result.show(session, opened, study)
        models.show(session, study)
    _downloads(study)


def _again(session: Session, opened: OpenTable, study: AnyStudy) -> None:
    """Show the form folded to a line that says what was chosen; open as long as the result is older than the form."""
    stopped = opened.stopped is not None and opened.stopped.record is not None
    if opened.stale and not session.fitting:  # else what is asked for here is under way
        again = "Search" if fit_mode.current(session) is Mode.SEARCH else "Fit"
        changed = f"This shows the last fit. Changed since: {opened.changes}."
        words.notice("warning", f"{changed} {again} again to bring it up to date.")
    took = study.provenance.fit_seconds
    seconds = f"{took:.1f}\u00a0s" if took < 10.0 else seconds_words(took)
    held_out = study.split.settings.words_for(number=study.roles.number)
    made = f"{opened.model_names[study.id]}, held out: {held_out}, fitted in {seconds}"
    # The label is that of the model: one that followed the form would fold it while somebody works in it.
    with st.expander(
        f"{words.label(made)}. Change it", icon=":material/tune:", key=f"fit.form.{study.id}",
        expanded=opened.stale or stopped,
    ):  # fmt: skip
        _form(session, opened)


def _form(session: Session, opened: OpenTable) -> None:
    """Show the settings and the button; while such work is under way, its panel says everything."""
    mode = fit_mode.show(session)
    if mode is Mode.SEARCH:
        search_form.show(opened)
    # What starts the work comes before what may be changed first, and stays in sight when that is opened.
    with page.room():
        _start(session, opened, mode)
    quick_form.advanced(opened, mode)


def _start(session: Session, opened: OpenTable, mode: Mode) -> None:
    """Show the button that starts the work, beside what it takes; or what stands in its way."""
    # A fit may begin beside a search, which takes longer; while a fit runs, nothing else is asked for.
    if any(jobs.running(task) is not None for task in (FIT, job_panel.task_of(mode))):
        return
    jobs.get_ready()
    refused = finding_actions.why_not_fitted(opened)
    if refused:
        words.notice("error", refused)
        rare_classes.ways_out(session, opened)
        page.link(session, "data", "Go to Data")
        return
    asks = opened.fitted is None or opened.stale or mode is not mode_of(opened.fitted)
    with st.container(horizontal=True, vertical_alignment="center"):
        button, aside = st.container(width="content"), st.container()
    with aside:  # a model that is as the form says has said what it took
        needed = time_panel.show(opened, mode) if asks else None
    with button:
        if mode is Mode.SEARCH:
            search_form.buttons(session, opened, needed, first=asks)
            return
        label = "Fit" if opened.fitted is None else "Fit again"
        if asks:
            page.take_primary(session)
        if st.button(label, type="primary" if asks else "secondary", icon=":material/play_arrow:", key="fit.start"):
            job_panel.start(session, mode, needed=needed)
            st.rerun()


def _downloads(study: AnyStudy) -> None:
    """Offer the study, the weights and the prototypes as files."""

    def name(what: str) -> str:
        return f"{exports.file_stem(Path(study.table.name).stem, what)}.csv"

    study_name = f"{exports.file_stem(Path(study.table.name).stem)}.proset"
    downloads.show(
        Download("Study (.proset)", study_name, "application/zip", lambda: to_bytes(study)),
        Download("Feature weights", name("weights"), CSV, lambda: exports.csv_bytes(study.feature_weights)),
        Download("Prototypes", name("prototypes"), CSV, lambda: exports.csv_bytes(study.prototypes, index=False)),
        key="fit",
    )
