"""Ask something of the next model: that a column is used or not, that a row may be a prototype or has to be tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.services import guidance as service
from dashboard.session.session import Session
from dashboard.texts import guidance as text
from proset.common.errors import ProsetError
from proset.study.guidance import GuidanceItem, GuidanceKind
from proset.study.guidance_check import check_guidance

if TYPE_CHECKING:
    from dashboard.session.opened import OpenTable
    from proset.study import Study

_OF_COLUMN = (GuidanceKind.USE_COLUMN, GuidanceKind.NO_COLUMN)
_OF_ROW = (GuidanceKind.NO_PROTOTYPE, GuidanceKind.CANDIDATE)
_ICONS = {
    GuidanceKind.USE_COLUMN: ":material/add_circle:",
    GuidanceKind.NO_COLUMN: ":material/block:",
    GuidanceKind.NO_PROTOTYPE: ":material/person_off:",
    GuidanceKind.CANDIDATE: ":material/person_add:",
}
_MOST_OFFERED = 3


def say(session: Session, study: Study, item: GuidanceItem) -> None:
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


def columns(session: Session, study: Study, *, key: str) -> None:
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
        name = st.selectbox(text.COLUMN, names, format_func=title, key=box, index=None, width=320, help=text.ASK_HELP)
        why = st.text_input(text.WHY, key=f"{key}.why", placeholder=text.WHY_HERE, max_chars=400, width=320)
        for kind in _OF_COLUMN:
            _button(session, study, kind, key=key, column=name, why=why)


def row(session: Session, study: Study, number: int, *, key: str) -> None:
    """Let somebody ask that a row is no prototype, or is a candidate in each batch."""
    with st.popover(text.ASK, icon=":material/hearing:", key=f"{key}.ask"):
        if number not in set(study.split.train.tolist()):
            st.markdown(words.markdown(text.ONLY_TRAINING.format(name=f"row {number}")))
            return
        why = st.text_input(text.WHY, key=f"{key}.why.{number}", placeholder=text.WHY_HERE, max_chars=400)
        for kind in _OF_ROW:
            _button(session, study, kind, key=f"{key}.{number}", row=number, why=why)
        st.caption(text.ASK_HELP)


def use_columns(session: Session, study: Study, names: tuple[str, ...], *, key: str, lead: str = "") -> None:
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
    study: Study,
    kind: GuidanceKind,
    *,
    key: str,
    row: int | None = None,
    column: str | None = None,
    why: str = "",
    label: str = "",
    help: str | None = None,
    quiet: bool = False,
) -> None:
    """Show the button that asks for something, or the one that takes it back."""
    opened = session.opened
    if opened is None:
        return
    missing = row is None and column is None
    item = None if missing else service.asked(kind, row=row, column=column, by=session.reviewer, why=why)
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
