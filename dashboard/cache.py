"""What is computed once and kept; data of one visitor never reaches another.

Two stores, with different reach:

* fits of the **bundled** data sets are shared by all sessions, keyed by the data set's name and every setting;
* everything derived from a study hangs on that very study object and goes with it, so it is shared exactly as far as
  the study itself.
"""

from __future__ import annotations

import json
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

import streamlit as st

from dashboard.jobs import WORKER, Job, JobQueue
from dashboard.processes import Standby
from dashboard.services.limits import jobs_at_once, keeps_standby
from dashboard.services.search import MAY_BE_FOUND
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.data.table import Table
from proset.selection import SearchPlan
from proset.study import FitSettings, Study

T = TypeVar("T")

_STUDIES_KEPT = 24


@dataclass(eq=False)
class _StudyStore:
    """The fits of bundled data used most recently; safe for many threads."""

    limit: int
    _items: OrderedDict[str, Study] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, key: str) -> Study | None:
        """Return the study under `key`, or None."""
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
            return self._items.get(key)

    def put(self, key: str, study: Study) -> None:
        """Keep `study`; the one not used for longest goes if there are too many."""
        with self._lock:
            self._items[key] = study
            self._items.move_to_end(key)
            while len(self._items) > self.limit:
                self._items.popitem(last=False)


@st.cache_resource(show_spinner=False)
def _sample_studies() -> _StudyStore:
    """Return the one store of the server."""
    return _StudyStore(_STUDIES_KEPT)


@st.cache_resource(show_spinner=False)
def job_queue() -> JobQueue:
    """Return the one queue of the server; it bounds how many fits run at once."""
    return JobQueue(jobs_at_once(), Standby(WORKER) if keeps_standby() else None)


def _close_all(jobs: weakref.WeakSet[Job]) -> None:
    """Stop the jobs of a session that has ended."""
    for job in list(jobs):
        job.close()


@st.cache_resource(show_spinner=False, scope="session", on_release=_close_all)
def _session_jobs() -> weakref.WeakSet[Job]:
    """Return the jobs of this session; those still there when it ends are stopped."""
    return weakref.WeakSet()


def end_with_session(job: Job) -> None:
    """Stop `job` and remove its folder when the visitor's session ends."""
    _session_jobs().add(job)


def sample_study(
    sample: str, roles: Roles, split: SplitSettings, settings: FitSettings, *, plan: SearchPlan | None = None
) -> Study | None:
    """Return the fit of a bundled data set with exactly these choices, if anybody has made it.

    With a `plan`, it is the result of a search from `settings`.
    """
    return _sample_studies().get(_key(sample, roles, split, settings, plan))


def keep_sample_study(sample: str, study: Study, *, searched_from: FitSettings | None = None) -> None:
    """Keep the fit of a bundled data set for all sessions.

    With `searched_from`, the result of a search is also found as that of a search from these settings, unless a
    person has changed the choice.
    """
    split = study.split.settings
    _sample_studies().put(_key(sample, study.roles, split, study.settings, None), study)
    record = study.search
    if searched_from is not None and record is not None and not record.by_hand:
        _sample_studies().put(_key(sample, study.roles, split, searched_from, record.plan), study)


def _key(sample: str, roles: Roles, split: SplitSettings, settings: FitSettings, plan: SearchPlan | None) -> str:
    """Return a text that two fits share exactly if they are the same."""
    columns = sorted((column, str(role)) for column, role in roles.by_column.items())
    choices = asdict(settings)
    if plan is not None:
        # What the search finds does not depend on where it starts from.
        choices = {name: value for name, value in choices.items() if name not in MAY_BE_FOUND}
    return json.dumps([sample, columns, asdict(split), choices, plan and asdict(plan)], sort_keys=True)


_derived: weakref.WeakKeyDictionary[Any, dict[Hashable, Any]] = weakref.WeakKeyDictionary()
_derived_lock = threading.Lock()


def derived(owner: Study | Table, name: str, compute: Callable[[], T], *key: Hashable) -> T:
    """Return ``compute()``, computed once per `owner` object, `name` and `key`.

    Parameters
    ----------
    owner : Study or Table
        What the value is derived from; the value is dropped together with it.
    name : str
        What the value is, such as ``"batch map"``.
    compute : callable
        Makes the value; it must depend on nothing but `owner` and `key`, and the value must not refer to `owner`, or
        both would stay in memory.
    *key : hashable
        Further settings the value depends on, such as a row id.

    Returns
    -------
    object
        The value; treat it as read-only, others see the same object.
    """
    with _derived_lock:
        values = _derived.setdefault(owner, {})
    slot = (name, *key)
    if slot not in values:
        values[slot] = compute()
    return values[slot]
