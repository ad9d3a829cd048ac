"""Processes forked from one that has loaded what they need: to start a Python and load it takes longer than most fits.

Workers are forked as the dashboard forks its own, and whole servers likewise: ``python -m warm`` with a socket as its
standard input takes folders of jobs, and folders with a file that says what to serve.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from patience import wait_until
from variants import REPEATS

from dashboard.work import worker
from dashboard.work.forks import Forked, ForkServer
from dashboard.work.progress import ProgressWriter
from proset.study import repeats

ASKED, LOG = "warm.json", "streamlit.log"
ROOT = Path(__file__).resolve().parents[1]


class Warm(ForkServer):
    """The process that forks them; it is started when it is first needed."""

    def _launch(self) -> subprocess.Popen[bytes]:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(ROOT)
            patch.setenv("PYTHONPATH", f"{ROOT}{os.pathsep}{ROOT / 'tests'}")
            return super()._launch()

    def fork(self, folder: Path, **asked: dict[str, Any]) -> Forked:
        """Fork a process with our environment that works on a folder, be it as a server, or waits in the midst."""
        self.begin()
        (folder / ASKED).write_text(json.dumps({"environment": dict(os.environ)} | asked), encoding="utf-8")
        forked = self.take(folder)
        assert forked is not None, "it has died"
        wait_until(lambda: forked.pid is not None)
        return forked


WARM = Warm("warm")
atexit.register(WARM.close)


def _wait_in_the_midst(done: int, let_go: str) -> None:
    """Let the worker wait when that many steps are done, until a file is there."""
    from proset.selection import search_progress

    write, search_progress.SECONDS_BETWEEN_TICKS = ProgressWriter.write, 0.0

    def write_and_wait(self: Any, *args: Any, **named: Any) -> None:
        enough = named.get("done", 0) >= done
        if enough:
            self._due = 0.0  # the line before may be too fresh for another one
        write(self, *args, **named)
        until = time.monotonic() + 600
        while enough and not Path(let_go).exists() and time.monotonic() < until:
            time.sleep(0.02)

    ProgressWriter.write = write_and_wait  # type: ignore[method-assign]


class _Twin:
    """What a standby holds (:class:`subprocess.Popen`): a process forked from this one, which forks those of jobs."""

    returncode: int | None = None

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            ours.close()
            os.dup2(theirs.fileno(), 0)
            theirs.close()
            sys.argv[1:] = []
            raise SystemExit(worker.main())
        theirs.close()
        self.stdin = os.fdopen(ours.detach(), "wb", buffering=0)

    def poll(self) -> int | None:
        if self.returncode is None and os.waitpid(self.pid, os.WNOHANG)[0]:
            self.returncode = -signal.SIGKILL
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        wait_until(lambda: self.poll() is not None)
        return -signal.SIGKILL

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


def _serve(folder: Path, script: str, port: int) -> int:
    """Be a server of the app, whose standby need not load anything."""
    from streamlit.web import cli

    from dashboard.session.jobs import QUEUE

    if isinstance(QUEUE.standby, ForkServer):
        QUEUE.standby.hold(_Twin())

    # Whoever asked for it and is killed has no time to end it.
    threading.Thread(target=lambda: os.read(0, 1) or os._exit(1), daemon=True).start()
    log = os.open(folder / LOG, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.chdir(ROOT)
    sys.argv[1:] = ["run", script, f"--server.port={port}"]
    return cli.main()  # type: ignore[no-any-return]


def main() -> int:
    """Be the process, then one of those that it forks."""
    for loaded in ("dashboard.app", "dashboard.server", "streamlit.web.bootstrap"):
        importlib.import_module(loaded)
    repeats.TIMES_OF_FEW_ROWS = repeats.TIMES_OF_MANY_ROWS = REPEATS
    folder = worker.await_folder()
    asked = json.loads((folder / ASKED).read_text(encoding="utf-8"))
    os.environ.clear()
    os.environ.update(asked["environment"])
    if "serve" in asked:
        return _serve(folder, **asked["serve"])
    if "hold" in asked:
        _wait_in_the_midst(**asked["hold"])
    sys.argv[1:] = [str(folder)]
    return worker.main()


if __name__ == "__main__":
    raise SystemExit(main())
