"""Progress of a piece of work: lines in a file, written by the process that works and read by the server."""

from __future__ import annotations

import contextlib
import json
import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from proset.common.checked_json import JsonLimits, parse_json
from proset.common.errors import StorageError
from proset.common.words import seconds_words

PROGRESS_FILE = "progress.jsonl"
STARTING = "starting"
PREPARING = "preparing"

_SECONDS_BETWEEN_LINES = 0.1
_LONGEST_LINE = 4096
_LIMITS = JsonLimits(max_bytes=_LONGEST_LINE, max_values=100, max_depth=4)
_SHARE_WORTH_AN_ESTIMATE = 0.02
_SECONDS_BEFORE_LATE = 2.0
_MOST_SECONDS = 1e9
_MOST_COUNTED = 10**9


@dataclass(frozen=True)
class StageText:
    """Words for one stage of a piece of work.

    Attributes
    ----------
    text : str
        What it is doing; ``{done}`` and ``{total}`` stand for what it counts.
    detail : str
        How far it is; ``{percent}`` is the share done. Empty for nothing.
    """

    text: str
    detail: str = ""


ALWAYS: Mapping[str, StageText] = {
    STARTING: StageText("Starting"),
    PREPARING: StageText("Preparing the compiled engine (longer the first time after an installation)"),
}
"""Stages that every kind of work begins with."""


@dataclass(frozen=True)
class Progress:
    """Progress of a job.

    Attributes
    ----------
    stage : str
        What it is doing: one of the stages of its task, or one of :data:`ALWAYS`.
    share : float
        Share of the work done, in [0, 1].
    done, total : int
        What the stage counts, such as batches or fits.
    elapsed : float
        Seconds since the process was started.
    remaining : float or None
        Estimated seconds to go; None while there is too little to base it on.
    ahead : int
        Jobs that have to start before this one; 0 once it runs.
    late : bool
        Whether more time has passed without a word than was estimated to go.
    """

    stage: str = STARTING
    share: float = 0.0
    done: int = 0
    total: int = 0
    elapsed: float = 0.0
    remaining: float | None = None
    ahead: int = 0
    late: bool = False


class ProgressWriter:
    """Appends a line per call, but at most ten per second and stage, so that fast work is not slowed down.

    Parameters
    ----------
    path : Path
        The file; one JSON object per line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stage: str | None = None
        self._began = self._due = 0.0

    def write(
        self,
        stage: str,
        share: float = 0.0,
        *,
        done: int = 0,
        total: int = 0,
        remaining: float | None = None,
        estimate: bool = False,
    ) -> None:
        """Write how far the work is; the first call of a stage is always written.

        Parameters
        ----------
        stage, share, done, total, remaining
            See :class:`Progress`.
        estimate : bool
            Whether to estimate the time to go from the share and the time that this stage has taken.
        """
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._began = stage, now
        elif now < self._due:
            return
        self._due = now + _SECONDS_BETWEEN_LINES
        if estimate and share >= _SHARE_WORTH_AN_ESTIMATE:
            remaining = (now - self._began) * (1 - share) / share
        line = {"stage": stage, "share": share, "done": done, "total": total, "remaining": remaining}
        # Work goes on without a word where the disk is full; whether its result can be kept is seen at its end.
        with contextlib.suppress(OSError), self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def read_progress(folder: Path, elapsed: float) -> Progress:
    """Read the last complete line of a file that may be growing.

    Returns
    -------
    Progress
        That of the beginning if there is no line yet, or none that can be read. The time to go is that of now: work
        that is silent for a while has less to go than it said, or is late.
    """
    silent = 0.0
    try:
        with (folder / PROGRESS_FILE).open("rb") as file:
            silent = max(0.0, math.floor(time.time() - os.fstat(file.fileno()).st_mtime))
            file.seek(max(file.seek(0, os.SEEK_END) - _LONGEST_LINE, 0))
            lines = file.read(_LONGEST_LINE).split(b"\n")[:-1]
        line = parse_json(lines[-1], "A line of progress", limits=_LIMITS) if lines else {}
    except (OSError, StorageError):
        line = {}
    if not isinstance(line, dict) or not isinstance(line.get("stage"), str):
        return Progress(elapsed=elapsed)
    said = line.get("remaining")
    remaining = None if said is None else _bounded(said, _MOST_SECONDS) - silent
    return Progress(
        stage=line["stage"],
        share=_bounded(line.get("share"), 1.0),
        done=int(_bounded(line.get("done"), _MOST_COUNTED)),
        total=int(_bounded(line.get("total"), _MOST_COUNTED)),
        elapsed=elapsed,
        remaining=None if remaining is None else max(0.0, remaining),
        late=remaining is not None and remaining <= -_SECONDS_BEFORE_LATE,
    )


def _bounded(value: object, most: float) -> float:
    """Return a number from 0 to `most`, 0 for anything that is none."""
    if not isinstance(value, int | float) or value != value:
        return 0.0
    return float(min(max(value, 0.0), most))


def progress_words(now: Progress, stages: Mapping[str, StageText]) -> str:
    """Say how far a piece of work is.

    Parameters
    ----------
    now : Progress
        From :meth:`dashboard.work.queue.Job.progress`.

    Examples
    --------
    >>> progress_words(Progress(ahead=2), {})
    'Waiting: 2 other jobs come first.'
    >>> stages = {"rows": StageText("Counting rows", "{percent} %")}
    >>> progress_words(Progress("rows", share=0.5, elapsed=12, remaining=10), stages)
    'Counting rows · 50 % · 12 s so far · about 10 s to go'
    """
    if now.ahead or not now.elapsed:
        others = "1 other job comes first" if now.ahead == 1 else f"{now.ahead} other jobs come first"
        return f"Waiting: {others}." if now.ahead else "Waiting for a free place."
    text = stages.get(now.stage) or ALWAYS.get(now.stage) or ALWAYS[STARTING]
    parts = [text.text.format(done=max(now.done, 1), total=now.total)]
    if text.detail:
        parts.append(text.detail.format(done=now.done, total=now.total, percent=f"{100 * now.share:.0f}"))
    parts.append(f"{seconds_words(now.elapsed)} so far")
    if now.late:
        parts.append("longer than foreseen")
    elif now.remaining is not None:
        parts.append(f"about {seconds_words(now.remaining)} to go")
    return " · ".join(parts)
