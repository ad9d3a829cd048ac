"""The dashboard as a server of its own, watched from outside: memory, processes, folders of jobs."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import psutil

ROOT = Path(__file__).parents[1]
LOG = "streamlit.log"
SECONDS_TO_START = 120.0
MIB = 1 << 20
BARE = "Bare"
"""Menu and title of the page that ``bare_server.py`` adds."""


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    """Return whether a condition came true in so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.1)
    return condition()


class AppServer:
    """The dashboard on a free port of this machine, with temporary files below `folder`.

    Parameters
    ----------
    folder : Path
        An existing folder; its ``tmp`` gets what the server and its workers write.
    options : str
        Further options of Streamlit.
    script : str
        The server, from the root of the project.
    """

    def __init__(self, folder: Path, *options: str, script: str = "dashboard/server.py") -> None:
        self.folder, self._script = folder, script
        self.temporary = folder / "tmp"
        self.temporary.mkdir(exist_ok=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._options = options

    def __enter__(self) -> AppServer:
        command = [sys.executable, "-m", "streamlit", "run", self._script, f"--server.port={self.port}"]
        environment = os.environ | {
            "TMPDIR": str(self.temporary),
            "PYTHONPATH": str(ROOT),
            "PROSET_WORKSPACE": "none",
        }
        self._log = (self.folder / LOG).open("ab")
        self._process = subprocess.Popen(
            [*command, *self._options], cwd=ROOT, env=environment, stdout=self._log, stderr=subprocess.STDOUT
        )
        self.process = psutil.Process(self._process.pid)
        if not wait_for(self._healthy, SECONDS_TO_START):
            self.__exit__(None, None, None)
            raise SystemExit(f"The app did not start. It said last:\n{(self.folder / LOG).read_text()[-1_000:]}")
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        self._process.terminate()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def _healthy(self) -> bool:
        """Return whether it answers."""
        try:
            with urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=2) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def memory(self) -> float:
        """Return the resident memory of the server itself, in MiB."""
        return self.process.memory_info().rss / MIB

    def workers(self) -> list[psutil.Process]:
        """Return the processes that it has started: those that work, and the one that waits."""
        return self.process.children()

    def job_folders(self) -> list[Path]:
        """Return the folders of jobs, of this server and of others with the same temporary folder."""
        return sorted(self.temporary.glob("proset-jobs-*/job-*"))

    def kill(self) -> None:
        """End the server as the system does when memory runs out."""
        self._process.kill()
        self._process.wait()
