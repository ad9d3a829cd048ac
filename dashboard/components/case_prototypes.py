"""Prototypes for and against an estimate, grouped by class; each name leads to its own case."""

from __future__ import annotations

import streamlit as st

from dashboard.components import case_link, words
from dashboard.services.cases import CaseRef
from dashboard.services.evidence import Side, Voice
from dashboard.session.session import Session
from proset.common.words import count_words, percent
from proset.explain.phrases import similarity_words

_WIDTH = 330


def show(session: Session, found: tuple[Side, ...], *, actual: str | None) -> None:
    """Show one group per class: first those for what is said, then those against."""
    # Unlike columns, these go below one another where the window is narrow.
    with st.container(horizontal=True, gap="large"):
        for place, side in enumerate(found):
            with st.container(width=_WIDTH, gap="xxsmall", key=f"case.side.{place}"):
                _group(session, side, place=place, actual=actual)


def _group(session: Session, side: Side, *, place: int, actual: str | None) -> None:
    """Show the prototypes of one class."""
    which = "For" if place == 0 else "Against"
    known = " (actual)" if side.label == actual else ""
    st.markdown(f"**{which}: {words.markdown(side.label)}**{known} · {percent(side.estimate)}")
    if not side.voices:
        st.caption("No prototype adds anything: the class share is all that speaks for it.")
        return
    rest = side.count - len(side.voices)
    more = f", the {len(side.voices)} that add most of {side.count:,}" if rest > 0 else ""
    st.caption(
        f"{count_words(side.count, 'prototype')} add{'s' if side.count == 1 else ''} {percent(side.share)}{more}"
    )
    for voice in side.voices:
        _line(session, voice, key=f"case.voice.{place}.{voice.name}")


def _line(session: Session, voice: Voice, *, key: str) -> None:
    """Show one prototype."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        case_link.button(session, CaseRef.in_table(voice.row), voice.name, key=key)
        settles = " · :primary-badge[decides]" if voice.dominant else ""
        st.markdown(f":small[adds {percent(voice.share)} · similarity {similarity_words(voice.similarity)}]{settles}")
