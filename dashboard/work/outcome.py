"""The end of a piece of work: written by the process that works, or read off the way in which it died."""

from __future__ import annotations

import errno
import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from dashboard.work.folders import read_object
from proset.common.files import replacing

OUTCOME_FILE = "outcome.json"

# Exit codes, because on a full disk there is no file to write the reason to.
MEMORY_EXIT = 71
DISK_EXIT = 74

_KILLED = (-9, 137)
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Failure(StrEnum):
    """A kind of bad end; each kind of work has words for it, see :class:`dashboard.work.tasks.task.TaskWords`."""

    REFUSED = "refused"
    MEMORY = "memory"
    KILLED = "killed"
    DISK = "disk"
    NOT_STARTED = "not started"
    CRASHED = "crashed"


@dataclass(frozen=True)
class Outcome:
    """End of a piece of work: well (no failure), or why not."""

    failure: Failure | None = None
    detail: str = ""


def write_outcome(folder: Path, outcome: Outcome) -> None:
    """Write the end of the work in one step."""
    with replacing(folder / OUTCOME_FILE) as draft:
        draft.write_text(json.dumps({"failure": outcome.failure, "detail": outcome.detail}), encoding="utf-8")


def read_outcome(folder: Path, code: int) -> Outcome:
    """Return how a process that has exited with `code` has ended its work.

    Parameters
    ----------
    code : int
        Exit code of the process; negative for a signal.

    Returns
    -------
    Outcome
        What the process wrote, else what its exit code means.

    Examples
    --------
    >>> read_outcome(Path("/no such folder"), -9).failure, read_outcome(Path("/no such folder"), 3).detail
    (<Failure.KILLED: 'killed'>, 'exit code 3')
    """
    written = read_object(folder / OUTCOME_FILE)
    if written is not None and code == 0:
        failure, detail = written.get("failure"), written.get("detail")
        if failure is None:
            return Outcome()
        if isinstance(failure, str) and failure in tuple(Failure) and isinstance(detail, str):
            return Outcome(Failure(failure), detail)
    if code in _KILLED:  # by whom, nobody says
        return Outcome(Failure.KILLED)
    if code == MEMORY_EXIT:
        return Outcome(Failure.MEMORY)
    if code == DISK_EXIT:
        return Outcome(Failure.DISK)
    return Outcome(Failure.CRASHED, f"exit code {code}")


def no_space(error: BaseException | None) -> bool:
    """Return whether an error, or one that led to it, says that the disk is full.

    Examples
    --------
    >>> no_space(OSError(errno.ENOSPC, "No space left on device")), no_space(ValueError())
    (True, False)
    """
    while error is not None:
        if isinstance(error, OSError) and error.errno in _NO_SPACE:
            return True
        error = error.__cause__
    return False
