"""A browser asks before a reload closes a file of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.session import kept

if TYPE_CHECKING:
    from dashboard.session.session import Session

# The words of both are constant: nothing of a visitor is ever in a script. The content security policy lets scripts
# within the page run; a browser asks only those who have clicked or typed something.
_ASK = "<script>window.onbeforeunload = (event) => { event.preventDefault(); event.returnValue = ''; };</script>"
_LET_GO = "<script>window.onbeforeunload = null;</script>"


def asks_first(session: Session) -> bool:
    """Tell whether a reload would lose something: what is kept comes back, and so do examples; new rows may not."""
    opened = session.opened
    if opened is None:
        return False
    return opened.new_rows is not None or (opened.sample is None and not kept.is_kept(session))


def guard(session: Session) -> None:
    """Let the browser ask before the page is left, as long as something would be lost."""
    st.html(_ASK if asks_first(session) else _LET_GO, unsafe_allow_javascript=True)
