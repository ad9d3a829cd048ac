"""The program a fit or a search runs in: ``python -m dashboard.worker FOLDER``; without FOLDER it gets ready and waits.

It reads the request from the folder, writes progress lines while it works, and ends with a saved study and an outcome.
A search that is asked to stop (SIGTERM) writes what it has done so far, so that it can go on another time.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import numpy as np

from dashboard.jobs import OUTCOME_FILE
from dashboard.processes import ERRORS_FILE, IDLE_SECONDS
from dashboard.services.fit_request import STUDY_FILE, FitRequest, read_request, write_record
from dashboard.services.job_progress import PROGRESS_FILE, ProgressWriter, Stage
from dashboard.services.limits import SCHEDULER_VARIABLE, scheduler_address
from proset.common.errors import ProsetError
from proset.common.files import replacing
from proset.engine.model import ClassifierModel
from proset.selection import Cancelled, SearchProgress, SearchRecord
from proset.storage import save
from proset.study import Study, fit_study, search_study

_STAGES = {1: Stage.PENALTIES, 2: Stage.BATCHES, 3: Stage.FINAL}


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


def run(folder: Path) -> None:
    """Do the work that is requested in `folder` and write its outcome."""
    progress = ProgressWriter(folder / PROGRESS_FILE)
    progress.write(Stage.STARTING)
    try:
        request = read_request(folder)
        progress.write(Stage.PREPARING)
        prepare_engine()
        study = _fit(request, progress) if request.plan is None else _search(request, progress, folder)
        if study is None:
            # At once, without waiting for threads that still work on a fit nobody needs any more.
            os._exit(0)
        save(study, folder / STUDY_FILE)
        outcome = {"status": "done"}
    except ProsetError as error:
        outcome = {"status": "refused", "message": str(error)}
    except MemoryError:
        outcome = {
            "status": "refused",
            "message": "There is not enough memory for this fit. Try fewer candidates per batch, or a smaller table.",
        }
    with replacing(folder / OUTCOME_FILE) as draft:
        draft.write_text(json.dumps(outcome), encoding="utf-8")


def prepare_engine() -> None:
    """Compile or load the numeric code by a fit that takes no time, so that no step of the real one seems to hang."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ClassifierModel(random_state=0).fit(np.linspace(-1.0, 1.0, 12)[:, None], np.repeat([0, 1], 6))


def _fit(request: FitRequest, progress: ProgressWriter) -> Study:
    """Fit once with the settings that were asked for."""
    return fit_study(
        request.table,
        request.roles,
        split=request.split,
        settings=request.settings,
        progress=lambda now: progress.write(Stage.FITTING, now.share, done=now.batch, total=now.n_batches),
    )


def _search(request: FitRequest, progress: ProgressWriter, folder: Path) -> Study | None:
    """Search for hyperparameters, or go on with a search, here or on a scheduler; None if it was stopped."""
    stopping = threading.Event()

    def tell(now: SearchProgress) -> None:
        if stopping.is_set():
            raise Cancelled
        left = now.seconds_left if math.isfinite(now.seconds_left) else None
        progress.write(_STAGES[now.stage], now.share, done=now.done, total=now.total, remaining=left)

    def cancel(_signal: int, _frame: FrameType | None) -> None:
        # Both: while others work for us nobody calls `tell`, and an exception raised here may fall into a place
        # that swallows it.
        stopping.set()
        raise Cancelled

    with _workplace():
        signal.signal(signal.SIGTERM, cancel)
        study, record = _until_cancelled(request, tell)
        # A request to stop may not interrupt this. A complete search is written, too, because the saving of the study
        # may still be stopped.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if record is not None:
            write_record(record, folder)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return study


def _until_cancelled(
    request: FitRequest, tell: Callable[[SearchProgress], None]
) -> tuple[Study | None, SearchRecord | None]:
    """Search; of a search that is stopped there is no study, but what it has finished."""
    try:
        study = search_study(
            request.table,
            request.roles,
            split=request.split,
            settings=request.settings,
            plan=request.plan,
            progress=tell,
            record=request.record,
        )
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


def await_folder() -> Path:
    """Get ready, then wait for the folder of a job as a line on standard input; leave if none comes."""
    prepare_engine()
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
    folder = Path(os.fsdecode(line[:-1]))
    errors = os.open(folder / ERRORS_FILE, os.O_CREAT | os.O_WRONLY, 0o600)
    os.dup2(errors, 2)
    os.close(errors)
    return folder


def main() -> int:
    """Run the worker; the exit code is 0 whenever there is an outcome to read."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else await_folder()
    stop_with_parent(folder)
    try:
        run(folder)
    except Exception:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
