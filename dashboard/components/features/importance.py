"""Importance of features: SHAP values of the held-out rows at once, or of all of them as a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import class_picker, downloads, figure_panel, reference_choice, words
from dashboard.components.downloads import Download
from dashboard.components.jobs import job_panel, study_job
from dashboard.components.slices import followed
from dashboard.services import exports
from dashboard.session import jobs
from dashboard.session.session import Session
from dashboard.texts import importance as text
from dashboard.work.tasks import IMPORTANCE, ImportanceRequest
from proset import explain
from proset.common.words import count_words, shown
from proset.explain.attribution.many_rows import explained_rows, global_importance
from proset.plots.shap_importance import plot_importance
from proset.plots.shap_swarm import plot_shap_swarm

if TYPE_CHECKING:
    import pandas as pd

    from dashboard.services.cases import Within
    from dashboard.services.references import Reference
    from proset.explain.attribution.many_rows import Importance
    from proset.study import Study

_KEPT = "importance"
_BARS, _CHOICE = 460, 335


def show(session: Session, study: Study, *, key: str) -> None:
    """Show which columns move the estimates, and by how much; the model uses some."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        against = reference_choice.show(session, study, key=f"{key}.reference")
        with st.container(width=_CHOICE):
            label = study.classes[class_picker.show(session, study, key=f"{key}.class")]
    reference_choice.tell(session, study)
    if not followed.say_mean(session, study):
        return
    found = importance(session, study, against)
    st.markdown(words.markdown(moved_words(found.frame)))
    with st.container(horizontal=True, gap="large"):
        bars, swarm = st.container(width=_BARS), st.container()
    with bars:
        _bars(study, found, key=key)
    with swarm:
        _direction(session, study, against, label, key=key)
    _offer(session, study, against, found, key=key)


def _bars(study: Study, found: Importance, *, key: str) -> None:
    """Show how much each column moves the estimates."""
    figure = plot_importance(found.frame)
    shares = 100.0 * found.frame.mean(axis=1)
    top = ", ".join(f"{name} {share:.1f}" for name, share in shares.head(5).items())
    figure_panel.show(
        figure,
        key=f"{key}.importance",
        file_name=exports.file_stem(study.table.name, "importance"),
        alt=f"Mean change of the estimates by column, in percentage points per class: {top}.",
    )
    notes = (found.words, figure.layout.meta, text.HOW)
    st.caption(words.caption(" ".join(filter(None, notes))))


def _direction(session: Session, study: Study, against: Reference, label: str, *, key: str) -> None:
    """Show which way each column moves the estimate of a class, row by row; a click selects a row."""
    sample = cache.derived(_importance, study, against, session.within).sample
    if sample is None or not len(sample.rows) or not study.used_columns:
        return
    figure = figure_panel.show_clickable(
        session,
        lambda _: plot_shap_swarm(sample, label),
        name=f"{key}.swarm.{against.text}.{study.classes.index(label)}.{session.rows_key}",
        file_name=exports.file_stem(study.table.name, "direction"),
        alt=f"SHAP values of {count_words(len(sample.rows), 'row')} towards {label}, one line of marks per column.",
        owner=study,
    )
    rows = count_words(len(sample.rows), "row")
    st.caption(words.caption(" ".join(filter(None, (text.SWARM.format(rows=rows), figure.note)))))


def moved_words(frame: pd.DataFrame) -> str:
    """Say which columns move the estimates most, and by how much; of more than two classes added up over these."""
    points = 100.0 * (frame.mean(axis=1) if frame.shape[1] == 2 else frame.sum(axis=1))
    points = points[points > 0.0]
    if points.empty:
        return text.NOTHING
    first = [f"'{shown(name, 40)}' ({value:.1f})" for name, value in points.iloc[1:3].items()]
    then = f", then {', '.join(first)}" if first else ""
    over = "" if frame.shape[1] == 2 else ", added up over classes"
    points_words = f"{points.iloc[0]:.1f} percentage points on average{over}"
    return f"'{shown(points.index[0], 40)}' moves the estimates most, by {points_words}{then}."


def importance(session: Session, study: Study, against: Reference) -> Importance:
    """Return what counts: what a job has found over all rows, else over as many as can be done at once."""
    kept: Importance | None = study_job.kept(session, study, _name(against)) if session.within is None else None
    return kept or cache.derived(_importance, study, against, session.within)


def _importance(study: Study, against: Reference, within: Within | None) -> Importance:
    return global_importance(study, against, cases=None if within is None else within.rows)


def files(session: Session, study: Study) -> list[Download]:
    """Return what the page offers as tables."""
    against = reference_choice.chosen(session, study)
    found = importance(session, study, against)
    rows = explained_rows(study, cases=None if session.within is None else session.within.rows)
    stem = exports.file_stem(study.table.name, "features")

    def values() -> bytes:
        return exports.csv_bytes(explain.shap_values(study, rows, against).to_frame())

    return [
        Download(
            "What counts (CSV)",
            f"{stem}-importance.csv",
            downloads.CSV,
            lambda: exports.csv_bytes(found.frame),
        ),
        Download(f"SHAP values of {count_words(len(rows), 'row')} (CSV)", f"{stem}-shap.csv", downloads.CSV, values),
    ]


def _offer(session: Session, study: Study, against: Reference, found: Importance, *, key: str) -> None:
    """Show the button that goes through all rows, or how far it is; nothing where all have been gone through."""
    every = explained_rows(study, every=True)
    if found.rows >= len(every) or session.within is not None:  # the job takes all rows
        return
    if jobs.running(IMPORTANCE) is not None:
        job_panel.boxes(session, key=key)
        return
    label = text.START.format(count=count_words(len(every), "row"))
    if st.button(label, key=f"{key}.importance.start", icon=":material/functions:", help=text.HELP):
        request = ImportanceRequest(study, against.text)
        study_job.start(session, study, IMPORTANCE, request, name=_name(against))
        st.rerun()


def _name(against: Reference) -> str:
    """Return the name under which a result of the job is kept."""
    return f"{_KEPT} {against.text}"
