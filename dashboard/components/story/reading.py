"""Read-only: links that open a step so, and how a window says that it is, and stops being it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from dashboard.components import page
from dashboard.services.addresses.parts import Written
from dashboard.services.data.fitted import stored_study
from dashboard.services.kept import HERE
from dashboard.services.story.place import PRESENTER, READ, StoryPlace
from dashboard.services.story.steps import step_of
from dashboard.session.session import Session
from dashboard.texts import story as text

if TYPE_CHECKING:
    from proset.study import Study


def line(session: Session) -> None:
    """Say that this window only reads, and offer to go on as usual."""
    if not session.read_only:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="read-only"):
        st.markdown(f":material/lock: {text.READ_ONLY}", width="content")
        st.button(
            text.MINE,
            key="read-only.mine",
            type="tertiary",
            help=text.MINE_NOT_KEPT if HERE.workspace is None else text.MINE_HELP,
            on_click=session.make_own,
        )


def link(
    session: Session,
    study: Study | None,
    place: StoryPlace,
    address: Callable[[Session, Study, StoryPlace], Written],
) -> None:
    """Offer the link that opens a step read-only, in short where it needs no more than the story's own model."""
    with st.popover(text.LINK, key="story.link"):
        st.caption(text.LINK_SAYS)
        if study is None or study is stored_study(place.story):
            there, query = "", place.short()
        else:
            there = page.find(session, step_of(place).page).name
            query = address(session, study, place) | {READ.name: READ.write(True)}
            query.pop(PRESENTER.name, None)  # whoever opens it has a screen of their own
        st.code(f"{_home(session)}/{there}?{urlencode(query, doseq=True)}", language=None, wrap_lines=True)


def _home(session: Session) -> str:
    """Return the address of the app without that of the page; empty where it is not known."""
    here = (st.context.url or "").partition("?")[0].rstrip("/")
    name = session.page.name if session.page is not None else ""
    return here.removesuffix(f"/{name}") if name else here
