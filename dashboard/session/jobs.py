"""Work under way for one visitor: at most one job of each kind, and what becomes of it when other data is opened.

Opening another table stops the jobs of the former one, unless their person has said that they may go on. The result of
one that went on is announced and waits to be opened together with its own table, or until that is opened anyway.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.session import visitors
from dashboard.session.waiting import JobNotice, WaitingResult, WaitingResults
from dashboard.work.forks import CAN_FORK, ForkServer
from dashboard.work.limits import jobs_at_once, keeps_standby
from dashboard.work.processes import Standby
from dashboard.work.queue import Job, JobQueue, Status
from dashboard.work.tasks.task import WORKER, Task
from proset.common.errors import ProsetError, StorageError

if TYPE_CHECKING:
    from dashboard.session.opened import OpenTable

_KEY = "proset.jobs"


@dataclass(frozen=True)
class Handling:
    """Functions that handle what a job brings.

    Attributes
    ----------
    take : callable
        Receives the result while the table that it belongs to is open.
    open : callable
        Receives the result when a person opens it and another table is open; opens the result's own table.
    keep : callable
        Receives the request that goes on from where the job was stopped or died, while its table is open.
    reopen : callable
        The same when another table is open; opens the table of the request.
    """

    take: Callable[[Any], None]
    open: Callable[[Any], None]
    keep: Callable[[Any], None]
    reopen: Callable[[Any], None]


@dataclass(frozen=True, eq=False)
class Running:
    """A job that waits or runs for this session.

    Attributes
    ----------
    job : Job
        The handle.
    opened : OpenTable
        What it works on.
    label : str
        What the person calls that table.
    handling : Handling
        What happens with its result.
    stays : bool
        Whether it goes on when another table is opened.
    stopping : bool
        Whether its person has asked it to stop. What was begun when another page was opened in the same moment is
        finished by :func:`collect`, in the same words.
    """

    job: Job[Any, Any]
    opened: OpenTable
    label: str
    handling: Handling
    stays: bool = False
    stopping: bool = False

    @property
    def task(self) -> Task[Any, Any]:
        """Kind of work."""
        return self.job.task


@dataclass(eq=False)
class _Jobs:
    """Jobs of one session; `visitor` tells the queue whose they are."""

    visitor: Hashable = field(default_factory=object)
    running: dict[str, Running] = field(default_factory=dict)
    waiting: WaitingResults = field(default_factory=WaitingResults)


_ALL: weakref.WeakValueDictionary[str, _Jobs] = weakref.WeakValueDictionary()
"""Jobs of all sessions, by the id that Streamlit gives a session."""


# --- what all sessions share ------------------------------------------------------------------------------------------
QUEUE = JobQueue(jobs_at_once(), (ForkServer if CAN_FORK else Standby)(WORKER) if keeps_standby() else None)
"""The one queue of the process; it bounds how many jobs run at once."""


def get_ready() -> None:
    """Let a process load what the next job needs; see :meth:`dashboard.work.queue.JobQueue.get_ready`."""
    QUEUE.get_ready()


# --- what this session has under way ----------------------------------------------------------------------------------
def visitor() -> Hashable:
    """Return what tells this session from others, to those who share out places between them."""
    return _jobs().visitor


def under_way(opened: OpenTable | None = None) -> tuple[Running, ...]:
    """Return the jobs of the session, or those that work on what is open."""
    return tuple(entry for entry in _jobs().running.values() if opened is None or entry.opened.is_same(opened))


def under_way_elsewhere(key: str) -> bool:
    """Tell whether another session of this process works on a kept study."""
    mine = _jobs()
    known = (reference() for reference in _ALL.valuerefs())  # listed at once, whatever other threads put in meanwhile
    every = [jobs for jobs in known if jobs is not None and jobs is not mine]
    entries = [entry for jobs in every for entry in jobs.running.values()]
    return any(entry.opened.key == key and not entry.job.poll().ended for entry in entries)


def running(task: Task[Any, Any]) -> Running | None:
    """Return the job of a kind, whichever table it works on; None if there is none."""
    return _jobs().running.get(task.name)


def start(task: Task[Any, Any], request: Any, *, opened: OpenTable, label: str, handling: Handling) -> Running | None:
    """Start work, unless the session has a job of this kind.

    Parameters
    ----------
    opened, label, handling
        See :class:`Running`.

    Returns
    -------
    Running or None
        None if there is one already.
    """
    if running(task) is not None:
        return None
    mine = _jobs()
    job = QUEUE.submit(task, request, visitor=mine.visitor)
    visitors.watch(job)
    started = mine.running[task.name] = Running(job, opened, label, handling)
    return started


def set_stays(task: Task[Any, Any], stays: bool) -> None:
    """Say whether the job of a kind goes on when another table is opened."""
    now = running(task)
    if now is not None:
        _jobs().running[task.name] = replace(now, stays=stays)


def stop(entry: Running, current: OpenTable | None) -> list[JobNotice]:
    """End a job because its person wants it to end; what it has finished is kept if its kind can go on from there.

    Parameters
    ----------
    entry : Running
        One of :func:`under_way`.
    current : OpenTable or None
        What is open.
    """
    kept = _jobs().running
    now = kept.get(entry.task.name)
    if now is not None and now.job is entry.job:
        kept[entry.task.name] = replace(now, stopping=True)
    entry.job.stop()
    return _settle(entry, current, [_cancelled(entry)], stopped=True)


def leave(opened: OpenTable) -> list[JobNotice]:
    """End the jobs of a table that is about to be replaced, but those that may stay; return what to tell."""
    notices = []
    for entry in under_way(opened):
        if not entry.stays:
            _forget(entry)
            entry.job.close()
            notices.append(JobNotice("info", entry.task.words.left))
    return notices


def collect(current: OpenTable | None) -> list[JobNotice]:
    """Take in the jobs that have ended.

    Parameters
    ----------
    current : OpenTable or None
        What is open: what belongs to it is taken over, the rest waits to be opened, see :func:`offers`.
    """
    notices = _jobs().waiting.taken_up(current)
    for entry in under_way():
        if not entry.job.poll().ended:
            continue
        why = [JobNotice("error", entry.job.message)] if entry.job.message else []
        if entry.job.poll() is Status.CANCELLED:
            why = [_cancelled(entry) if entry.stopping else JobNotice("warning", entry.task.words.abandoned)]
        notices += _settle(entry, current, why, stopped=entry.stopping)
    return notices


def offers() -> tuple[WaitingResult, ...]:
    """Return the results that wait because other data is open and are to be shown, the oldest first."""
    return _jobs().waiting.announced


def put_off(offer: WaitingResult) -> None:
    """Show a result no longer; it waits until its table is opened."""
    _jobs().waiting.put_off(offer)


def withdraw(offer: WaitingResult) -> None:
    """Forget a result that waits."""
    _jobs().waiting.withdraw(offer)


def _settle(
    entry: Running, current: OpenTable | None, otherwise: list[JobNotice], *, stopped: bool = False
) -> list[JobNotice]:
    """Take what a job that has ended brings, remove its folder, and say what became of it.

    Where its person has stopped it, that something of it is kept says everything.
    """
    _forget(entry)
    here = current is not None and entry.opened.is_same(current)
    try:
        if entry.job.poll() is Status.DONE:
            return _take(entry, entry.job.result(), here)
        so_far = entry.job.partial()
    except ProsetError as error:
        # What was written a moment ago is sound, as a rule; then the worker is another program than the server.
        why = "If proset was updated while this server ran, start the server again; else start the work again."
        told = error.message if isinstance(error, StorageError) else str(error)
        return [JobNotice("error", f"The result of the {entry.task.words.noun} cannot be read. {told} {why}")]
    finally:
        entry.job.close()
    if so_far is None:
        return otherwise if here else [_of(entry, notice) for notice in otherwise]
    if here:
        entry.handling.keep(so_far)
        return [] if stopped else otherwise
    text = f"The {entry.task.words.noun} of '{entry.label}' ended early; what it has finished is kept."
    reasons = [] if stopped else [_of(entry, notice) for notice in otherwise]
    return [*reasons, *_offer(text, entry, so_far, open_it=entry.handling.reopen, take=entry.handling.keep)]


def _take(entry: Running, result: Any, here: bool) -> list[JobNotice]:
    """Take over a result, or let it wait while other data is open."""
    if here:
        entry.handling.take(result)
        return [JobNotice("success", entry.task.words.done)]
    text = f"The {entry.task.words.noun} of '{entry.label}' is done."
    return _offer(text, entry, result, open_it=entry.handling.open, take=entry.handling.take)


def _offer(
    text: str, entry: Running, what: Any, *, open_it: Callable[[Any], None], take: Callable[[Any], None]
) -> list[JobNotice]:
    """Let something wait to be opened; of many that wait the oldest goes."""
    label = f"Open '{entry.label}'"
    return _jobs().waiting.add(WaitingResult(text, label, partial(open_it, what), entry.opened, partial(take, what)))


def _cancelled(entry: Running) -> JobNotice:
    """Say that a job has ended because its person wanted it to."""
    return JobNotice("info", entry.task.words.cancelled)


def _of(entry: Running, notice: JobNotice) -> JobNotice:
    """Say which data a message is about."""
    return JobNotice(notice.kind, f"About '{entry.label}': {notice.text}")


def _forget(entry: Running) -> None:
    """Let a job be no longer under way."""
    kept = _jobs().running
    now = kept.get(entry.task.name)
    if now is not None and now.job is entry.job:
        del kept[entry.task.name]


def take_over(left: str, session_id: str) -> bool:
    """Make the work of a session that its browser has left that of the one whose page is drawn, if it has left it."""
    jobs = _ALL.get(left)  # held from here on: what is dropped takes them along
    if not visitors.VISITORS.hand_over(left, session_id):
        return False
    if jobs is not None:
        _ALL[session_id] = st.session_state[_KEY] = jobs
    return True


def _jobs() -> _Jobs:
    """Return what this session has under way."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = made = _Jobs()
        context = get_script_run_ctx()
        if context is not None:
            _ALL[context.session_id] = made
    jobs: _Jobs = st.session_state[_KEY]
    return jobs
