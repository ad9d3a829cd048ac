"""The Fit page: fit a model, see how good it is and what it looks at."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard import cache, state
from dashboard.components import (
    downloads,
    figure_panel,
    fit_form,
    fit_mode,
    guard,
    job_panel,
    page,
    search_form,
    search_result,
)
from dashboard.components.downloads import CSV, Download
from dashboard.components.fit_mode import Mode
from dashboard.components.page import plain, say
from dashboard.services import exports
from dashboard.services import fit as service
from dashboard.services.data import fit_problem
from dashboard.session import jobs
from dashboard.texts import TEXTS
from dashboard.work.tasks import FIT, SEARCH
from proset.data.roles import Roles
from proset.data.table import Table
from proset.plots.confusion import plot_confusion
from proset.plots.weights import plot_feature_weights
from proset.storage import to_bytes
from proset.study import Study

_BARS = 20


def render() -> None:
    """Draw the page."""
    page.head("fit")
    table, roles = guard.need_table(), state.roles()
    if table is None or roles is None:
        return
    _controls(table, roles)
    study = state.study()
    if study is None:
        if state.job() is None:
            st.markdown(":gray[After the fit, this page shows how good the model is and what it looks at.]")
    else:
        if state.study_is_stale():
            again = "Search" if fit_mode.current() is Mode.SEARCH else "Fit"
            say("warning", f"This shows the last fit: {state.stale_reason()}. {again} again to bring it up to date.")
        _quality(study)
        search_result.show(study)
        _inside(study)
        _batches(study)
    page.how_to_read("fit")
    if study is not None:
        _downloads(study)
        with st.container(horizontal=True):
            for name in ("map", "case"):
                page.link(name, f"Go to {TEXTS[name].menu}")


def _controls(table: Table, roles: Roles) -> None:
    """Show the settings and the button, or the progress of the work under way."""
    search = fit_mode.show() is Mode.SEARCH
    if search:
        search_form.show()
    fit_form.advanced(searched=state.search_finds() if search else ())
    job_panel.boxes(key="fit")
    if jobs.running(SEARCH if search else FIT) is not None:
        return
    jobs.get_ready()
    problem = cache.derived(table, "fit problem", lambda: fit_problem(table, roles), roles)
    if problem is not None:
        say("error", problem)
        page.link("data", "Go to Data")
        return
    if search:
        search_form.buttons()
        return
    label = "Fit" if state.study() is None else "Fit again"
    if st.button(label, type="primary", icon=":material/play_arrow:", key="fit.start"):
        job_panel.start()
        st.rerun()


def _quality(study: Study) -> None:
    """Show the verdict and the measures on held-out rows beside the naive model."""
    st.subheader("On rows the model has not seen", anchor=False)
    kind, text = service.verdict(study)
    say(kind, text)
    entries = service.measures(study)
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
    absent = study.metrics.absent_classes
    note = f" No held-out row belongs to: {', '.join(map(plain, absent))}." if absent else ""
    st.caption(
        f"Measured on {study.metrics.n_rows:,} held-out rows. Predicted class: {plain(study.metrics.rule)}. "
        f"Naive: always states how common each class is among the training rows.{note}"
    )


def _inside(study: Study) -> None:
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
            plot_confusion(study.metrics.confusion),
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
        st.markdown(f"{icon} {plain(text)}")
    st.caption(plain(service.made_words(study)))


def _downloads(study: Study) -> None:
    """Offer the study, the weights, the prototypes and the confusion as files."""

    def name(what: str) -> str:
        return f"{exports.file_stem(Path(study.table.name).stem, what)}.csv"

    study_name = f"{exports.file_stem(Path(study.table.name).stem)}.proset"
    downloads.show(
        Download("Study (.proset)", study_name, "application/zip", lambda: to_bytes(study)),
        Download("Feature weights", name("weights"), CSV, lambda: exports.csv_bytes(study.feature_weights)),
        Download("Prototypes", name("prototypes"), CSV, lambda: exports.csv_bytes(study.prototypes, index=False)),
        Download("Confusion", name("confusion"), CSV, lambda: exports.csv_bytes(study.metrics.confusion)),
        key="fit",
    )


if __name__ == "__main__":
    render()
