"""A stranger's words on a page: one function for each place where they may stand.

Names of columns, classes, files and sheets, values, and what an address says come from people who may want to format,
link or load something. What stands in such a place has gone through its function here; tests go through all pages.
"""

from __future__ import annotations

import re
from html import escape

import streamlit as st

from dashboard.services.strangers import plain, whole
from proset.common.words import unbroken

_JOINTS = re.compile(r"(?<=\w[/_|])(?=\w)|(?<=\w)(?=[<>])")
_ICONS = {
    "error": ":material/error:",
    "warning": ":material/warning:",
    "info": ":material/info:",
    "success": ":material/check_circle:",
}


def label(text: object) -> str:
    r"""Return text for the label of a widget, a heading, an expander or a link.

    Examples
    --------
    >>> label("![x](http://evil.example/a.png)").startswith("\\!\\[x\\]")
    True
    """
    return plain(text)


def help_text(text: object) -> str:
    """Return text for the help of a widget or of a column."""
    return plain(text)


def caption(text: object) -> str:
    """Return text that is part of a caption."""
    return plain(text)


def markdown(text: object) -> str:
    """Return text that is part of a paragraph."""
    return plain(text)


def notice(kind: str, text: object, advice: str = "") -> None:
    """Show a message, and below it what to do next; `kind` is "error", "warning", "info" or "success"."""
    show = {"error": st.error, "warning": st.warning, "info": st.info, "success": st.success}[kind]
    show(unbroken(plain(text)), icon=_ICONS[kind])
    if advice:
        st.markdown(f":material/lightbulb: {markdown(advice)}")


def pass_by(text: object) -> None:
    """Show good news that may pass by without moving the page."""
    st.toast(plain(text), icon=_ICONS["success"])


def html(text: object) -> str:
    """Return text for markup, between tags or as the value of an attribute.

    Examples
    --------
    >>> html('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return escape(whole(text))


def breaking(text: object) -> str:
    """Return the same where there is little room: a line may break where signs join words.

    Examples
    --------
    >>> breaking("critical/other"), breaking("1<=X<4")
    ('critical/<wbr>other', '1<wbr>&lt;=X<wbr>&lt;4')
    """
    return "<wbr>".join(map(html, _JOINTS.split(whole(text))))


def bare(text: object) -> str:
    """Return text for where nothing is formatted: options of a list, placeholders, descriptions of a figure."""
    return whole(text)
