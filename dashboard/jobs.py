"""Long work in processes of its own: progress, cancel, result and error, without blocking the app.

A job is a private folder with a request in it, and a Python process that works on it. The process writes
``progress.jsonl`` while it works and ``outcome.json`` at the end. Nothing is pickled, and nothing is sent to the
process but end-of-file on its standard input: it stops by itself when the server is gone.
"""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from dashboard import processes
from dashboard.processes import ERRORS_FILE, Standby
from dashboard.services.job_progress import Progress, read_progress

WORKER = "dashboard.worker"
OUTCOME_FILE = "outcome.json"

_GRACE_SECONDS = 1.0
_GRACE_SECONDS_TO_WRITE = 3.0
_LOG = logging.getLogger(__name__)


class Status(StrEnum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(eq=False)
class _Task:
    """What must be stopped and removed even if nobody holds the job any more."""

    folder: Path
    module: str
    process: subprocess.Popen[bytes] | None = None
    status: Status = Status.WAITING
    message: str = ""
    started: float = 0.0


@dataclass(eq=False)
class JobQueue:
    """Starts at most `limit` jobs at once; further ones wait for their turn.

    There is no thread behind it: whoever polls a job also starts the next one when a place is free.

    Parameters
    ----------
    limit : int
        Largest number of processes at once.
    standby : Standby or None
        Where a process waits for the next job of its module.
    """

    limit: int
    standby: Standby | None = None
    _tasks: list[_Task] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def submit(self, prepare: Callable[[Path], None], *, module: str = WORKER) -> Job:
        """Make a private folder, let `prepare` write the request into it, and queue the work.

        Parameters
        ----------
        prepare : callable
            Receives the folder, which only this user can read.
        module : str
            The program; it is run as ``python -m module FOLDER``.

        Returns
        -------
        Job
            The handle; when it is no longer referenced, the process is stopped and the folder removed.
        """
        folder = Path(tempfile.mkdtemp(prefix="proset-job-"))
        try:
            prepare(folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        task = _Task(folder, module)
        with self._lock:
            self._tasks.append(task)
            self.update()
        return Job(self, task)

    def update(self) -> None:
        """Note which processes have ended and start waiting ones where there is room."""
        with self._lock:
            for task in self._tasks:
                if task.process is not None and task.process.poll() is not None:
                    _settle(task)
            self._tasks = [task for task in self._tasks if task.status in (Status.WAITING, Status.RUNNING)]
            room = self.limit - sum(task.status is Status.RUNNING for task in self._tasks)
            for task in [task for task in self._tasks if task.status is Status.WAITING][: max(room, 0)]:
                self._start(task)

    def ahead(self, task: _Task) -> int:
        """Return how many waiting jobs come before `task`."""
        with self._lock:
            waiting = [other for other in self._tasks if other.status is Status.WAITING]
            return waiting.index(task) if task in waiting else 0

    def stop(self, task: _Task, grace: float = _GRACE_SECONDS) -> None:
        """End the process of `task` within `grace` seconds; the place goes to the next job."""
        with self._lock:
            if task.status in (Status.WAITING, Status.RUNNING):
                task.status = Status.CANCELLED
            if task.process is not None:
                processes.end(task.process, grace)
            self.update()

    def remove(self, task: _Task) -> None:
        """Stop `task` and remove its folder."""
        self.stop(task)
        shutil.rmtree(task.folder, ignore_errors=True)

    def get_ready(self) -> None:
        """Let a process load what the next job needs, unless jobs run, which need the processors themselves."""
        with self._lock:
            self.update()
            if self.standby is not None and not self._tasks:
                self.standby.begin()

    def _start(self, task: _Task) -> None:
        """Start the process of `task`, or hand it to the one that waits for it."""
        try:
            if self.standby is not None and self.standby.module == task.module:
                task.process = self.standby.take(task.folder)
            task.process = task.process or processes.start(task.module, task.folder)
            task.started = time.monotonic()
            task.status = Status.RUNNING
        except OSError as error:
            task.status = Status.FAILED
            task.message = f"The work could not be started: {error.strerror}. Try again in a moment."


class Job:
    """A handle on one piece of work; see :meth:`JobQueue.submit`."""

    def __init__(self, queue: JobQueue, task: _Task) -> None:
        self._queue = queue
        self._task = task
        # Also runs at the end of the interpreter, so that no process and no folder is left behind.
        self._finalizer = weakref.finalize(self, queue.remove, task)

    @property
    def folder(self) -> Path:
        """The job's private folder; gone after :meth:`close`."""
        return self._task.folder

    @property
    def message(self) -> str:
        """Why the job failed, in words; empty unless it did."""
        return self._task.message

    def poll(self) -> Status:
        """Return where the job stands now."""
        self._queue.update()
        return self._task.status

    def progress(self) -> Progress:
        """Return how far the job is, from the last line its process has written."""
        task = self._task
        if task.status is Status.WAITING:
            return Progress(ahead=self._queue.ahead(task))
        return read_progress(task.folder, time.monotonic() - task.started)

    def stop(self) -> None:
        """Stop the work, give it three seconds to write down what is done so far, and leave its folder to be read."""
        self._queue.stop(self._task, _GRACE_SECONDS_TO_WRITE)

    def cancel(self) -> None:
        """Stop the work within about a second and remove its folder; harmless if it has already ended."""
        self.close()

    def close(self) -> None:
        """Stop the process if it runs and remove the folder."""
        self._finalizer()


def _settle(task: _Task) -> None:
    """Read what became of a process that has ended."""
    if task.status is not Status.RUNNING or task.process is None:
        return
    processes.end(task.process, _GRACE_SECONDS)
    outcome = _outcome(task.folder / OUTCOME_FILE)
    if outcome is not None and outcome.get("status") == "done":
        task.status = Status.DONE
        return
    task.status = Status.FAILED
    task.message = str(outcome["message"]) if outcome is not None else _crash_words(task.process.returncode)
    if outcome is None:
        _LOG.error("job ended with %s: %s", task.process.returncode, _tail(task.folder / ERRORS_FILE))


def _crash_words(code: int) -> str:
    """Say in words what an exit without an outcome means."""
    if code in (-9, 137):
        return (
            "The fit was stopped by the system, most likely because memory ran out. "
            "Try fewer candidates per batch, or a table with fewer rows or columns."
        )
    return (
        f"The fit ended unexpectedly (exit code {code}). Your data and settings are still here: try again, and if it "
        "happens again, try fewer candidates per batch."
    )


def _outcome(path: Path) -> dict[str, object] | None:
    """Read the outcome file; None if there is none."""
    try:
        loaded = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return loaded if isinstance(loaded, dict) else None


def _tail(path: Path) -> str:
    """Return the end of the error output, for the server's log only."""
    with contextlib.suppress(OSError):
        return path.read_text(encoding="utf-8", errors="replace")[-2000:]
    return ""
