"""The program a job runs in: ``python -m dashboard.work.worker FOLDER``; without FOLDER it gets ready and waits.

It looks up the kind of work that the folder names, lets it read its request, and ends with an outcome.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import stat
import sys
import threading
import traceback
from collections.abc import Iterable
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any

from dashboard.work.forks import serve
from dashboard.work.outcome import DISK_EXIT, MEMORY_EXIT, Failure, Outcome, no_space, write_outcome
from dashboard.work.processes import ERRORS_FILE, IDLE_SECONDS
from dashboard.work.progress import PREPARING, PROGRESS_FILE, STARTING, ProgressWriter
from dashboard.work.queue import KIND_FILE
from dashboard.work.tasks import TASKS, Stopped, Task
from proset.common.errors import ProsetError

_POLITENESS = 5  # of long work, so that short work beside it gets the processors


def stop_with_parent(folder: Path) -> None:
    """Leave, with our children and the folder, as soon as the parent closes our standard input or is gone."""

    def watch() -> None:
        # The raw descriptor: a thread blocked in a buffered reader would hold its lock while the interpreter ends.
        while os.read(0, 1024):
            pass
        shutil.rmtree(folder, ignore_errors=True)
        if hasattr(os, "getpgrp") and os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGTERM)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run(folder: Path, tasks: Iterable[Task[Any, Any]] = TASKS) -> None:
    """Do the work that is requested in `folder` and write its outcome."""
    progress = ProgressWriter(folder / PROGRESS_FILE)
    progress.write(STARTING)
    name = (folder / KIND_FILE).read_text(encoding="utf-8")
    task = {task.name: task for task in tasks}[name]
    if not task.short and hasattr(os, "nice"):
        os.nice(_POLITENESS)
    try:
        request = task.read(folder)
        progress.write(PREPARING)
        task.prepare()
        task.run(request, progress, folder)
        outcome = Outcome()
    except Stopped:
        # At once, without waiting for threads that still work on a fit nobody needs any more.
        os._exit(0)
    except ProsetError as error:
        if no_space(error):
            raise
        outcome = Outcome(Failure.REFUSED, str(error))
    write_outcome(folder, outcome)


def await_folder(tasks: Iterable[Task[Any, Any]] = TASKS) -> Path:
    """Get ready, then wait for the folder of a job as a line on standard input; leave if none comes.

    If standard input is a socket this process stays where it is, and forks one for each folder that comes.
    """
    for task in tasks:
        task.prepare()
    folder = serve(socket.socket(fileno=os.dup(0))) if stat.S_ISSOCK(os.fstat(0).st_mode) else _read_folder()
    errors = os.open(folder / ERRORS_FILE, os.O_CREAT | os.O_WRONLY, 0o600)
    os.dup2(errors, 2)
    os.close(errors)
    return folder


def _read_folder() -> Path:
    """Read the line with the folder; leave if none comes in time."""
    idle = threading.Timer(IDLE_SECONDS, os._exit, (0,))
    idle.daemon = True
    idle.start()
    line = b""
    # Byte by byte, so that nothing behind the line is taken from whoever reads on.
    while not line.endswith(b"\n"):
        read = os.read(0, 1)
        if not read:
            os._exit(0)
        line += read
    idle.cancel()
    return Path(os.fsdecode(line[:-1]))


def main(tasks: Iterable[Task[Any, Any]] = TASKS) -> int:
    """Run the worker.

    Returns
    -------
    int
        The exit code: 0 whenever there is an outcome to read; others are in :mod:`dashboard.work.outcome`.
    """
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else await_folder(tasks)
    stop_with_parent(folder)
    try:
        run(folder, tasks)
    except (MemoryError, BrokenExecutor):  # the latter: a process that worked for us was killed
        _log_error()
        return MEMORY_EXIT
    except Exception as error:
        _log_error()
        return DISK_EXIT if no_space(error) else 1
    return 0


def _log_error() -> None:
    """Write the error for the server's log; past the buffers, whose failure on a full disk would be the exit code."""
    with contextlib.suppress(OSError):
        os.write(2, traceback.format_exc().encode("utf-8", "replace"))


if __name__ == "__main__":
    raise SystemExit(main())
