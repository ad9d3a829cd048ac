"""Processes forked from one that has loaded the engine: the next job begins at once, the one after it as well.

To load the engine takes some seconds of a processor, which a :class:`dashboard.work.processes.Standby` spends once per
job. Where a process can be forked safely it is spent once: the standby stays and forks a process for each job.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO

from dashboard.work.processes import IDLE_SECONDS, Process, Standby, popen

CAN_FORK = sys.platform == "linux"  # elsewhere libraries of the system do not survive it, or there is no such thing
_NUMBER = struct.Struct("=i")


class ForkServer(Standby):
    """A standby that forks a process for each job, and stays.

    Parameters
    ----------
    module : str
        As for a standby; it finds a socket at its standard input and calls :func:`serve`.
    idle_seconds : float
        How long it waits for the next job.
    """

    def _launch(self) -> subprocess.Popen[bytes]:
        """Start the process; our end of its standard input becomes that of a pipe."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            process = popen((sys.executable, "-m", self.module), subprocess.DEVNULL, stdin=theirs.fileno())
        process.stdin = os.fdopen(ours.detach(), "wb", buffering=0)
        return process

    def take(self, folder: Path) -> Forked | None:
        """Let the process fork one that works on the folder of a job; None if there is none."""
        if not self._usable():
            return None
        try:
            forked = Forked(self._held[0], folder)
        except OSError:  # it died at this moment
            self.close()
            return None
        self._started = time.monotonic()
        return forked


class Forked:
    """Stand-in for a :class:`subprocess.Popen`: a process that a fork server has forked or will.

    Parameters
    ----------
    server : Process
        Whom to ask for it.
    folder : Path
        What it works on.

    Attributes
    ----------
    stdin : file
        Its standard input; it leaves when that ends.

    Raises
    ------
    OSError
        If the fork server is gone.
    """

    def __init__(self, server: Process, folder: Path) -> None:
        its_stdin, stdin = os.pipe()
        self._status, its_status = os.pipe()
        try:
            assert server.stdin is not None  # it is a socket
            with socket.socket(fileno=os.dup(server.stdin.fileno())) as control:
                socket.send_fds(control, [os.fsencode(folder)], [its_stdin, its_status])
        except OSError:
            os.close(stdin)
            os.close(self._status)
            raise
        finally:
            os.close(its_stdin)
            os.close(its_status)
        self.stdin: IO[bytes] | None = os.fdopen(stdin, "wb")
        self.returncode: int | None = None
        self._said = b""  # its number, then its exit code
        self._lock = threading.Lock()

    def __del__(self) -> None:
        with contextlib.suppress(AttributeError, OSError):
            os.close(self._status)

    @property
    def pid(self) -> int | None:
        """Number of the process; None until it is forked, which takes seconds if the fork server is loading still."""
        self.poll()
        return _NUMBER.unpack_from(self._said)[0] if len(self._said) >= _NUMBER.size else None

    def poll(self) -> int | None:
        """Return the exit code; None while it works."""
        return self._listen(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code when there is one.

        Raises
        ------
        TimeoutExpired
            If it still works after `timeout` seconds.
        """
        code = self._listen(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("a forked process", timeout or 0.0)
        return code

    def kill(self) -> None:
        """End it; one that is not forked yet ends as soon as it finds its standard input closed."""
        pid = self.pid
        if self.returncode is None and pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _listen(self, timeout: float | None) -> int | None:
        """Read what the fork server says of it for at most `timeout` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        while self.returncode is None:
            left = None if end is None else max(0.0, end - time.monotonic())
            if not _is_ready(self._status, left):
                return None
            with self._lock:
                # Another thread may have read meanwhile what was there.
                if self.returncode is None and _is_ready(self._status, 0.0):
                    self._hear(os.read(self._status, _NUMBER.size))
        return self.returncode

    def _hear(self, said: bytes) -> None:
        """Note a number of the fork server; if it says nothing any more it is gone, and so is what it has forked."""
        self._said += said
        if len(self._said) == 2 * _NUMBER.size:
            self.returncode = _NUMBER.unpack_from(self._said, _NUMBER.size)[0]
        elif not said:
            self.returncode = -signal.SIGKILL


def _is_ready(descriptor: int, seconds: float | None) -> bool:
    """Tell whether something can be read within some seconds; unlike ``select``, of any number of open files."""
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(None if seconds is None else 1000.0 * seconds))


def serve(control: socket.socket, idle_seconds: float = IDLE_SECONDS) -> Path:
    """Fork a process for each folder that is asked for; returns in these, with the folder.

    The process that calls it ends when the other end of the socket is closed, or if nothing is asked for and nothing
    works for `idle_seconds`. A forked process leads a session of its own and has a pipe as its standard input.

    Parameters
    ----------
    control : socket
        What asks, of the kind ``SOCK_SEQPACKET``.
    idle_seconds : float
        How long to wait.
    """
    gc.freeze()  # what is shared with those that are forked is left alone
    children = _Children()
    while True:
        if not select.select([control], [], [], idle_seconds)[0]:
            if children.none:
                os._exit(0)
            continue
        message, files, _, _ = socket.recv_fds(control, os.pathconf("/", "PC_PATH_MAX"), 2)
        if not message:
            os._exit(0)
        stdin, status = files
        if children.fork(status) == 0:
            control.close()
            os.dup2(stdin, 0)
            os.close(stdin)
            return Path(os.fsdecode(message))
        os.close(stdin)


class _Children:
    """Processes that a fork server has forked and that work: where to say what becomes of each."""

    def __init__(self) -> None:
        self._status: dict[int, int] = {}
        signal.signal(signal.SIGCHLD, self._reap)

    @property
    def none(self) -> bool:
        """True if nothing works."""
        return not self._status

    def fork(self, status: int) -> int:
        """Fork, and say the number of the process; return it here, and 0 there."""
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # it may end before its number is noted
        pid = os.fork()
        if pid == 0:
            os.setsid()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for other in (*self._status.values(), status):
                os.close(other)  # that it closes means that the fork server is gone
        else:
            self._status[pid] = status
            _say(status, pid)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        return pid

    def _reap(self, *_: object) -> None:
        """Say how those have ended that have."""
        while self._status:
            pid, ended = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            status = self._status.pop(pid)
            _say(status, os.waitstatus_to_exitcode(ended))
            os.close(status)


def _say(status: int, number: int) -> None:
    """Write a number to whoever listens, if anybody does."""
    with contextlib.suppress(OSError):
        os.write(status, _NUMBER.pack(number))
