"""The verdict on a case of a number: what the model says, what its row states, and a few facts."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard.components import words
from dashboard.components.case import markup
from dashboard.services.case.verdict import Chip
from dashboard.services.numbers.number_evidence import NumberEvidence, number_verdict

_STYLES = Path(__file__).with_name("number_case.css")


def look() -> None:
    """Load the look of the page."""
    markup.look()
    st.html(_STYLES)


def show(evidence: NumberEvidence) -> None:
    """Show the strip."""
    found = number_verdict(evidence)
    head = (
        f"{words.html(found.name)}: {words.html(found.said)}{words.html(found.stated)} "
        f'<span class="case-mark">{found.mark}</span> <span class="case-part">{words.html(found.part)}</span>'
    )
    chips = "".join(map(_chip, sorted(found.chips, key=lambda chip: not chip.doubt)))
    notes = words.html(" ".join(found.notes))
    with st.container(key="case-banner"):
        st.html(f'<h2 class="case-head">{head}</h2><p class="case-note">{notes}</p><p class="case-chips">{chips}</p>')


def _chip(chip: Chip) -> str:
    """Return one fact; a doubt has a word as well as a frame."""
    doubt = "<b>look twice</b> " if chip.doubt else ""
    return (
        f'<span class="case-chip{" doubt" if chip.doubt else ""}" title="{words.html(chip.help)}">'
        f"{doubt}{words.html(chip.text)}</span>"
    )
