"""Prototypes for and against an estimate, and the nearest known case of either class; each name leads to its case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.components.case import link
from dashboard.components.case.markup import Palette
from dashboard.services.case.evidence import Side, Voice
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef
from dashboard.session.session import Session
from proset.common.words import count_words, percent
from proset.explain.phrases import mean_of_batches, similarity_words

if TYPE_CHECKING:
    from proset.study import Study

_WIDTH, _NEAREST_WIDTH = 254, 232  # side by side at 1440 px, also beside a scroll bar
_MOST_AGAINST, _MOST_NEAREST = 2, 2
_MOST_CLASSES = 4
_DECIDES = ":material/star:"
_DOMINANT = " In the dominant set: the smallest group that decides which class comes first."
_AGAINST = " It speaks against that class: the set is made of the largest contributions, whichever class they are to."


def show(session: Session, evidence: CaseEvidence) -> None:
    """Show those for what is said, those against it, and the nearest known cases, side by side."""
    report = evidence.report
    if report.prototypes.empty:
        st.caption("The model has no prototypes: every case gets the share of each class among the training rows.")
        return
    palette = Palette.of(evidence.study.classes)
    first, *against = found = evidence.sides
    most = max([voice.share for side in found for voice in side.voices], default=1.0)
    # Numbers and bars are measured by the text, so what holds them has to be.
    wide, narrow = (round(width * max(1.0, 0.95 * session.larger)) for width in (_WIDTH, _NEAREST_WIDTH))
    # Unlike columns, these go below one another where the window is narrow.
    with st.container(horizontal=True, gap="xsmall", key="case-voices"):
        with st.container(width=wide, gap=None, key="case.side.0"):
            _group(session, evidence.study, first, palette, place=0, most=most)
        with st.container(width=wide, gap=None, key="case.side.1"):
            for place, side in enumerate(against, 1):
                _group(session, evidence.study, side, palette, place=place, most=most)
        with st.container(width=narrow, gap=None, key="case.known"):
            _nearest(session, evidence, palette)


def _group(session: Session, study: Study, side: Side, palette: Palette, *, place: int, most: float) -> None:
    """Show the prototypes of one class."""
    said = f"{'Against' if place else 'For'} {palette.named(side.label, side.label)}"
    many = count_words(side.count, "prototype")
    st.html(f'<p class="case-side"><b>{said}</b> {percent(side.estimate)} · {many}</p>')
    listed = side.voices[: _MOST_AGAINST if place else None]
    for voice in listed:
        name = with_row(study.short_name(voice.name, voice.row), voice.row)
        bar = palette.bar(side.label, voice.share / most)
        _line(session, voice, name, bar, key=f"case.voice.{place}.{voice.name}", against=place > 0)
    if not side.voices:
        st.caption("No prototype adds anything.")
    st.html(f'<p class="case-rest">{_rest(side, listed)}</p>')


def _rest(side: Side, listed: Sequence[Voice]) -> str:
    """Say what the lines above leave out of the probability: other prototypes, and the class share."""
    base = f"class share {percent(side.estimate - side.share)}"
    n_others = side.count - len(listed)
    if not n_others:
        return base
    return f"{count_words(n_others, 'other')} {percent(side.rest(len(listed)))}, {base}"


def _line(session: Session, voice: Voice, name: str, bar: str, *, key: str, against: bool) -> None:
    """Show one prototype."""
    icon = _DECIDES if voice.dominant else None
    member = _DOMINANT + (_AGAINST if against else "") if voice.dominant else ""
    numbers = f"{bar}<span>{percent(voice.share)}</span>{_near(voice.similarity)}"
    said = f"adds {percent(voice.share)}, similarity {similarity_words(voice.similarity)}"
    with st.container(horizontal=True, gap=None, vertical_alignment="center"):
        link.button(
            session,
            CaseRef.in_table(voice.row),
            name,
            key=key,
            icon=icon,
            icon_position="right",
            help=whole_name(voice.name, voice.row) + member,
        )
        st.html(f'<p class="case-voice" title="{said}">{numbers}</p>', width="content")


def _nearest(session: Session, evidence: CaseEvidence, palette: Palette) -> None:
    """List the nearest known cases of the class that is said, of the one it is held against, and of others."""
    labels = _classes_near(evidence)
    which = "of each class" if len(labels) == len(evidence.study.classes) else "by class"
    st.html(f'<p class="case-side"><b>Nearest {which}</b> similarity{mean_of_batches(evidence.study)}</p>')
    for place, label in enumerate(labels):
        # Of two classes two cases each; of more only the class that is said has two, so that others have room.
        many = _MOST_NEAREST if place == 0 or len(labels) == 2 else 1
        for case in evidence.nearest.of(label).head(many).to_dict("records"):
            row, name = int(case["row"]), str(case["name"])
            with st.container(horizontal=True, gap=None, vertical_alignment="center"):
                link.button(
                    session,
                    CaseRef.in_table(row),
                    with_row(evidence.study.short_name(name, row), row),
                    key=f"case.known.{place}.{row}",
                    icon=None,
                    help=whole_name(name, row),
                )
                near = _near(float(case["similarity"]))
                said = f"{near}{palette.named(label, label)}"
                st.html(f'<p class="case-voice near" title="{words.html(label)}">{said}</p>', width="content")


def _classes_near(evidence: CaseEvidence) -> list[str]:
    """Return the class that is said, the one it is held against, and others, those first that have a nearer case."""
    against, nearest = evidence.contradictions, evidence.nearest
    own = [against.said, against.other]
    others = [label for label in evidence.study.classes if label not in own]
    others.sort(key=lambda label: -nearest.of(label)["similarity"].max())
    return [*own, *others[: _MOST_CLASSES - len(own)]]


def _near(similarity: float) -> str:
    """Draw a similarity as a bar with its number."""
    said = similarity_words(similarity).replace("over ", "&gt; ").replace("under ", "&lt; ")
    return f'<i class="case-near" style="--w:{100 * similarity:.0f}%"></i><span>{said}</span>'


def with_row(name: str, row: int) -> str:
    """Return the number of a row with the name of its case behind it: of a long one the end is out of sight."""
    if _is_number(name, row):
        return f"row {name}"
    return name if _is_number(name, f"row {row}") else f"{row} · {name}"


def whole_name(name: str, row: int) -> str:
    """Return the name of a case and what number of a row stands behind it."""
    return words.markdown(f"{name}." if _is_number(name, f"row {row}") else f"{name}, row {row}.")


def _is_number(name: str, number: object) -> bool:
    """Tell whether a case, perhaps of a later batch, is called by a number only."""
    return name.split(", batch ")[0] == str(number)
