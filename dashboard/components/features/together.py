"""Pairs of columns that work together, over many rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, figure_panel, reference_choice, words
from dashboard.components.downloads import Download
from dashboard.components.slices import followed
from dashboard.services import exports
from dashboard.session.session import Session
from dashboard.texts import together as text
from proset import explain
from proset.common.words import count_words
from proset.explain.attribution.many_rows import explained_rows, importance_words, quick_paired_rows
from proset.plots.interactions import plot_interactions

if TYPE_CHECKING:
    import pandas as pd

    from dashboard.services.cases import Within
    from dashboard.services.references import Reference
    from proset.study import Study


def show(session: Session, study: Study, *, key: str) -> None:
    """Say which two columns work together most, and show how all pairs compare; the model uses some columns."""
    if not quick_paired_rows(study):
        words.notice("info", too_many(study))
        return
    against = reference_choice.show(session, study, key=f"{key}.reference")
    reference_choice.tell(session, study)
    if not followed.say_mean(session, study):
        return
    said, strength, rows = cache.derived(_found, study, against, session.within)
    st.markdown(words.markdown(said))
    if not strength.to_numpy().any():
        return
    figure = plot_interactions(strength)
    top = ", ".join(" with ".join(pair) for pair in strength.index[:5])
    figure_panel.show(
        figure,
        key=f"{key}.together",
        file_name=exports.file_stem(study.table.name, "together"),
        alt=f"Share of pairs of columns in all interaction, by class; the strongest: {top}.",
    )
    st.caption(words.caption(" ".join(filter(None, (rows, figure.layout.meta, text.HOW)))))


def too_many(study: Study) -> str:
    """Say that there are too many pairs."""
    used = len(study.used_columns)
    return text.TOO_MANY.format(columns=count_words(used, "column"), pairs=f"{used * (used - 1) // 2:,}")


def files(session: Session, study: Study) -> list[Download]:
    """Return what the page offers as a table."""
    if not quick_paired_rows(study):
        return []

    def pairs() -> bytes:
        against = reference_choice.chosen(session, study)
        return exports.csv_bytes(cache.derived(_found, study, against, session.within)[1])

    stem = exports.file_stem(study.table.name, "features")
    return [Download("Pairs of columns (CSV)", f"{stem}-together.csv", downloads.CSV, pairs)]


def _found(study: Study, against: Reference, within: Within | None) -> tuple[str, pd.DataFrame, str]:
    """Return the finding in words, the strength of all pairs, and over which rows it is the mean."""
    among = explained_rows(study, cases=None if within is None else within.rows, every=True)
    rows = explained_rows(study, cases=among, n_cases=quick_paired_rows(study))
    found = explain.shapley_interactions(study, rows, against)
    picked = None if within is None else len(among)
    return found.words, found.strength(), importance_words(study, against, len(rows), picked)
