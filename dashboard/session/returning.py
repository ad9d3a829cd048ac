"""A page that was reloaded goes on with the session that it has left, as long as that is in memory.

Only where work is kept at all, only for the browser that had the session, and only if that one shows the same study.
What is not in memory any more comes from the workspace, see :mod:`dashboard.session.kept`.

What another window has taken over is its own. The session that Streamlit had for the first one is dropped at that
moment, with all that its page could still press: if that window had only lost its connection and comes back, it begins
anew, and is told so.
"""

from __future__ import annotations

import weakref

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.services.addresses.held import held_key
from dashboard.services.kept import HERE
from dashboard.session import jobs, kept, links, session, visitors
from dashboard.session.session import Session
from dashboard.texts import kept as text

_OF_PROXIES = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP")
"""Headers of requests that come through another server, so perhaps from another machine."""
_SESSIONS: weakref.WeakValueDictionary[tuple[str, str], Session] = weakref.WeakValueDictionary()
"""All sessions, by the id that Streamlit gives them and the secret of their browser."""
_TAKEN_OVER: weakref.WeakValueDictionary[tuple[str, str], Session] = weakref.WeakValueDictionary()
"""Sessions that another window has taken over, by what they were known under before."""


def come_back() -> Session:
    """Return the session of the visitor whose page is drawn: after a reload the one before it, else one of its own."""
    context = get_script_run_ctx()
    if any(name in st.context.headers for name in _OF_PROXIES):
        HERE.serve(others=True)
    browser = st.context.cookies.get(visitors.COOKIE)
    if not session.is_new() or context is None or browser is None or not goes_on():
        return session.current()
    _take_over(context.session_id, browser)
    now = session.current()
    _SESSIONS[context.session_id, browser] = now
    elsewhere = _TAKEN_OVER.get((_lost(), browser))
    if elsewhere is not None and elsewhere is not now:
        now.notice(text.RETURNED, kind="info")
    return now


def _take_over(session_id: str, browser: str) -> None:
    """Go on with a session that this browser has left, if there is one that shows the same."""
    # Listed at once, whatever other threads put in meanwhile; the session that was left last comes first.
    for reference in reversed(_SESSIONS.valuerefs()):
        known, (left, its_browser) = reference(), reference.key
        if known is None or its_browser != browser or visitors.VISITORS.is_there(left) or not _shows_the_same(known):
            continue
        if _SESSIONS.pop((left, browser), None) is None:  # another window was faster
            continue
        if jobs.take_over(left, session_id):
            session.take_over(known)
            kept.catch_up(known)
            _TAKEN_OVER[left, browser] = known
            return
        _SESSIONS[left, browser] = known


def _lost() -> str:
    """Return the id of the session that this window had before it lost its connection; empty if it is a new one."""
    # What a browser says when it connects: a protocol, a token against forged requests, and this id.
    return [*st.context.headers.get("Sec-WebSocket-Protocol", "").split(","), "", ""][2].strip()


def goes_on() -> bool:
    """Tell whether a page that is loaded again goes on with its session here, and so with work under way."""
    return HERE.workspace is not None


def _shows_the_same(left: Session) -> bool:
    """Tell whether a session shows what the address asks for."""
    given = links.shown()
    key = held_key(given)
    if key is not None:
        return left.opened is not None and left.opened.key == key
    return bool(given) and left.address == given
