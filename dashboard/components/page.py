"""The common top and bottom of a page, and messages in plain text."""

from __future__ import annotations

import re

import streamlit as st

from dashboard import links
from dashboard.texts import TEXTS

_ICONS = {
    "error": ":material/error:",
    "warning": ":material/warning:",
    "info": ":material/info:",
    "success": ":material/check_circle:",
}
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|~$:&@])")


def plain(text: object) -> str:
    r"""Return text so that Markdown shows it as it is.

    Column names, class names and addresses are written by strangers; without this they could format, link or load.

    Examples
    --------
    >>> plain("price_$ [click](x)")
    'price\\_\\$ \\[click\\]\\(x\\)'
    """
    return _MARKDOWN.sub(r"\\\1", " ".join(str(text).split()))


def say(kind: str, text: object) -> None:
    """Show a message in plain text; `kind` is "error", "warning", "info" or "success"."""
    show = {"error": st.error, "warning": st.warning, "info": st.info, "success": st.success}[kind]
    show(plain(text), icon=_ICONS[kind])


def pass_by(text: object) -> None:
    """Show good news that may pass by without moving the page."""
    st.toast(plain(text), icon=_ICONS["success"])


def head(name: str) -> None:
    """Show the title of page `name` and the one sentence that says what it answers."""
    st.title(TEXTS[name].title, anchor=False)
    st.markdown(f":gray[{TEXTS[name].lead}]")


def link(name: str, label: str | None = None) -> None:
    """Show a link to page `name`.

    The link carries the address along. Otherwise the browser would remember each page twice, without and with what it
    shows, and Back would have to be pressed twice.
    """
    text = TEXTS[name]
    st.page_link(f"views/{name}.py", label=label or text.menu, icon=text.icon, query_params=links.query())


def how_to_read(name: str) -> None:
    """Show the folded explanation of page `name`."""
    with st.expander("How to read this", icon=":material/help:"):
        st.markdown(TEXTS[name].how_to_read)
