"""The verdict on a case in one strip: what the model says, what the table says, what speaks against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.components.case.markup import Palette
from dashboard.services.case.verdict import Chip, verdict
from proset.common.words import percent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dashboard.services.case.selected import CaseEvidence


def show(evidence: CaseEvidence) -> None:
    """Show the strip."""
    found, palette = verdict(evidence), Palette.of(evidence.study.classes)
    lines = found.lines
    said = palette.named(lines.predicted, f"{lines.predicted}, {percent(lines.confidence)}")
    actual = "" if lines.actual is None else f"; the table says {palette.named(lines.actual, lines.actual)}"
    mark = f'<span class="case-mark {found.mark.split()[0]}">{found.mark}</span>'
    head = (
        f"{words.html(lines.name)}: the model says {said}{actual} {mark} "
        f'<span class="case-part">{words.html(lines.part)}</span>'
    )
    banner(head, found.notes, found.chips)


def banner(head: str, notes: Iterable[str], chips: Iterable[Chip]) -> None:
    """Show a strip: a heading in HTML, sentences, and facts, doubts first."""
    facts = "".join(map(_chip, sorted(chips, key=lambda chip: not chip.doubt)))
    said = words.html(" ".join(notes))
    with st.container(key="case-banner"):
        st.html(f'<h2 class="case-head">{head}</h2><p class="case-note">{said}</p><p class="case-chips">{facts}</p>')


def _chip(chip: Chip) -> str:
    """Return one fact; a doubt has a word as well as a colour."""
    doubt = "<b>look twice</b> " if chip.doubt else ""
    return (
        f'<span class="case-chip{" doubt" if chip.doubt else ""}" title="{words.html(chip.help)}">'
        f"{doubt}{words.html(chip.text)}</span>"
    )
