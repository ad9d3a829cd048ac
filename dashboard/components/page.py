"""The common top and bottom of a page, and the way to other pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from dashboard.components import keys, words
from dashboard.services.page import Needs, Page
from dashboard.session import links
from dashboard.session.session import Session
from dashboard.texts.common import PageText
from proset.common.words import unbroken


def head(session: Session, page: Page) -> None:
    """Show the title of a page, the one sentence that says what it answers, help, and room for downloads and next step.

    The files that a page offers come into one menu here, see :func:`dashboard.components.downloads.show`.
    """
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="frame-head"):
        text = page.text.spoken(of_number=_of_number(session, page))
        st.title(text.title, anchor=False, width="content")
        st.markdown(f":gray[{text.lead}]", width="stretch")
        tools = st.container(horizontal=True, width="content", gap="small", key="frame-tools")
        session.place_tools(tools)
        with tools:
            shortcut = keys.HELP if page.text.help_key else None
            if st.button("Help", key="page.help", icon=":material/help:", shortcut=shortcut):
                _how_to_read(text)


def _of_number(session: Session, page: Page) -> bool:
    """Tell whether a page speaks of a number: that of the model, or, where roles are given, of the target as chosen."""
    if page.needs is Needs.NOTHING and session.recipe is not None:
        return session.recipe.roles.number
    return session.of_number


def measure_width(session: Session) -> int:
    """Return the pixels that a measure with its words needs; more where it is read from the back of a room."""
    return 250 if session.presenter else 180


def room() -> DeltaGenerator:
    """Return a place for what is not always there, so that what follows stays where it is.

    A part of a page that runs by itself is known by its place; a click in it, from a browser that has not drawn it at
    its new place yet, would be lost.
    """
    return st.container()


def finding(said: str, more: str = "") -> None:
    """Show what a page has found, in one sentence: its strongest words below the title; and what else there is."""
    st.markdown(unbroken(f"**{words.markdown(said)}** {words.markdown(more)}".strip()))


def section(title: str, *, divider: bool = False) -> None:
    """Show the heading of a part of a page, one level below the title; words of strangers are made safe before."""
    st.header(title, anchor=False, divider="gray" if divider else False)


def take_primary(session: Session) -> None:
    """Say that the page has the button that stands out; a page has one."""
    session.take_primary()


def step(session: Session) -> None:
    """Show the way to the next page in the head of the page, as the button that stands out unless the page has one."""
    following = next_page(session)
    if following is None or session.tools is None:
        return
    label = f"Next: {following.text.menu}"
    with session.tools.place:
        pressed = st.button(
            label,
            type="primary" if session.tools.primary else "secondary",
            icon=":material/arrow_forward:",
            icon_position="right",
            key=f"next.{following.name}",
        )
    if pressed:
        go(session, following)


def go(session: Session, page: Page) -> None:
    """Go to a page, as a pressed button does; what is shown goes along in the address."""
    st.switch_page(for_streamlit(session, page, lambda: None), query_params=links.query(session, page))


def next_page(session: Session) -> Page | None:
    """Return the page that the work goes on with; None where the page itself has the next step."""
    page, opened = session.page, session.opened
    if page is None or page.next is None or opened is None:
        return None
    if page.name == "fit" and (opened.fitted is None or opened.stale):
        return None
    if page.next:
        return find(session, page.next)
    return next(iter(session.pages[session.pages.index(page) + 1 :]), None)


@st.dialog("How to read this", width="large")
def _how_to_read(text: PageText) -> None:
    """Show what a page answers and its explanation above it."""
    st.markdown(f"**{text.lead}**\n\n{text.how_to_read}")


def find(session: Session, name: str) -> Page:
    """Return the page of that name."""
    return next(page for page in session.pages if page.name == name)


def for_streamlit(session: Session, page: Page, draw: Callable[[], None]) -> StreamlitPage:
    """Return what Streamlit knows a page by; the first of all pages is the one that opens."""
    return st.Page(
        draw, title=page.text.menu, icon=page.text.icon, url_path=page.name, default=page is session.pages[0]
    )


def link(session: Session, name: str, label: str | None = None, *, content: bool = False) -> None:
    """Show a link to the page called `name`.

    The link carries the address along. Otherwise the browser would remember each page twice, without and with what it
    shows, and Back would have to be pressed twice.
    """
    page = find(session, name)
    # Streamlit finds the page by its place in the address; what draws it is known to the app only.
    target = for_streamlit(session, page, lambda: None)
    text = page.text.menu if label is None else words.label(label)
    width: Literal["stretch", "content"] = "content" if content else "stretch"
    st.page_link(target, label=text, icon=page.text.icon, query_params=links.query(session, page), width=width)


def next_steps(session: Session, *names: str) -> None:
    """Show links to pages, side by side."""
    with st.container(horizontal=True):
        for name in names:
            link(session, name, f"Go to {find(session, name).text.menu}")
