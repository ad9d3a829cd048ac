"""A page that was reloaded goes on with the session that it has left, as long as that is in memory.

Only where work is kept at all, only for the browser that had the session, and only if that one shows the same study.
What is not in memory any more comes from the workspace, see :mod:`dashboard.session.kept`.
"""

from __future__ import annotations

import weakref

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.services.addresses.held import held_key
from dashboard.services.kept import HERE
from dashboard.session import jobs, links, session, visitors
from dashboard.session.session import Session

_OF_PROXIES = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP")
"""Headers of requests that come through another server, so perhaps from another machine."""
_SESSIONS: weakref.WeakValueDictionary[tuple[str, str], Session] = weakref.WeakValueDictionary()
"""All sessions, by the id that Streamlit gives them and the secret of their browser."""


def come_back() -> Session:
    """Return the session of the visitor whose page is drawn: after a reload the one before it, else one of its own."""
    context = get_script_run_ctx()
    if any(name in st.context.headers for name in _OF_PROXIES):
        HERE.serve(others=True)
    browser = st.context.cookies.get(visitors.COOKIE)
    if not session.is_new() or context is None or browser is None or not goes_on():
        return session.current()
    # Listed at once, whatever other threads put in meanwhile; the session that was left last comes first.
    for reference in reversed(_SESSIONS.valuerefs()):
        known, (left, its_browser) = reference(), reference.key
        if known is None or its_browser != browser or visitors.VISITORS.is_there(left) or not _shows_the_same(known):
            continue
        if _SESSIONS.pop((left, its_browser), None) is not None:  # else another window was faster
            session.take_over(known)
            jobs.take_over(left, context.session_id)
            break
    now = session.current()
    _SESSIONS[context.session_id, browser] = now
    return now


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
