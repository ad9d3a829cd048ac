"""Browsers that are there: the work of one that has gone ends, and what it had is released a while later.

Here and not in a cache of Streamlit's: any visitor can send a message that clears those.
"""

from __future__ import annotations

import gc
import logging
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.services.memory import return_freed_memory
from dashboard.work.queue import Job

COOKIE = "proset_visitor"
"""Name of the cookie that tells browsers apart."""

_LOG = logging.getLogger(__name__)
_SECONDS_BETWEEN_LOOKS = 1.0
_SECONDS_TO_RECONNECT = 10.0
"""Time in seconds that work goes on for a browser that has lost its connection, or loads its page again."""


def _is_connected(session_id: str) -> bool:
    """Tell whether a browser is there."""
    return runtime.get_instance().is_active_session(session_id)


def _release(session_id: str) -> None:
    """Let Streamlit drop a session that has no browser, with its files and all that its pages hold."""
    runtime.get_instance().clear_user_info_for_session(session_id)


@dataclass(eq=False)
class _Visit:
    """One session: its work, which others hold, and when its browser was there last."""

    seen: float
    jobs: weakref.WeakSet[Job[Any, Any]] = field(default_factory=weakref.WeakSet)
    worked_for: bool = True


class Visitors:
    """All sessions of this process.

    Parameters
    ----------
    is_connected : callable
        Tells whether the browser of a session is there.
    release : callable
        Drops a session without a browser.
    clock : callable
        Returns seconds.
    """

    def __init__(
        self,
        is_connected: Callable[[str], bool] = _is_connected,
        release: Callable[[str], None] = _release,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._is_connected, self._release, self._clock = is_connected, release, clock
        self._visits: dict[str, _Visit] = {}
        self._released = False
        self._lock = threading.Lock()
        self._stop = threading.Event()

    def __len__(self) -> int:
        return len(self._visits)

    def watch(self, session_id: str, *jobs: Job[Any, Any]) -> None:
        """Look after a session, and after work of it."""
        with self._lock:
            self._visits.setdefault(session_id, _Visit(self._clock())).jobs.update(jobs)

    def is_there(self, session_id: str) -> bool:
        """Tell whether the browser of a session is there."""
        return self._is_connected(session_id)

    def hand_over(self, left: str, session_id: str) -> bool:
        """Drop a session that its browser has left, and look after its work as that of another one.

        Returns
        -------
        bool
            Whether it was left: a browser that lost its connection may come back in this very moment.
        """
        self._release(left)  # before it is looked at: from here on nobody comes back to it
        if self._is_connected(left):
            return False
        with self._lock:
            visit = self._visits.get(left)
            jobs = () if visit is None else tuple(visit.jobs)
            if visit is not None:
                visit.jobs.clear()
        self.watch(session_id, *jobs)
        return True

    def sweep(self, keep: float) -> None:
        """Look once: end the work of browsers that have gone, and release sessions gone for `keep` seconds."""
        if self._released:  # by a former look, in Streamlit's own time
            self._released = False
            gc.collect()
            return_freed_memory()
        for session_id, visit in list(self._visits.items()):
            if self._is_connected(session_id):
                visit.seen, visit.worked_for = self._clock(), True
                continue
            gone = self._clock() - visit.seen
            if visit.worked_for and gone >= min(keep, _SECONDS_TO_RECONNECT):
                visit.worked_for = False
                # In a thread of its own: a search takes a moment to write down what it has.
                threading.Thread(target=_end, args=(list(visit.jobs),), name="end work").start()
            if gone >= keep:
                with self._lock:
                    del self._visits[session_id]
                self._release(session_id)
                self._released = True

    def start(self, keep: float) -> None:
        """Look again and again, in a thread that ends with the process or with :meth:`stop`."""
        self._stop.clear()
        threading.Thread(target=self._watch, args=(keep,), name="visitors", daemon=True).start()

    def stop(self) -> None:
        """Look no longer."""
        self._stop.set()

    def _watch(self, keep: float) -> None:
        """Sweep until told to stop."""
        while not self._stop.wait(_SECONDS_BETWEEN_LOOKS):
            try:
                self.sweep(keep)
            except Exception:  # whatever one look stumbles over: without the next ones nothing is released any more
                _LOG.exception("Looking after visitors")


def _end(jobs: list[Job[Any, Any]]) -> None:
    """Stop work for which nobody waits, and give its memory back."""
    for job in jobs:
        job.abandon()
    jobs.clear()
    return_freed_memory()


VISITORS = Visitors()
"""Visitors of this process."""


def watch(*jobs: Job[Any, Any]) -> None:
    """Look after the session whose page is drawn, and after work of it."""
    context = get_script_run_ctx()
    if context is not None:
        VISITORS.watch(context.session_id, *jobs)
