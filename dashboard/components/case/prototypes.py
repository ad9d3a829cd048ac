"""Prototypes for and against an estimate, grouped by class; each name leads to its own case."""

from __future__ import annotations

import streamlit as st

from dashboard.components import figure_panel, fold, page, words
from dashboard.components.case import comparison, link
from dashboard.services.case.comparison import compare
from dashboard.services.case.evidence import Side, Voice, sides
from dashboard.services.case.folds import FOLDS
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef
from dashboard.session.session import Session
from proset.common.words import count_words, percent
from proset.explain.cases.pixels import used_pixels
from proset.explain.phrases import similarity_words
from proset.plots.image_evidence import plot_image_evidence

_WIDTH = 322
_DECIDES = ":material/star:"


def pictures(session: Session, evidence: CaseEvidence) -> None:
    """Show the case, its leading prototypes, and how they differ, if they are pictures."""
    report = evidence.report
    if not report.images:
        return
    several = len(report.images) > 1
    figure_panel.show(
        plot_image_evidence(report, used=used_pixels(evidence.study), differences=several),
        key="case.images",
        file_name=f"{evidence.stem}-images",
        alt="The case and its leading prototypes as pictures, and how each differs from the case.",
    )
    st.caption("Grey veil: pixels that the model does not use.")


def show(session: Session, evidence: CaseEvidence) -> None:
    """Show the prototypes that count: one list per class, and their values."""
    page.section("Prototypes for and against")
    report = evidence.report
    if report.prototypes.empty:
        st.caption("The model has no prototypes: every case gets the share of each class among the training rows.")
        return
    _groups(session, sides(report), actual=report.actual)
    if box := fold.part(session, FOLDS, "values", "Values beside those of the leading prototypes"):
        with box:
            comparison.show(compare(report), key="case.comparison")
            if report.neighbour_extras.shape[1]:
                st.markdown("**Columns that the model does not use**")
                comparison.show_extras(report.neighbour_extras, key="case.extras")


def _groups(session: Session, found: tuple[Side, ...], *, actual: str | None) -> None:
    """Show one group per class: first those for what is said, then those against."""
    # Unlike columns, these go below one another where the window is narrow.
    with st.container(horizontal=True, gap="small"):
        for place, side in enumerate(found):
            with st.container(width=_WIDTH, gap="xxsmall", key=f"case.side.{place}"):
                _group(session, side, place=place, actual=actual)
    if any(voice.dominant for side in found for voice in side.voices):
        st.caption(f"{_DECIDES} in the dominant set: the smallest group that decides which class comes first.")


def _group(session: Session, side: Side, *, place: int, actual: str | None) -> None:
    """Show the prototypes of one class."""
    which = "For" if place == 0 else "Against"
    known = " (actual)" if side.label == actual else ""
    st.markdown(f"**{which}: {words.markdown(side.label)}**{known} · {percent(side.estimate)}")
    if not side.voices:
        st.caption("No prototype adds anything: the class share is all that speaks for it.")
        return
    rest = side.count - len(side.voices)
    adds = "adds" if side.count == 1 else "add"
    more = f"; the {len(side.voices)} that add most:" if rest > 0 else ":"
    st.caption(f"{count_words(side.count, 'prototype')} {adds} {percent(side.share)}{more}")
    for voice in side.voices:
        _line(session, voice, key=f"case.voice.{place}.{voice.name}")


def _line(session: Session, voice: Voice, *, key: str) -> None:
    """Show one prototype."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        icon = _DECIDES if voice.dominant else link.ICON
        link.button(session, CaseRef.in_table(voice.row), voice.name, key=key, icon=icon)
        st.markdown(f":small[adds {percent(voice.share)}, similarity {similarity_words(voice.similarity)}]")
