"""Long work in processes of its own: progress, cancel, result and error, without blocking the app.

A job is a private folder with a request in it, and a Python process that works on it. The process writes
``progress.jsonl`` while it works and ``outcome.json`` at the end. Nothing is pickled, and nothing is sent to the
process but end-of-file on its standard input: it stops by itself when the server is gone.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import threading
import time
import weakref
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, TypeVar

from dashboard.work import processes
from dashboard.work.folders import JobFolders
from dashboard.work.outcome import Failure, no_space, read_outcome
from dashboard.work.processes import ERRORS_FILE, Process, Standby
from dashboard.work.progress import Progress, read_progress
from dashboard.work.tasks.task import Task

KIND_FILE = "kind"

_GRACE_SECONDS = 1.0
_GRACE_SECONDS_TO_WRITE = 3.0
_LOG = logging.getLogger(__name__)

RequestT = TypeVar("RequestT")
ResultT = TypeVar("ResultT")


class Status(StrEnum):
    """States of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def ended(self) -> bool:
        """True if nothing more will happen."""
        return self not in (Status.WAITING, Status.RUNNING)


@dataclass(eq=False)
class _Entry:
    """Parts of a job that must be stopped and removed even if nobody holds the job any more."""

    task: Task[Any, Any]
    folder: Path | None
    visitor: Hashable = None
    process: Process | None = None
    status: Status = Status.WAITING
    failure: Failure | None = None
    message: str = ""
    started: float = 0.0
    over: bool = False  # all that belonged to the process has ended, and its number may be another's by now

    @property
    def is_alive(self) -> bool:
        """True while a process works on it, or has been asked to stop and has not done so yet."""
        return self.process is not None and self.process.poll() is None

    def end(self, grace: float) -> None:
        """End the process and what it has started, once."""
        if self.process is not None and not self.over:
            processes.end(self.process, grace)
            self.over = True

    def fail(self, failure: Failure, detail: str = "") -> None:
        """Note a bad end, in the words of its kind of work."""
        self.status, self.failure = Status.FAILED, failure
        self.message = self.task.words.failed(failure, detail)


@dataclass(eq=False)
class JobQueue:
    """Starts at most `limit` jobs at once; further ones wait for their turn.

    There are two lanes. Long work takes all places but one, which is left to short work, so a fit never waits behind a
    search; with a limit of one, long and short work share the one place. Within a lane the one that has waited longest
    comes first whose visitor has the fewest at work, so that nobody who starts many holds up all others. There is no
    thread behind it: whoever polls a job also starts the next one when a place is free.

    Parameters
    ----------
    limit : int
        Largest number of processes at once.
    standby : Standby or None
        Where a process waits for the next job of its program.
    """

    limit: int
    standby: Standby | None = None
    _folders: JobFolders = field(default_factory=JobFolders)
    _entries: list[_Entry] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def submit(
        self, task: Task[RequestT, ResultT], request: RequestT, *, visitor: Hashable = None
    ) -> Job[RequestT, ResultT]:
        """Write a request into a private folder, and queue the work.

        Parameters
        ----------
        task : Task
            What to do.
        request : object
            As the task takes it.
        visitor : hashable
            Whose work it is.

        Returns
        -------
        Job
            The handle; when it is no longer referenced, the process is stopped and the folder removed. It has failed
            already if the request cannot be written, as on a full disk.
        """
        entry = _Entry(task, None, visitor)
        try:
            entry.folder = self._folders.make()
            (entry.folder / KIND_FILE).write_text(task.name, encoding="utf-8")
            task.write(request, entry.folder)
        except OSError as error:
            _remove(entry)
            full = no_space(error)
            entry.fail(Failure.DISK if full else Failure.NOT_STARTED, "" if full else error.strerror or str(error))
            return Job(self, entry, request)
        except BaseException:
            _remove(entry)
            raise
        with self._lock:
            self._entries.append(entry)
            self.update()
        return Job(self, entry, request)

    def update(self) -> None:
        """Note which processes have ended and start waiting ones where there is room."""
        with self._lock:
            for entry in self._entries:
                if entry.process is not None and entry.process.poll() is not None:
                    _settle(entry)
            self._entries = [entry for entry in self._entries if not entry.status.ended or entry.is_alive]
            while ready := [entry for entry in self._waiting() if self._has_room(entry.task)]:
                self._start(ready[0])

    def _waiting(self) -> list[_Entry]:
        """Return what waits, in the order in which it will start as things stand."""
        at_work = Counter(entry.visitor for entry in self._entries if entry.is_alive)
        waiting = (entry for entry in self._entries if entry.status is Status.WAITING)
        return sorted(waiting, key=lambda entry: at_work[entry.visitor])

    def _has_room(self, task: Task[Any, Any]) -> bool:
        """Tell whether work of this kind may start now."""
        running = [entry for entry in self._entries if entry.is_alive]
        if task.short:
            return len(running) < self.limit
        long = sum(not entry.task.short for entry in running)
        return len(running) < self.limit and long < max(self.limit - 1, 1)

    def ahead(self, entry: _Entry) -> int:
        """Return how many waiting jobs of its lane come before `entry`."""
        with self._lock:
            lane = [other for other in self._waiting() if other.task.short == entry.task.short]
            return lane.index(entry) if entry in lane else 0

    def stop(self, entry: _Entry, grace: float = _GRACE_SECONDS) -> None:
        """End the process of `entry` within `grace` seconds; the place goes to the next job."""
        with self._lock:
            if not entry.status.ended:
                entry.status = Status.CANCELLED
        entry.end(grace)  # without the lock: others start, poll and stop their work meanwhile
        self.update()

    def remove(self, entry: _Entry) -> None:
        """Stop `entry` and remove its folder."""
        self.stop(entry)
        _remove(entry)

    def get_ready(self) -> None:
        """Let a process load what the next job needs, unless jobs run, which need the processors themselves."""
        with self._lock:
            self.update()
            if self.standby is not None and not self._entries:
                self.standby.begin()

    def sweep(self) -> None:
        """Remove what servers have left behind that were killed."""
        for root in self._folders.sweep():
            _LOG.info("removed what a server that was killed had left in %s", root)

    def _start(self, entry: _Entry) -> None:
        """Start the process of `entry`, or hand it to the one that waits for it."""
        assert entry.folder is not None  # it was queued, so its request was written
        entry.status = Status.RUNNING  # first: a job that nobody holds any more may be removed at any moment from now
        program = entry.task.program
        try:
            if self.standby is not None and self.standby.module == program:
                entry.process = self.standby.take(entry.folder)
            entry.process = entry.process or processes.start(program, entry.folder)
            entry.started = time.monotonic()
        except OSError as error:
            full = no_space(error)
            entry.fail(Failure.DISK if full else Failure.NOT_STARTED, "" if full else error.strerror or str(error))


class Job(Generic[RequestT, ResultT]):
    """A handle on one piece of work; see :meth:`JobQueue.submit`."""

    def __init__(self, queue: JobQueue, entry: _Entry, request: RequestT) -> None:
        self._queue = queue
        self._entry = entry
        self.request = request
        self._rest: RequestT | None = None
        # Also runs at the end of the interpreter, so that no process and no folder is left behind.
        self._finalizer = weakref.finalize(self, queue.remove, entry)

    @property
    def task(self) -> Task[RequestT, ResultT]:
        """Kind of work."""
        return self._entry.task

    @property
    def folder(self) -> Path | None:
        """The job's private folder, gone after :meth:`close`; None if there never was one."""
        return self._entry.folder

    @property
    def failure(self) -> Failure | None:
        """In which way the job failed; None unless it did."""
        return self._entry.failure

    @property
    def message(self) -> str:
        """Reason why the job failed, in words; empty unless it did."""
        return self._entry.message

    def poll(self) -> Status:
        """Return where the job stands now."""
        self._queue.update()
        return self._entry.status

    def progress(self) -> Progress:
        """Return how far the job is, from the last line its process has written."""
        entry = self._entry
        if entry.status is Status.WAITING or entry.folder is None:
            return Progress(ahead=self._queue.ahead(entry))
        return read_progress(entry.folder, time.monotonic() - entry.started)

    def so_far(self) -> Any:
        """Return what can be shown of the work before it is done; None if there is nothing."""
        folder = self._entry.folder
        return None if folder is None else self.task.so_far(folder)

    def result(self) -> ResultT:
        """Return the result of a job that is done.

        Raises
        ------
        ProsetError
            If it cannot be read.
        """
        assert self._entry.folder is not None  # it is done, so it has run
        return self.task.result(self.request, self._entry.folder)

    def partial(self) -> RequestT | None:
        """Return the request that goes on from what a stopped or failed job has finished; None if nothing is kept."""
        if self._rest is not None or self._entry.folder is None:
            return self._rest
        return self.task.partial(self.request, self._entry.folder)

    def stop(self) -> None:
        """Stop the work, give it three seconds to write down what is done so far, and leave its folder to be read."""
        self._queue.stop(self._entry, _GRACE_SECONDS_TO_WRITE)

    def abandon(self) -> None:
        """Stop the work of a visitor who is gone; what it has finished is kept in memory, in case they come back."""
        self.stop()
        self._rest = self.partial()
        self.close()

    def cancel(self) -> None:
        """Stop the work within about a second and remove its folder; harmless if it has already ended."""
        self.close()

    def close(self) -> None:
        """Stop the process if it runs and remove the folder."""
        self._finalizer()


def _settle(entry: _Entry) -> None:
    """Read what became of a process that has ended."""
    if entry.status is not Status.RUNNING or entry.process is None or entry.folder is None:
        return
    entry.end(_GRACE_SECONDS)
    code = entry.process.wait()
    outcome = read_outcome(entry.folder, code)
    if outcome.failure is None:
        entry.status = Status.DONE
        return
    entry.fail(outcome.failure, outcome.detail)
    if outcome.failure is not Failure.REFUSED:
        _LOG.error("%s ended with %s: %s", entry.task.name, code, _tail(entry.folder / ERRORS_FILE))


def _remove(entry: _Entry) -> None:
    """Remove the folder of a job."""
    if entry.folder is not None:
        shutil.rmtree(entry.folder, ignore_errors=True)


def _tail(path: Path) -> str:
    """Return the end of the error output, for the server's log only."""
    with contextlib.suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace")[-2000:]
    return ""
