"""The verdict on a case of a number: what the model says, what its row states, and a few facts."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dashboard.components import words
from dashboard.components.case import markup
from dashboard.components.case.verdict import banner
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
    banner(head, found.notes, found.chips)
