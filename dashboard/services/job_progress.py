"""How far a piece of work is: lines in a file, written by the process that works and read by the server."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

PROGRESS_FILE = "progress.jsonl"

_SECONDS_BETWEEN_LINES = 0.1
_LONGEST_LINE = 4096
_SHARE_WORTH_AN_ESTIMATE = 0.02


class Stage(StrEnum):
    """What a piece of work is doing."""

    STARTING = "starting"
    PREPARING = "preparing"
    FITTING = "fitting"
    PENALTIES = "penalties"
    BATCHES = "batches"
    FINAL = "final"


@dataclass(frozen=True)
class Progress:
    """How far a job is.

    Attributes
    ----------
    stage : Stage
        What it is doing.
    share : float
        Share of the work done, in [0, 1].
    done, total : int
        While fitting: the batch under way, counted from 1 (0 before the first), and the number of batches. In a stage
        of a search: fits done and fits to do in this stage.
    elapsed : float
        Seconds since the process was started.
    remaining : float or None
        Estimated seconds to go; None while there is too little to base it on.
    ahead : int
        Jobs that have to start before this one; 0 once it runs.
    """

    stage: Stage = Stage.STARTING
    share: float = 0.0
    done: int = 0
    total: int = 0
    elapsed: float = 0.0
    remaining: float | None = None
    ahead: int = 0


class ProgressWriter:
    """Appends a line per call, but at most ten per second and stage, so that fast fits are not slowed down.

    Parameters
    ----------
    path : Path
        The file; one JSON object per line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stage: Stage | None = None
        self._began = self._due = 0.0

    def write(
        self, stage: Stage, share: float = 0.0, *, done: int = 0, total: int = 0, remaining: float | None = None
    ) -> None:
        """Write how far the work is; see :class:`Progress`. The first call of a stage is always written."""
        now = time.monotonic()
        if stage is not self._stage:
            self._stage, self._began = stage, now
        elif now < self._due:
            return
        self._due = now + _SECONDS_BETWEEN_LINES
        line = {
            "stage": stage.value,
            "share": share,
            "done": done,
            "total": total,
            "seconds": now - self._began,
            "remaining": remaining,
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def read_progress(folder: Path, elapsed: float) -> Progress:
    """Read the last complete line of a file that may be growing.

    Parameters
    ----------
    folder : Path
        The job's folder.
    elapsed : float
        Seconds since the process was started.

    Returns
    -------
    Progress
        That of the beginning if there is no line yet.
    """
    try:
        with (folder / PROGRESS_FILE).open("rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - _LONGEST_LINE, 0))
            lines = file.read().split(b"\n")[:-1]
        line = json.loads(lines[-1]) if lines else None
    except (OSError, ValueError):
        line = None
    if line is None:
        return Progress(elapsed=elapsed)
    share, remaining = min(max(float(line["share"]), 0.0), 1.0), line["remaining"]
    # A search makes its own estimate, because one that goes on from an earlier one starts with a share done.
    if remaining is None and line["stage"] == Stage.FITTING and share >= _SHARE_WORTH_AN_ESTIMATE:
        remaining = float(line["seconds"]) * (1 - share) / share
    return Progress(
        stage=Stage(line["stage"]),
        share=share,
        done=int(line["done"]),
        total=int(line["total"]),
        elapsed=elapsed,
        remaining=remaining,
    )
