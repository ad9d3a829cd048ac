"""A case beside typical cases, neighbours and prototypes: one table in which each value has the tint of a class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.components.case.markup import Palette
from dashboard.services.aside import set_aside
from dashboard.services.case.alike import alike_marks
from dashboard.services.case.beside import MOST_ASKED, Beside, Cell, Head, Line, beside
from dashboard.services.case.spoken import spoken_sentence, spoken_words
from dashboard.services.case.verdict import contradiction_rule
from dashboard.services.params import Flag
from dashboard.services.references import reference
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import case as text
from proset.common.words import count_words

if TYPE_CHECKING:
    from dashboard.services.case.selected import CaseEvidence
    from proset.study.base import StudyBase
    from proset.study.case import Case


WHOLE = Flag("values", False)
"""Lines also for columns of little weight, and for all that are not used."""


def show(session: Session, evidence: CaseEvidence) -> None:
    """Show the table."""
    study = evidence.study
    if not study.used_columns:
        return
    found = table(evidence, whole=session.get(WHOLE))
    palette = Palette.of(study.classes)
    marks = evidence.kept("alike", lambda: alike_marks(evidence))
    st.html(_markup(found, palette, marks))
    said = spoken_sentence([(line.column, line.cells[0].text, line.cells[0].spoken) for line in found.lines])
    if said:
        st.caption(words.caption(said), help=text.SPOKEN)
    every(session, found.used + found.unused, len(found.lines))


def aside(case: Case, study: StudyBase) -> None:
    """List what a row holds in columns that no model looks at, behind a click."""
    found = set_aside(study, case.frame)
    if found:
        with st.expander(text.ASIDE.format(n=len(found))):
            lines = "".join(f"<dt>{words.html(name)}</dt><dd>{words.html(value)}</dd>" for name, value in found)
            st.html(f'<dl class="case-aside">{lines}</dl>')


def every(session: Session, there: int, listed: int) -> None:
    """Show the switch for a line for each column, if some have none or had none before it was pressed."""
    if session.get(WHOLE) or listed < there:
        widgets.toggle(session, WHOLE, text.MORE_COLUMNS, key="case.values")


def table(evidence: CaseEvidence, *, whole: bool = False) -> Beside:
    """Return the case beside others."""
    study = evidence.study

    def typical(label: str) -> int:
        return cache.derived(reference, study, f"class-{study.classes.index(label)}").row

    most = {"most_used": MOST_ASKED, "most_unused": MOST_ASKED} if whole else {}
    return evidence.kept("beside", lambda: beside(evidence, typical=typical, **most), whole)


def _markup(found: Beside, palette: Palette, marks: frozenset[tuple[int, str]]) -> str:
    """Return the table."""
    classes = f"{palette.named(found.said, found.said)}, {palette.named(found.other, found.other)}"
    heads = "".join(map(_head, found.heads))
    used = [_line(line, found, palette, marks) for line in found.lines if line.used]
    unused = [_line(line, found, palette, marks) for line in found.lines if not line.used]
    more = found.used - len(used)
    weight = f"{count_words(more, 'more column')} of less weight"
    rest = f'<tr class="part"><td colspan="2">{weight}</td></tr>' if more else ""
    if unused:
        contradict = any(line.contradicts for line in found.lines)
        better = f", first those that fit {palette.named(found.other, found.other)} better"
        first = better if contradict else "; none contradicts"
        some = f", {len(unused):,} of {found.unused:,}" if found.unused > len(unused) else ""
        rest += f'<tr class="part"><td colspan="2">Not used by the model{some}{first}</td></tr>'
    drawn = {(head.row, line.column) for head in found.heads for line in found.lines}
    alike = f'; <u class="alike" title="{text.ALIKE}">underlined</u>: alike where it counts' if marks & drawn else ""
    name = f'<th class="name">Values <span>tinted towards the class they fit better{alike}</span></th>'
    return (
        f'<table class="case-values"><thead><tr>{name}'
        f'<th class="strip">middle half and 90 % of<br>{classes}</th>{heads}</tr></thead>'
        f"<tbody>{''.join(used)}{rest}{''.join(unused)}</tbody></table>"
    )


def _head(head: Head) -> str:
    """Return the head of one case."""
    what, name = words.html(head.what), words.html(head.name)
    below = "" if head.what == "this case" else f"<br>{name}"
    return f'<th class="{_kind(head)}" title="{what}: {name}">{what}{below}</th>'


def _kind(head: Head) -> str:
    """Return how a case stands in the table."""
    return "own" if head.what == "this case" else "typical" if head.typical else "other"


def _line(line: Line, found: Beside, palette: Palette, marks: frozenset[tuple[int, str]]) -> str:
    """Return one column of the user's table."""
    cells = "".join(
        _cell(cell, head, found, palette, alike=(head.row, line.column) in marks)
        for cell, head in zip(line.cells, found.heads, strict=True)
    )
    mark = ""
    if line.contradicts:
        mark = f' <b class="against" title="{words.html(contradiction_rule(found.said, found.other))}">contradicts</b>'
    column = words.html(line.column)
    name = f'<td class="name" title="{column}"><span>{column}</span>{mark}</td>'
    strip = f'<td class="strip">{palette.strip(line, found.said, found.other)}</td>'
    return f'<tr class="{"used" if line.used else "unused"}">{name}{strip}{cells}</tr>'


def _cell(cell: Cell, head: Head, found: Beside, palette: Palette, *, alike: bool) -> str:
    """Return one value."""
    tint = palette.tint(cell.lean, found.said, found.other)
    look = f' style="background:{tint}"' if tint else ""
    note = f" ({words.html(cell.assumed)})" if cell.assumed else ""
    value, said = words.html(cell.text), words.html(spoken_words(cell.spoken))
    title = ": ".join(filter(None, (value, text.ALIKE if alike else "", said)))
    parts = words.breaking(cell.text)
    shown = f'<u class="alike">{parts}</u>' if alike else parts
    return f'<td class="{_kind(head)}"{look} title="{title}"><div class="value">{shown}{note}</div></td>'
