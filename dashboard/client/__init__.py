"""The queue of cases to judge, a component that lives in the browser: plain JavaScript that the app itself serves.

Streamlit loses presses of keys while it runs; here a verdict is drawn at once, kept in the browser's session, and sent
until the server has confirmed it. It begins in ``queue.js``; ``standing.js`` and ``outbox.js`` have what is said and
sent, the others draw. Nothing is markup: names and notes, which are strangers' words, reach the page as text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import streamlit as st
from streamlit.components.v2.get_bidi_component_manager import get_bidi_component_manager
from streamlit.components.v2.manifest_scanner import ComponentConfig, ComponentManifest

FOLDER = Path(__file__).resolve().parent
"""Folder of the files that the browser asks for."""
_PACKAGE, _QUEUE, _ENTRIES = "proset", "review", "entries"

_LOCK = Lock()


@dataclass(frozen=True)
class QueueState:
    """Entries and position that the browser has sent.

    Attributes
    ----------
    log : tuple of dict
        Entries that the server has not confirmed, in the order in which they were said. Strangers' words: check them.
    at : int or None
        Row that is drawn, as far as the browser has told; None before it has.
    """

    log: tuple[dict[str, Any], ...] = ()
    at: int | None = None


def review_queue_component(
    key: str, data: Mapping[str, Any], *, on_change: Callable[[], None] | None = None
) -> QueueState:
    """Draw the queue and return what has come from the browser.

    Parameters
    ----------
    key : str
        Key of the component, the same in each run, so that it is not drawn anew.
    data : mapping
        What is drawn, as JSON: rows, states, cases, classes, words. Entries that are kept by now stand in its
        ``acked``; the browser goes on sending all others.
    on_change : callable, optional
        Called before the run that a change in the browser has caused; what was sent is in the session by then.

    Returns
    -------
    QueueState
        Entries that are not confirmed and the row that is drawn.
    """
    changed = on_change or _nothing
    heard = {f"on_{name}_change": changed for name in ("log", "at", "asked")}
    result = _component(_QUEUE, css="queue.css", js="queue.js")(key=key, data=dict(data), height="content", **heard)
    return queue_state(result)


def queue_state(result: Any) -> QueueState:
    """Return what the state of the component holds, in the shapes that are expected; of others nothing.

    Parameters
    ----------
    result : object
        What a session keeps under the key of the component, or what drawing it has given.

    Examples
    --------
    >>> queue_state({"log": [{"id": "a-1"}, "noise"], "at": 298})
    QueueState(log=({'id': 'a-1'},), at=298)
    >>> queue_state(None)
    QueueState(log=(), at=None)
    """
    if not isinstance(result, Mapping):
        return QueueState()
    log, at = result.get("log"), result.get("at")
    entries = tuple(dict(entry) for entry in log if isinstance(entry, Mapping)) if isinstance(log, list) else ()
    return QueueState(entries, at if isinstance(at, int) and not isinstance(at, bool) else None)


def _nothing() -> None:
    """Do nothing: what the browser sends belongs to the state only if somebody listens."""


def one_entry_component() -> None:
    """Have the browser remember a page that the app turns to once; draws nothing.

    Streamlit tells the browser the new parameters first and the new page then: two entries of its history, of which
    the first is no page that anybody has seen.
    """
    _component(_ENTRIES, js="entries.js")(key=_ENTRIES)


def _component(name: str, *, js: str, css: str | None = None) -> Callable[..., Any]:
    """Return a component, known to the server that runs.

    Streamlit finds components of packages by itself, but not of those that are installed for development.
    """
    manager = get_bidi_component_manager()
    with _LOCK:
        if manager.get_component_path(f"{_PACKAGE}.{name}") is None:
            parts = [ComponentConfig(part, FOLDER.name) for part in (_QUEUE, _ENTRIES)]
            manager.register_from_manifest(ComponentManifest(_PACKAGE, "1", parts), FOLDER.parent)
        return st.components.v2.component(f"{_PACKAGE}.{name}", css=css, js=js)
