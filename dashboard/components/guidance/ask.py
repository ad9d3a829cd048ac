"""Ask something of the next model: that a column is used or not, that a row may be a prototype or has to be tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.services import guidance as service
from dashboard.session.session import Session
from dashboard.texts import guidance as text
from proset.common.errors import ProsetError
from proset.common.words import number as number_words
from proset.data.number_target import number_text
from proset.study import NumberStudy
from proset.study.guidance import GuidanceItem, GuidanceKind
from proset.study.guidance_check import check_guidance

if TYPE_CHECKING:
    from dashboard.session.opened import OpenTable
    from proset.study.any_study import AnyStudy

_OF_COLUMN = (GuidanceKind.USE_COLUMN, GuidanceKind.NO_COLUMN)
_OF_ROW = (GuidanceKind.NO_PROTOTYPE, GuidanceKind.CANDIDATE)
_ICONS = {
    GuidanceKind.USE_COLUMN: ":material/add_circle:",
    GuidanceKind.NO_COLUMN: ":material/block:",
    GuidanceKind.NO_PROTOTYPE: ":material/person_off:",
    GuidanceKind.CANDIDATE: ":material/person_add:",
    GuidanceKind.LEAVE_OUT: ":material/person_remove:",
    GuidanceKind.RELABEL: ":material/edit:",
}
_MOST_OFFERED = 3


def say(session: Session, study: AnyStudy, item: GuidanceItem) -> None:
    """Ask the next fit for something; what cannot be obeyed, or contradicts what was said, is refused in words."""
    opened = session.opened
    if opened is None:
        return
    recipe = opened.recipe
    split = study.split if study.split.settings == recipe.split else None
    try:
        guidance = recipe.guidance.with_item(item)
        check_guidance(guidance, opened.table, recipe.roles, split)
    except ProsetError as error:
        session.notice(str(error))
        return
    opened.edit(guidance=guidance)
    session.notice(f"{item.words} {text.WAITS}", kind="success")


def take_back(opened: OpenTable, *items: GuidanceItem) -> None:
    """Ask for something no longer."""
    said = opened.recipe.guidance
    for item in items:
        said = said.without_item(item)
    opened.edit(guidance=said)


def columns(session: Session, study: AnyStudy, *, key: str) -> None:
    """Let somebody choose a column, and say whether the next model is to use it."""
    if session.opened is None:
        return
    used = study.used_columns
    features = session.opened.recipe.roles.features
    names = [*(name for name in features if name in used), *(name for name in features if name not in used)]

    def title(name: str) -> str:
        return words.bare((text.USED if name in used else text.NOT_USED).format(name=name))

    with st.container(horizontal=True, vertical_alignment="bottom"):
        box = f"{key}.column"
        name = st.selectbox(text.COLUMN, names, format_func=title, key=box, index=None, width=320, help=_help(study))
        why = st.text_input(text.WHY, key=f"{key}.why", placeholder=text.WHY_HERE, max_chars=400, width=320)
        for kind in _OF_COLUMN:
            _button(session, study, kind, key=key, column=name, why=why)


def row(session: Session, study: AnyStudy, number: int, *, key: str) -> None:
    """Let somebody ask that a row is no prototype, or is a candidate in each batch.

    With a model of a number, also that it is left out or learned with another number; Review goes through many.
    """
    with st.popover(text.ASK, icon=":material/hearing:", key=f"{key}.ask"):
        if number not in set(study.split.train.tolist()) and not _is_left_out(session, number):
            told = text.ONLY_TRAINING.format(name=f"row {number}")
            st.markdown(words.markdown(f"{told} {text.MEASURED_BY_TABLE}"))
            return
        why = st.text_input(text.WHY, key=f"{key}.why.{number}", placeholder=text.WHY_HERE, max_chars=400)
        for kind in _OF_ROW:
            _button(session, study, kind, key=f"{key}.{number}", row=number, why=why)
        if isinstance(study, NumberStudy):
            _button(session, study, GuidanceKind.LEAVE_OUT, key=f"{key}.{number}", row=number, why=why)
            _learned_as(session, study, number, key=f"{key}.{number}", why=why)
        st.caption(_help(study))


def _help(study: AnyStudy) -> str:
    """Say where what is asked for waits."""
    return text.ASK_HELP_NUMBER if isinstance(study, NumberStudy) else text.ASK_HELP


def _is_left_out(session: Session, number: int) -> bool:
    """Tell whether the next fit, or the model, leaves a row out: then somebody may want it back."""
    opened = session.opened
    return opened is not None and number in opened.recipe.guidance.rows_of(GuidanceKind.LEAVE_OUT)


def _learned_as(session: Session, study: NumberStudy, number: int, *, key: str, why: str) -> None:
    """Let somebody say with which number a row is to be learned."""
    label = _number_asked(session, number)
    if label is None:
        value = st.number_input(
            words.label(text.LEARN_AS.format(target=study.roles.target)),
            value=None,
            key=f"{key}.number",
            placeholder=f"{study.table_targets.loc[number]:.6g}",
            help=words.help_text(text.LEARN_AS_HELP),
        )
        label = None if value is None else number_text(value)
        known = study.table_targets.dropna()
        if value is not None and not known.min() <= value <= known.max():
            ends = [number_words(float(end)) for end in (known.min(), known.max())]
            words.notice("warning", text.UNHEARD_OF.format(low=ends[0], high=ends[1]))
    said = text.LEARN_WITH.format(number="this number" if label is None else label)
    _button(
        session, study, GuidanceKind.RELABEL, key=key, row=number, why=why, value=label, missing=label is None,
        label=words.label(said),
    )  # fmt: skip


def _number_asked(session: Session, number: int) -> str | None:
    """Return the number that a row is to be learned with already."""
    said = () if session.opened is None else session.opened.recipe.guidance
    labels = [item.label for item in said if item.row == number and item.kind is GuidanceKind.RELABEL]
    return labels[0] if labels else None


def use_columns(session: Session, study: AnyStudy, names: tuple[str, ...], *, key: str, lead: str = "") -> None:
    """Offer a button for each of a few columns that the next model could use, behind some words, on one line."""
    if not names:
        return
    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        if lead:
            st.caption(lead, width="content")
        for name in names[:_MOST_OFFERED]:
            _button(
                session,
                study,
                GuidanceKind.USE_COLUMN,
                key=f"{key}.{name}",
                column=name,
                label=words.label(name),
                help=words.help_text(text.LET_USE_HELP.format(name=name)),
                quiet=True,
            )


def _button(
    session: Session,
    study: AnyStudy,
    kind: GuidanceKind,
    *,
    key: str,
    row: int | None = None,
    column: str | None = None,
    value: str | None = None,
    missing: bool = False,
    why: str = "",
    label: str = "",
    help: str | None = None,
    quiet: bool = False,
) -> None:
    """Show the button that asks for something, or the one that takes it back."""
    opened = session.opened
    if opened is None:
        return
    missing = missing or (row is None and column is None)
    item = None if missing else service.asked(kind, row=row, column=column, label=value, by=session.reviewer, why=why)
    known = item is not None and item in opened.recipe.guidance.items
    said = f"{text.TAKE_BACK}: {label or text.KINDS[kind]}" if known else label or text.KINDS[kind]
    pressed = st.button(
        said,
        key=words.bare(f"{key}.{kind}"),
        icon=":material/undo:" if known else _ICONS[kind],
        disabled=missing,
        help=help,
        type="tertiary" if quiet else "secondary",
    )
    if pressed and item is not None:
        if known:
            take_back(opened, item)
        else:
            say(session, study, item)
        st.rerun()
