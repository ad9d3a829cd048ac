"""The answer as a picture, the prototypes that it is made of as rows, and values side by side."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard.components import figure_panel, words
from dashboard.components.case import link
from dashboard.components.case.prototypes import whole_name
from dashboard.components.case.values import WHOLE, every
from dashboard.services.case.beside import MOST_ASKED
from dashboard.services.cases import CaseRef
from dashboard.services.numbers.number_beside import ODD, ValueLine, values_beside
from dashboard.services.numbers.number_evidence import NumberEvidence, answer_words
from dashboard.session.session import Session
from dashboard.texts import number_case as text
from proset.common.words import count_words, percent
from proset.explain.numbers.answers import NumberAnswer
from proset.explain.phrases import mean_of_batches, similarity_words
from proset.plots import style
from proset.plots.number_answers import hump_colour, plot_number_answer

_HEIGHT = 210
_NAME, _BARS = 92, 205


def picture(evidence: NumberEvidence) -> None:
    """Show the distribution with each prototype's hump in it."""
    answer, target = evidence.answer, str(evidence.study.roles.target)
    figure_panel.show(
        plot_number_answer(answer, unit=target, legend=False, height=_HEIGHT),
        key="number.answer",
        file_name=f"{evidence.stem}-answer",
        alt=f"Distribution of {target} for this case, {answer_words(answer)}, as a sum of prototypes.{_stated(answer)}",
    )


def _stated(answer: NumberAnswer) -> str:
    """Say what the dashed line is; nothing where there is none."""
    return "" if answer.stated is None else " The dashed line is the number that its row states."


def show(session: Session, evidence: NumberEvidence) -> None:
    """Show the leading prototypes, one row each."""
    answer = evidence.answer
    if answer.prototypes.empty:
        st.caption(text.NO_PROTOTYPES)
        return
    lines = answer.prototypes.head(answer.n_shown)
    repeated = set(lines.loc[lines["sample"].duplicated(keep=False), "sample"])
    most = float(lines["share"].max()) or 1.0
    with st.container(gap=None, key="number-voices"):
        for place, line in enumerate(lines.to_dict("records")):
            line["short"] = evidence.study.short_name(line["name"], int(line["sample"]))
            _voice(session, answer, place, line, most=most, of_batch=line["sample"] in repeated)
    others = answer.prototypes.iloc[answer.n_shown :]
    rest = (
        f"{count_words(len(others), 'other prototype')} {percent(float(others['share'].sum()))}, "
        if len(others)
        else ""
    )
    batch = text.BY_BATCH if mean_of_batches(evidence.study) else ""
    st.caption(f"Bars: share of the answer, then similarity to this case{batch}. Grey in the picture: {rest}"
               f"everybody {percent(answer.everybody)}.{_stated(answer)}")  # fmt: skip


def _voice(
    session: Session, answer: NumberAnswer, place: int, line: dict[Any, Any], *, most: float, of_batch: bool
) -> None:
    """Show one prototype."""
    dark = figure_panel.is_dark()
    colour = hump_colour(place, answer.n_shown)
    model = style.on_dark(style.MODEL) if dark else style.MODEL
    if dark:
        colour = style.tinted(model, round(0.95 - 0.65 * place / max(answer.n_shown - 1, 1), 2))
    share, near = float(line["share"]), float(line["similarity"])
    batch = f", batch {line['batch']}" if of_batch else ""
    whole = whole_name(f"{line['name']}{batch}", int(line["sample"]))
    star = " A star: among the fewest that hold the median." if line["dominant"] else ""
    said = f"{percent(share)} of the answer, similarity {similarity_words(near)}.{star}"
    bars = (
        f'<i class="case-bar" style="--c:{model};--w:{100 * share / most:.0f}%"></i><span>{percent(share)}</span>'
        f'<i class="case-near" style="--w:{100 * near:.0f}%"></i>'
        f"<span>{words.html(similarity_words(near).replace('over ', '> ').replace('under ', '< '))}</span>"
    )
    with st.container(horizontal=True, gap=None, vertical_alignment="center"):
        st.html(f'<i class="number-swatch" style="background:{colour}"></i>', width=20)
        with st.container(width=_NAME, gap=None):
            link.button(
                session,
                CaseRef.in_table(int(line["sample"])),
                f"{line['short']}{batch}",
                key=f"number.voice.{place}",
                icon=":material/star:" if line["dominant"] else None,
                icon_position="right",
                help=f"{whole} {text.STAR}" if line["dominant"] else whole,
            )
        st.html(f'<p class="number-voice" title="{words.html(said)}">{bars}</p>', width=_BARS)
        st.html(f'<p class="number-said">{words.html(_said(answer, place))}</p>')


def _said(answer: NumberAnswer, place: int) -> str:
    """Return what a prototype says; its name stands before."""
    said = answer.said_by(place)
    name, _, rest = said.partition(" has ")
    return f"has {rest}" if rest and not name.endswith("itself: it") else said


def values(session: Session, evidence: NumberEvidence) -> None:
    """Show the values of the case beside others."""
    found = values_beside(evidence, MOST_ASKED) if session.get(WHOLE) else values_beside(evidence)
    if not found.lines:
        return
    heads = "".join(
        f'<th class="{"other" if i else "own"}" title="{words.html(what)}: {words.html(name)}">{words.html(what)}'
        f"<br>{words.html(name)}<b>{words.html(value)}</b></th>"
        for i, (what, name, value) in enumerate(found.heads)
    )
    used = [_line(line) for line in found.lines if line.used]
    unused = [_line(line) for line in found.lines if not line.used]
    span, more, rest = len(found.heads) + 1, found.n_used - len(used), found.n_unused - len(unused)
    weight = f"{count_words(more, 'more column')} of less weight"
    between = f'<tr class="part"><td colspan="{span}">{weight}</td></tr>' if more else ""
    if unused:
        left = f"; {rest:,} more" if rest else ""
        between += f'<tr class="part"><td colspan="{span}">Not used by the model, most unusual first{left}</td></tr>'
    target = words.html(str(evidence.study.roles.target))
    st.html(
        f'<table class="case-values"><thead><tr><th class="name">Values <span>bold: {target}</span></th>{heads}</tr>'
        f"</thead><tbody>{''.join(used)}{between}{''.join(unused)}</tbody></table>"
    )
    every(session, found.n_used + found.n_unused, len(found.lines))


def _line(line: ValueLine) -> str:
    """Return one column of the user's table."""
    odd = line.odd < ODD
    told = f"{percent(line.odd)} of the training rows have one as far out or as rare."
    first = f'<td class="own" title="{told}">{words.html(line.texts[0])}{" · unusual" if odd else ""}</td>'
    others = "".join(f'<td class="other" title="{words.html(one)}">{words.html(one)}</td>' for one in line.texts[1:])
    name = words.html(line.column)
    kind = "used" if line.used else "unused"
    return f'<tr class="{kind}"><td class="name" title="{name}"><span>{name}</span></td>{first}{others}</tr>'
