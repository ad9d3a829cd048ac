"""Kept studies as cards: go on with one, rename, duplicate or delete it; and where all of it is kept."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import page, words
from dashboard.services.cards import made_words, size_words, table_words, when_words
from dashboard.services.kept import HERE
from dashboard.session import kept, widgets
from dashboard.session.session import Session
from dashboard.texts import kept as text
from dashboard.texts.story import READ_ONLY
from proset.common.errors import ProsetError

if TYPE_CHECKING:
    from collections.abc import Callable

    from proset.workspace import Card

_MOST_SHOWN = 8
_ALL_SHOWN = "start.kept.all"


def show(session: Session, cards: list[Card]) -> None:
    """Show the studies that are kept, those touched last first."""
    shown = cards if widgets.is_drawn(_ALL_SHOWN) and widgets.says(_ALL_SHOWN) else cards[:_MOST_SHOWN]
    grid = st.grid(4, min_column_width=210, gap="small")
    for card in shown:
        with grid.cell(), st.container(border=True, gap="xsmall", height="stretch", key=f"kept-{card.id}"):
            _card(session, card)
    if len(cards) > _MOST_SHOWN:
        st.toggle(text.ALL.format(count=len(cards)), key=_ALL_SHOWN)


def _card(session: Session, card: Card) -> None:
    """Show one study."""
    is_open = session.opened is not None and session.opened.key == card.id
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.markdown(f"**{words.markdown(card.name)}**", width="stretch")
        _more(session, card)
    st.caption(
        f"{words.caption(table_words(card))}  \n{words.caption(made_words(card))}  \n"
        f"{text.OPEN_NOW if is_open else when_words(card.touched)}"
    )
    clicked = st.button(
        text.CONTINUE,
        key=f"kept.open.{card.id}",
        icon=":material/play_arrow:",
        width="stretch",
        on_click=partial(_open, session, card),
    )
    if clicked and session.opened is not None and session.opened.key == card.id:
        page.go(
            session,
            page.find(
                session, "map" if session.study is not None else "quality" if session.number is not None else "data"
            ),
        )


def _open(session: Session, card: Card) -> None:
    """Open a study, as this window left it unless another one has added to it; one that is gone is missed in words."""
    here = session.opened
    if here is not None and here.key == card.id and not here.forgotten:
        kept.catch_up(session)
        return
    left = session.former.with_key(card.id)
    opened = left if left is not None and left.is_as_in(card) else kept.bring(session, card.id)
    if opened is None:
        session.notice(text.NOT_HELD)
    else:
        session.reopen(opened)


def _more(session: Session, card: Card) -> None:
    """Show what may be done with a study, folded."""
    workspace, name = kept.place(session), f"kept.name.{card.id}"
    if workspace is None:
        return
    rename = partial(_do, session, workspace.rename, card.id)
    with st.popover(text.MORE, key=f"kept.more.{card.id}", type="tertiary"):
        with st.form(f"kept.rename.{card.id}", border=False):
            st.text_input(text.NAME, value=words.bare(card.name), key=name, max_chars=200)
            st.form_submit_button(text.RENAME, on_click=lambda: rename(widgets.says(name)))
        st.button(
            text.DUPLICATE,
            key=f"kept.copy.{card.id}",
            icon=":material/content_copy:",
            on_click=partial(_do, session, workspace.duplicate, card.id),
        )
        st.button(
            text.DELETE,
            key=f"kept.delete.{card.id}",
            icon=":material/delete:",
            on_click=partial(_do, session, partial(kept.delete, session), card.id),
        )


def place(session: Session) -> None:
    """Say what is kept, where and how much of it."""
    workspace = kept.place(session)
    if workspace is None:
        st.caption(f":material/lock: {words.caption(READ_ONLY if session.read_only else HERE.why_not)}")
        return
    try:
        size = size_words(workspace.size())
    except OSError:
        size = text.UNKNOWN_SIZE
    st.caption(text.PLACE.format(place=words.caption(workspace.address.words), size=size))


def deleted(session: Session) -> None:
    """List what was deleted: it comes back, or goes for ever."""
    workspace = kept.place(session)
    if workspace is None:
        return
    for card in kept.known_cards(session, deleted=True):
        with st.container(horizontal=True, vertical_alignment="center", key=f"deleted-{card.id}"):
            st.markdown(text.DELETED.format(name=words.markdown(card.name)), width="content")
            st.button(
                text.UNDO,
                key=f"kept.restore.{card.id}",
                icon=":material/undo:",
                on_click=partial(_do, session, workspace.restore, card.id),
            )
            st.button(
                text.REMOVE,
                key=f"kept.remove.{card.id}",
                icon=":material/delete_forever:",
                type="tertiary",
                on_click=partial(_do, session, workspace.remove, card.id),
            )


def _do(session: Session, what: Callable[..., object], *arguments: object) -> None:
    """Do something with what is kept, and say why where it cannot be done."""
    try:
        what(*arguments)
    except ProsetError as error:
        session.notice(str(error), kind="error")
