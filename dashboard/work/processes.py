"""Processes that work for the dashboard: started in sessions of their own, ended with all they have started.

A standby has loaded the engine before anybody needs it, because that takes seconds and a fit often less than one.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import weakref
from pathlib import Path
from typing import IO, Protocol

ERRORS_FILE = "errors.txt"
IDLE_SECONDS = 900.0
"""Time in seconds that a standby waits for work before it ends and gives its memory back."""


class Process(Protocol):
    """Interface of a process, as :class:`subprocess.Popen` has it, and what is forked as well."""

    stdin: IO[bytes] | None
    returncode: int | None

    @property
    def pid(self) -> int | None:
        """Number of the process; None if it is still to be forked."""

    def poll(self) -> int | None:
        """Return the exit code; None while it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code when there is one; subprocess.TimeoutExpired is raised if that takes longer."""

    def kill(self) -> None:
        """End it at once."""


_MARGIN_SECONDS = 60.0  # a standby that is about to end is not given work


def start(module: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start ``python -m module FOLDER``, with its error output in the folder.

    In a session of its own, so that Ctrl-C in the terminal reaches the server only. Its standard input stays open as
    long as the server lives.

    Raises
    ------
    OSError
        If the system does not start it.
    """
    errors = os.open(folder / ERRORS_FILE, os.O_CREAT | os.O_WRONLY, 0o600)
    try:
        return popen((sys.executable, "-m", module, str(folder)), errors)
    finally:
        os.close(errors)


def end(process: Process, grace: float) -> None:
    """End a process and what it has started: ask first, insist after `grace` seconds.

    One that is still to be forked ends when it is, for it finds its standard input closed.
    """
    running = process.poll() is None and process.pid is not None
    _terminate_group(process)
    if running:
        try:
            process.wait(timeout=grace)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


class Standby:
    """At most one process that is ready for the next job.

    Parameters
    ----------
    module : str
        Run as ``python -m module`` it loads what it needs, reads the folder of its job as a line from standard input,
        and goes on as if that had been its argument. It ends when standard input does, or after `idle_seconds`.
    idle_seconds : float
        How long it waits.
    """

    def __init__(self, module: str, idle_seconds: float = IDLE_SECONDS) -> None:
        self.module = module
        self._idle_seconds = idle_seconds
        self._held: list[Process] = []  # at most one
        self._started = 0.0
        weakref.finalize(self, _end_all, self._held)

    def begin(self) -> None:
        """Start the process unless it is there; that it cannot be started is for the next job to say."""
        if self._usable():
            return
        self.close()
        with contextlib.suppress(OSError):
            self.hold(self._launch())

    def hold(self, process: Process) -> None:
        """Hold a process that is getting ready."""
        self._held.append(process)
        self._started = time.monotonic()

    def _launch(self) -> subprocess.Popen[bytes]:
        """Start the process."""
        return popen((sys.executable, "-m", self.module), subprocess.DEVNULL)

    def take(self, folder: Path) -> Process | None:
        """Hand the folder of a job to the process and let go of it; None if there is none."""
        if not self._usable():
            return None
        process = self._held.pop()
        assert process.stdin is not None  # it is a pipe
        try:
            process.stdin.write(os.fsencode(folder) + b"\n")
            process.stdin.flush()
        except OSError:  # it died at this moment
            end(process, grace=0.0)
            return None
        return process

    def close(self) -> None:
        """End the process if there is one."""
        _end_all(self._held)

    def _usable(self) -> bool:
        """Tell whether there is a process that will still be there when work arrives."""
        age = time.monotonic() - self._started
        return bool(self._held) and self._held[0].poll() is None and age < self._idle_seconds - _MARGIN_SECONDS


def _end_all(held: list[Process]) -> None:
    """End processes that nobody will give work to."""
    while held:
        end(held.pop(), grace=0.0)


def popen(command: tuple[str, ...], errors: int, stdin: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    """Start a process in a session of its own, with a pipe as its standard input if nothing else is named."""
    return subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True)


def _terminate_group(process: Process) -> None:
    """Ask a process and its children to end; children of one that has died would go on working for nobody.

    They are only asked: the helper by which joblib removes its temporary files ignores it, and ends after that.
    """
    if process.pid is None:
        return
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGTERM)
    else:
        process.kill()
