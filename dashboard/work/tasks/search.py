"""A search for hyperparameters, which keeps what it has finished whichever way it ends."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import ClassVar

from dashboard.work.limits import SCHEDULER_VARIABLE, scheduler_address
from dashboard.work.progress import ProgressWriter, StageText
from dashboard.work.tasks.request import FitRequest, read_record, write_record
from dashboard.work.tasks.studies import CHECKING, CHECKING_TEXT, StudyTask, checked, keep_study, time_left
from dashboard.work.tasks.task import Stopped, TaskWords
from proset.common.errors import ProsetError
from proset.selection import AnyRecord, Cancelled, SearchPlan, SearchProgress, has_begun
from proset.study.any_study import AnyStudy, search_recipe

PENALTIES, BATCHES, FINAL = "penalties", "batches", "final"
TOGETHER, CHOSEN = "together", "chosen"

_SECONDS_BETWEEN_DRAFTS = 2.0
_SHARE_OF_WORK = 50  # writing a draft takes at most one part in so many
_STAGES = {1: PENALTIES, 2: BATCHES, 3: FINAL}
_JOINT_STAGES = {1: TOGETHER, 3: CHOSEN}


class SearchTask(StudyTask):
    """Search, or go on with a search, here or on a scheduler, and fit with what was found."""

    name = "search"
    short = False
    words = TaskWords(
        noun="search",
        done="The model is fitted with what the search found.",
        stop="Stop",
        smaller="Try fewer candidates per batch, or a table with fewer rows or columns.",
    )
    stages: ClassVar = {
        PENALTIES: StageText("Step 1 of 3, comparing penalties", "{done} of {total} fits"),
        BATCHES: StageText("Step 2 of 3, comparing numbers of batches", "{done} of {total} fits"),
        FINAL: StageText("Step 3 of 3, fitting the chosen model"),
        TOGETHER: StageText("Step 1 of 2, comparing settings", "{done} of about {total} trials"),
        CHOSEN: StageText("Step 2 of 2, fitting the chosen model"),
        CHECKING: CHECKING_TEXT,
    }

    def run(self, request: FitRequest, progress: ProgressWriter, folder: Path) -> None:
        """Do what is left of the search; asked to stop (SIGTERM), write what was done so far."""
        stopping, drafts = threading.Event(), _Drafts(folder)
        stages = _STAGES if isinstance(request.recipe.plan, SearchPlan) else _JOINT_STAGES
        clock = time_left(request)

        def tell(now: SearchProgress) -> None:
            if stopping.is_set():
                raise Cancelled
            drafts.look_at(now)
            left = clock.of_search(now)
            progress.write(stages[now.stage], clock.share(left), done=now.done, total=now.total, remaining=left)

        def cancel(_signal: int, _frame: FrameType | None) -> None:
            # Both: while others work for us nobody calls `tell`, and an exception raised here may fall into a place
            # that swallows it.
            stopping.set()
            raise Cancelled

        with _workplace():
            signal.signal(signal.SIGTERM, cancel)
            study, record = _until_cancelled(request, tell)
            # A request to stop may not interrupt this. A complete search is written, too, because the saving of the
            # study may still be stopped.
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            if record is not None:
                write_record(record, folder)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if study is None:
            raise Stopped
        keep_study(checked(study, progress), folder)

    def so_far(self, folder: Path) -> AnyRecord | None:
        """Return what was written down last; the next look finds more."""
        try:
            return read_record(folder)
        except (ProsetError, ValueError):
            return None

    def partial(self, request: FitRequest, folder: Path) -> FitRequest | None:
        """Return the request with the record so far; None where no fit of the search was finished, or none was left."""
        if request.by_hand and request.record is not None and request.record.complete:
            return None  # only a choice was to be fitted: whoever made it can make it again
        try:
            record = read_record(folder)
        except (ProsetError, ValueError):
            return None
        if record is None or record.plan != request.recipe.plan or not has_begun(record):
            return None
        return replace(request, record=record)


SEARCH = SearchTask()


class _Drafts:
    """Writes down now and then what a search has finished, so that a worker that is killed does not take it along."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written = (0, 0)
        self._due = 0.0

    def look_at(self, now: SearchProgress) -> None:
        """Write the record if more is finished than was written, but not so often that it takes time from the work."""
        began = time.monotonic()
        if now.finished is None or not now.done or (now.stage, now.done) == self._written or began < self._due:
            return
        with contextlib.suppress(OSError):  # the search itself goes on where the disk is full
            write_record(now.finished(), self._folder)
        self._written = now.stage, now.done
        ended = time.monotonic()
        self._due = ended + max(_SECONDS_BETWEEN_DRAFTS, _SHARE_OF_WORK * (ended - began))


def _until_cancelled(
    request: FitRequest, tell: Callable[[SearchProgress], None]
) -> tuple[AnyStudy | None, AnyRecord | None]:
    """Search; of a search that is stopped there is no study, but what it has finished."""
    recipe = request.recipe
    try:
        study = search_recipe(request.table, recipe, progress=tell, record=request.record)
    except Cancelled as stopped:
        return None, stopped.record
    return study, study.search


@contextlib.contextmanager
def _workplace() -> Iterator[None]:
    """Send parallel work to the configured scheduler; without one, leave it on this machine."""
    address = scheduler_address()
    with contextlib.ExitStack() as stack:
        if address is not None:
            from proset.bulk import connected

            try:
                stack.enter_context(connected(address))
            except ProsetError as error:
                way_out = f"To search on this machine instead, start the dashboard without {SCHEDULER_VARIABLE}."
                raise ProsetError(str(error), hint=way_out) from error
        yield
