"""Private folders of jobs: one folder per server, one in it per job, and nothing left of servers that are gone."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Mapping
from pathlib import Path

from proset.common.checked_json import JsonLimits, load_json
from proset.common.errors import StorageError

try:
    import fcntl
except ImportError:  # Windows, where leftovers of servers that died stay until the system removes them
    fcntl = None  # type: ignore[assignment]

_PREFIX = "proset-jobs-"
_READING_PREFIX, _LONGEST_READING = "proset-read-", 3600.0  # seconds: an older one was left behind
_LOCK = "lock"
_LIMITS = JsonLimits(max_bytes=64 * 1024, max_values=100, max_depth=4)


class JobFolders:
    """Makes folders that only this user can read, below one that goes with the server.

    The folder is held by a lock as long as the server lives. A server that starts removes the folders of those that
    were killed: unlike a process id, a lock cannot be taken for that of another machine that shares the disk.
    """

    def __init__(self) -> None:
        self._root: Path | None = None
        self._lock = -1

    def make(self) -> Path:
        """Make a folder for one job.

        Raises
        ------
        OSError
            If the disk is full or cannot be written.
        """
        if self._root is None or not self._root.is_dir():
            self._root, self._lock = _held_folder()
            weakref.finalize(self, _give_up, self._root, self._lock)
        return Path(tempfile.mkdtemp(prefix="job-", dir=self._root))

    @staticmethod
    def sweep() -> list[Path]:
        """Remove what servers have left behind that were killed; return what was removed."""
        removed = []
        for root in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            with contextlib.suppress(OSError):
                if _is_abandoned(root):
                    shutil.rmtree(root, ignore_errors=True)
                    removed.append(root)
        for folder in Path(tempfile.gettempdir()).glob(f"{_READING_PREFIX}*"):
            with contextlib.suppress(OSError):
                if _is_ours(folder) and time.time() - folder.stat().st_mtime > _LONGEST_READING:
                    shutil.rmtree(folder, ignore_errors=True)
                    removed.append(folder)
        return removed


def _held_folder() -> tuple[Path, int]:
    """Make a folder and hold its lock; it gets its name once it is held, so that nobody removes it before."""
    root = Path(tempfile.mkdtemp(prefix=_PREFIX))
    lock = os.open(root / f"{_LOCK}.new", os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    if fcntl is not None:
        fcntl.flock(lock, fcntl.LOCK_EX)
    os.rename(root / f"{_LOCK}.new", root / _LOCK)
    return root, lock


def _is_ours(folder: Path) -> bool:
    """Tell whether this user has made a folder."""
    return not folder.is_symlink() and hasattr(os, "getuid") and folder.stat().st_uid == os.getuid()


def _is_abandoned(root: Path) -> bool:
    """Tell whether a folder is ours and its server is gone."""
    if fcntl is None or not _is_ours(root):
        return False
    lock = os.open(root / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True


def _give_up(root: Path, lock: int) -> None:
    """Remove a server's folder, then let go of its lock."""
    shutil.rmtree(root, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.close(lock)


def read_object(path: Path) -> Mapping[str, object] | None:
    """Read a small JSON object that a worker wrote.

    Returns
    -------
    mapping or None
        None if there is no such file, or if it is anything else or larger than 64 KiB.
    """
    try:
        loaded = load_json(path, "What the worker wrote", limits=_LIMITS)
    except StorageError:
        return None
    return loaded if isinstance(loaded, dict) else None
