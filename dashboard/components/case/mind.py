"""Answers to what would change the mind of the model, under locks, beside the nearest real case of that class."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.components import picture_strip, words
from dashboard.components.case import link, what_if
from dashboard.components.case.markup import Palette
from dashboard.components.case.prototypes import with_row
from dashboard.services.case import mind
from dashboard.services.case.mind import AIM, FALL, LOCKED, RISE, ColumnsParam
from dashboard.services.case.what_if import Edits, kept
from dashboard.services.cases import CaseRef
from dashboard.services.pictures import as_picture, pictures
from dashboard.session import widgets
from dashboard.texts import case as text
from proset.common.words import count_words, leading, percent, unbroken

if TYPE_CHECKING:
    from dashboard.services.case.selected import CaseEvidence
    from dashboard.session.session import Session
    from proset.explain.cases.counterfactual_result import Counterfactual, Counterfactuals

PARAMS = (LOCKED, RISE, FALL, AIM)
_MOST_LINES = 12
_NARROW = 172


def show(session: Session, evidence: CaseEvidence) -> None:
    """Show what may change, the answers, and the nearest real case."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _aim(session, evidence)
        _columns(session, evidence, LOCKED, text.LOCKED, list(evidence.ranges))
        for param, label in ((RISE, text.RISE), (FALL, text.FALL)):
            if ordered := mind.ordered_columns(evidence):
                _columns(session, evidence, param, label, ordered)
    wish = mind.wish_of(
        evidence,
        aim=int(session.get(AIM)),
        locked=session.get(LOCKED),
        rise=session.get(RISE),
        fall=session.get(FALL),
    )
    found = mind.change_of_mind(evidence, wish)
    if found.impossible:
        words.notice("info", found.words)
    if not found.impossible or found.real is not None:
        st.html(_table(evidence, found))
        _pictures(evidence, found)
    _buttons(session, evidence, found)
    st.caption(words.caption(text.mind_note(found.least_familiarity, real=found.real is not None)))


def _aim(session: Session, evidence: CaseEvidence) -> None:
    """Show which class is to be said; of two there is no choice."""
    classes, said = evidence.study.classes, evidence.report.predicted
    if len(classes) < 3:
        return
    now = mind.aimed_at(evidence, int(session.get(AIM)))
    widgets.held(
        st.selectbox,
        text.AIM,
        [mind.ANY, *(k for k, name in enumerate(classes) if name != said)],
        key="case.aim",
        value=mind.ANY if now is None else classes.index(now),
        taken=partial(session.put, AIM),
        format_func=lambda k: text.ANY_OTHER if k < 0 else words.bare(classes[k]),
        width=150,
    )


def _columns(session: Session, evidence: CaseEvidence, param: ColumnsParam, label: str, offered: list[str]) -> None:
    """Show a choice of columns."""
    every = list(map(str, evidence.study.table.frame.columns))
    places = {every.index(name): name for name in offered}

    def take(said: list[int]) -> None:
        chosen = [places[place] for place in said]
        session.put(param, mind.changed_positions(evidence, session.get(param), offered, chosen))

    widgets.held(
        st.multiselect,
        label,
        list(places),
        key=f"case.{param.name}",
        value=[place for place in session.get(param) if place in places],
        taken=take,
        format_func=lambda place: words.bare(places[place]),
        placeholder=text.NO_COLUMN,
        width="stretch" if param is LOCKED else _NARROW,
    )


def _table(evidence: CaseEvidence, found: Counterfactuals) -> str:
    """Return the answers side by side: a line per column that one of them changes."""
    palette = Palette.of(evidence.study.classes)
    heads = "".join(_head(palette, one, number) for number, one in enumerate(found.found, 1))
    real = found.real
    if real is not None:
        many = len(mind.differing(evidence, found))
        title = words.html(f"Real case: {with_row(real.name, real.row)}")
        heads += (
            f'<th class="other" title="{title}">{title}<br>{palette.named(real.actual, real.actual)}, '
            f"{unbroken(leading(real.probability))}<br>{text.differs(many, len(evidence.ranges))}</th>"
        )
    lines = mind.answer_lines(evidence, found)
    body = "".join(_line(line, real=real is not None) for line in lines[:_MOST_LINES])
    more = len(lines) - _MOST_LINES
    if more > 0:
        others = count_words(more, "more column")
        body += f'<tr class="part"><td colspan="2">{others}</td></tr>'
    said = evidence.report.predicted
    now = f"now<br>{palette.named(said, said)}, {unbroken(leading(float(evidence.report.probabilities[said])))}"
    familiar = f"familiarity {unbroken(percent(evidence.report.quantile))}"
    return (
        f'<table class="case-values"><thead><tr><th class="name">{text.heading(answers=len(found.found))}</th>'
        f'<th class="own">{now}<br>{familiar}</th>{heads}</tr></thead><tbody>{body}</tbody></table>'
    )


def _head(palette: Palette, one: Counterfactual, number: int) -> str:
    """Return the head of one answer."""
    said = palette.named(one.predicted, one.predicted)
    return (
        f'<th class="other">{number}: it would say<br>{said}, {unbroken(leading(one.probability))}'
        f"<br>familiarity {unbroken(percent(one.quantile))}</th>"
    )


def _line(line: mind.AnswerLine, *, real: bool) -> str:
    """Return one column."""
    name = words.html(line.column)
    cells = "".join(_cell("own", value) if value else f'<td class="other">{mind.STAYS}</td>' for value in line.would)
    there = _cell("other", line.real) if real else ""
    return (
        f'<tr class="used"><td class="name" title="{name}"><span>{name}</span></td>'
        f"{_cell('other', line.now)}{cells}{there}</tr>"
    )


def _cell(kind: str, value: str) -> str:
    """Return one value, on as many lines as it takes."""
    return f'<td class="{kind}"><div class="value">{words.breaking(value)}</div></td>'


def _pictures(evidence: CaseEvidence, found: Counterfactuals) -> None:
    """Show a case of pictures now and then, with rings around the pixels that would have to be another."""
    grid, report = evidence.study.table.grid, evidence.report
    if grid is None or not report.images:
        return
    columns = list(grid.columns)
    tiles, lines, rings = [report.images[0].pixels], [("now", report.predicted)], {}
    for number, one in enumerate(found.found, 1):
        picture = as_picture(evidence.study, mind.changed_frame(evidence, one.values))
        if picture is not None:
            rings[len(tiles)] = [divmod(columns.index(name), grid.width) for name in one.values if name in columns]
            tiles.append(picture)
            lines.append((f"answer {number}", one.predicted))
    if found.real is not None:
        tiles += pictures(evidence.study, [found.real.row])
        lines.append((with_row(found.real.name, found.real.row), found.real.actual))
    picture_strip.show(tiles, lines, marked=rings)


def _buttons(session: Session, evidence: CaseEvidence, found: Counterfactuals) -> None:
    """Show the ways on: an answer in the sliders, the real case as a case."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for number, one in enumerate(found.found, 1):
            clicked = st.button(
                text.try_it(number),
                key=f"case.mind.{number}",
                icon=":material/tune:",
                help=words.help_text(one.words),
                on_click=what_if.change,
                args=(session, evidence.ref, _edits(evidence, one.values)),
            )
            if clicked:
                st.rerun()
        if found.real is not None:
            link.button(
                session,
                CaseRef.in_table(found.real.row),
                text.open_real(with_row(found.real.name, found.real.row)),
                key="case.real",
                in_fragment=True,
            )


def _edits(evidence: CaseEvidence, values: dict[str, Any]) -> Edits:
    """Return an answer as changes of the sliders."""
    edits = Edits(evidence.ref)
    for name, value in values.items():
        edits = edits.changed(name, kept(evidence.ranges[name], value))
    return edits
