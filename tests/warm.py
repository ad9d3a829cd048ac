"""Workers forked from a process that has loaded the engine: to start a Python and load it takes longer than most fits.

They read their folder, write their result, are stopped and killed as the dashboard's own are.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
from multiprocessing.connection import Connection
from multiprocessing.process import _children  # type: ignore[attr-defined]
from pathlib import Path

LOADED = ("warm", "dashboard.work.worker", "proset.study", "proset.compare", "proset.storage", "sklearn.linear_model")


class Forked:
    """What the dashboard asks of a process (:class:`subprocess.Popen`), of one that is forked.

    Parameters
    ----------
    program : str
        The name of a module with a `main`, or a program of several lines.
    *arguments : str
        Of the program.
    errors : Path or None
        Where it writes what goes wrong.
    """

    def __init__(self, program: str, *arguments: str, errors: Path | None = None) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([*LOADED])
        reads, writes = context.Pipe(duplex=False)
        given = (reads, str(errors or os.devnull), dict(os.environ), os.getcwd(), program, *arguments)
        self._process = context.Process(target=run, args=given)
        self._process.start()
        _children.discard(self._process)  # pytest does not wait for it: it ends with its standard input
        reads.close()
        self.stdin = os.fdopen(os.dup(writes.fileno()), "wb")
        writes.close()
        self.pid: int = self._process.pid  # type: ignore[assignment]  # it is started

    @property
    def returncode(self) -> int | None:
        return self.poll()

    def poll(self) -> int | None:
        return self._process._popen.poll()  # type: ignore[attr-defined]

    def wait(self, timeout: float | None = None) -> int:
        code = self._process._popen.wait(timeout)  # type: ignore[attr-defined]
        if code is None:
            raise subprocess.TimeoutExpired("a forked worker", timeout or 0.0)
        return code

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


def run(
    stdin: Connection, errors: str, environment: dict[str, str], folder: str, program: str, *arguments: str
) -> None:
    """Be the process."""
    os.setsid()
    os.dup2(stdin.fileno(), 0)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(errors, os.O_CREAT | os.O_WRONLY, 0o600), 2)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["-c", *arguments]
    if "\n" in program:
        exec(program, {"__name__": "__main__"})
    else:
        raise SystemExit(importlib.import_module(program).main())
