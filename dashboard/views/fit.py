"""The Fit page: fit a model, see how good it is and what it looks at."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import streamlit as st

from dashboard.components import downloads, ignored_risks, page, words
from dashboard.components.data import finding_actions, rare_classes
from dashboard.components.downloads import CSV, Download
from dashboard.components.fit import fit_mode, quick_form, search_form, search_result, time_panel
from dashboard.components.fit import verdict as quality
from dashboard.components.jobs import job_panel
from dashboard.services import exports
from dashboard.services.fit.modes import Mode
from dashboard.session import jobs
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from proset.storage import to_bytes
from proset.study import Study


def render(session: Session, study: Study | None) -> None:
    """Draw the page."""
    opened = session.opened
    if opened is None:
        return
    ignored_risks.of_recipe(session, opened)
    _controls(session, opened)
    if study is None:
        if not session.working:
            st.markdown(":gray[After the fit, this page shows how good the model is and what it looks at.]")
    else:
        if opened.stale:
            again = "Search" if fit_mode.current(session) is Mode.SEARCH else "Fit"
            changed = f"This shows the last fit. Changed since: {opened.changes}."
            words.notice("warning", f"{changed} {again} again to bring it up to date.")
        verdict = quality.held_out_verdict(session, study)
        quality.measures(session, study, verdict)
        search_result.show(session, opened, study)
        quality.looks_at(study)
        quality.batches(study)
    page.how_to_read(session)
    if study is not None:
        _downloads(study)


def _controls(session: Session, opened: OpenTable) -> None:
    """Show the settings and the button, or the progress of the work under way."""
    mode = fit_mode.show(session)
    if mode is Mode.SEARCH:
        search_form.show(opened)
    quick_form.advanced(opened, mode)
    job_panel.boxes(session, key="fit")
    if jobs.running(job_panel.task_of(mode)) is not None:
        return
    jobs.get_ready()
    refused = finding_actions.why_not_fitted(opened)
    if refused:
        words.notice("error", refused)
        rare_classes.ways_out(session, opened)
        page.link(session, "data", "Go to Data")
        return
    needed = time_panel.show(opened, mode)
    if mode is Mode.SEARCH:
        search_form.buttons(session, opened, needed)
        return
    label = "Fit" if opened.study is None else "Fit again"
    kind: Literal["primary", "secondary"] = "primary" if opened.study is None or opened.stale else "secondary"
    if st.button(label, type=kind, icon=":material/play_arrow:", key="fit.start"):
        job_panel.start(session, mode, needed=needed)
        st.rerun()


def _downloads(study: Study) -> None:
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
