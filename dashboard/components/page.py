"""The common top and bottom of a page, and the way to other pages."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from dashboard.components import words
from dashboard.services.page import Page
from dashboard.session import links
from dashboard.session.session import Session


def head(page: Page) -> None:
    """Show the title of a page and the one sentence that says what it answers."""
    st.title(page.text.title, anchor=False)
    st.markdown(f":gray[{page.text.lead}]")


def how_to_read(session: Session) -> None:
    """Show the folded explanation of the page."""
    if session.page is not None:
        with st.expander("How to read this", icon=":material/help:"):
            st.markdown(session.page.text.how_to_read)


def find(session: Session, name: str) -> Page:
    """Return the page of that name."""
    return next(page for page in session.pages if page.name == name)


def for_streamlit(session: Session, page: Page, draw: Callable[[], None]) -> StreamlitPage:
    """Return what Streamlit knows a page by; the first of all pages is the one that opens."""
    return st.Page(
        draw, title=page.text.menu, icon=page.text.icon, url_path=page.name, default=page is session.pages[0]
    )


def link(session: Session, name: str, label: str | None = None) -> None:
    """Show a link to the page called `name`.

    The link carries the address along. Otherwise the browser would remember each page twice, without and with what it
    shows, and Back would have to be pressed twice.
    """
    page = find(session, name)
    # Streamlit finds the page by its place in the address; what draws it is known to the app only.
    target = for_streamlit(session, page, lambda: None)
    text = page.text.menu if label is None else words.label(label)
    st.page_link(target, label=text, icon=page.text.icon, query_params=links.query(session, page))


def next_steps(session: Session, *names: str) -> None:
    """Show links to pages, side by side."""
    with st.container(horizontal=True):
        for name in names:
            link(session, name, f"Go to {find(session, name).text.menu}")
