"""Several systems learn from the same rows and are measured on the same ones."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from dashboard.services.compare.standing import SystemStanding
from dashboard.work.folders import read_object
from dashboard.work.progress import ProgressWriter, StageText
from dashboard.work.tasks.studies import EngineTask, read_asked, write_asked
from dashboard.work.tasks.task import TaskWords
from proset.common.files import replacing
from proset.compare.plan import ComparePlan
from proset.study.any_study import AnyStudy
from proset.study.number_study import NumberStudy

if TYPE_CHECKING:
    from collections.abc import Callable

    from proset.compare import CompareProgress, Comparison, NumberComparison, TimeEstimate

WORKING, KEEPING = "working", "keeping"
_NEEDED_FILE, _SO_FAR_FILE = "needed.json", "so_far.json"
_SECONDS_BETWEEN_WORDS = 1.0
_MOST_LINES = 100


@dataclass(frozen=True, eq=False)
class CompareRequest:
    """Request for a comparison.

    Attributes
    ----------
    study : Study or NumberStudy
        The model, with its table.
    plan : ComparePlan
        Which systems, and how.
    needed : TimeEstimate or None
        How long each was thought to take, so that the time to go does not take all for as fast as the first.
    """

    study: AnyStudy
    plan: ComparePlan = field(default_factory=ComparePlan)
    needed: TimeEstimate | None = None


class CompareTask(EngineTask[CompareRequest, "Comparison | NumberComparison"]):
    """Fit every system within the same folds and on all training rows, and measure each."""

    name = "compare"
    short = False
    words = TaskWords(
        noun="comparison",
        done="The systems are compared.",
        stop="Cancel",
        smaller="Try fewer systems, the quick settings, or a table with fewer rows or columns.",
    )
    stages: ClassVar = {
        WORKING: StageText("Step {done} of {total}", "{percent} %"),
        KEEPING: StageText("Writing down what was found"),
    }

    def write(self, request: CompareRequest, folder: Path) -> None:
        """Write the model, the plan, and how long each system was thought to take."""
        write_asked(request.study, request.plan.to_state(), folder)
        systems = () if request.needed is None else request.needed.systems
        seconds = {entry.key: entry.seconds for entry in systems if math.isfinite(entry.seconds)}
        (folder / _NEEDED_FILE).write_text(json.dumps(seconds), encoding="utf-8")

    def read(self, folder: Path) -> CompareRequest:
        """Read them again."""
        study, asked = read_asked(folder)
        plan = ComparePlan.from_state(asked)
        return CompareRequest(study, plan, _needed(plan, folder))

    def run(self, request: CompareRequest, progress: ProgressWriter, folder: Path) -> None:
        """Compare."""
        told = [0.0]

        def tell(now: CompareProgress) -> None:
            at_work = min(now.done + 1, now.total)
            progress.write(WORKING, now.share, done=at_work, total=now.total, estimate=True)
            if time.monotonic() - told[0] >= _SECONDS_BETWEEN_WORDS:
                told[0] = time.monotonic()
                _write_so_far(now, folder)

        _compared(request, tell, lambda: progress.write(KEEPING, 1.0), folder)

    def result(self, request: CompareRequest, folder: Path) -> Comparison | NumberComparison:
        """Read the comparison."""
        from proset.compare import load_comparison, load_number_comparison

        if isinstance(request.study, NumberStudy):
            return load_number_comparison(folder, request.study)
        return load_comparison(folder, request.study)

    def so_far(self, folder: Path) -> tuple[str, tuple[SystemStanding, ...]] | None:
        """Return what is being done, in words, and how each system stands."""
        written = read_object(folder / _SO_FAR_FILE)
        if written is None:
            return None
        lines = written.get("systems")
        standings = [_standing(line) for line in lines[:_MOST_LINES]] if isinstance(lines, list) else []
        return str(written.get("doing", "")), tuple(line for line in standings if line is not None)


COMPARE = CompareTask()


def _compared(
    request: CompareRequest, tell: Callable[[CompareProgress], None], keeping: Callable[[], None], folder: Path
) -> None:
    """Compare systems that answer with classes or a number, and keep what was found.

    What they spend their time on is loaded here and not in `prepare`: a process that waits for any work need not.
    """
    from proset.compare import (
        compare,
        compare_numbers,
        prepare_number_systems,
        prepare_systems,
        save_comparison,
        save_number_comparison,
    )

    study = request.study
    if isinstance(study, NumberStudy):
        prepare_number_systems(request.plan.systems)
        number = compare_numbers(study, request.plan, progress=tell, expected=request.needed)
        keeping()
        save_number_comparison(number, folder)
        return
    prepare_systems(request.plan.systems)
    found = compare(study, request.plan, progress=tell, expected=request.needed)
    keeping()
    save_comparison(found, folder)


def _needed(plan: ComparePlan, folder: Path) -> TimeEstimate | None:
    """Read how long each system was thought to take; None if that is not known."""
    from proset.compare import SystemTime, TimeEstimate

    seconds = read_object(folder / _NEEDED_FILE) or {}
    known = {key: float(value) for key, value in seconds.items() if isinstance(value, int | float) and value > 0.0}
    times = tuple(SystemTime(key, key, value, True, "") for key, value in known.items())
    return TimeEstimate(plan, 0, times, math.inf, None, math.nan) if times else None


def _write_so_far(now: CompareProgress, folder: Path) -> None:
    """Write how the systems stand; who reads the file at any moment finds one state of it or the next."""
    lines = [
        (line.title, line.loss if math.isfinite(line.loss) else None, line.n_folds, line.failed) for line in now.so_far
    ]
    document = {"doing": f"{now.system}: {now.step}" if now.system else "", "systems": lines}
    with replacing(folder / _SO_FAR_FILE) as draft:
        draft.write_text(json.dumps(document), encoding="utf-8")


def _standing(line: object) -> SystemStanding | None:
    """Read one line; None if it is none."""
    if not isinstance(line, list) or len(line) != 4:
        return None
    title, loss, folds, failed = line
    if not isinstance(title, str) or not isinstance(folds, int) or not isinstance(failed, str):
        return None
    return SystemStanding(title, folds, float(loss) if isinstance(loss, int | float) else None, failed)
