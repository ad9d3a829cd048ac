"""The program a fit runs in: ``python -m dashboard.worker FOLDER``.

It reads the request from the folder, writes progress lines while fitting, and ends with a saved study and an outcome.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from dashboard.jobs import OUTCOME_FILE, PROGRESS_FILE
from dashboard.services.fit_request import STUDY_FILE, read_request
from proset.errors import ProsetError
from proset.files import replacing
from proset.storage import save
from proset.study import fit_study

if TYPE_CHECKING:
    from proset.fitting import FitProgress

_SECONDS_BETWEEN_LINES = 0.1


class ProgressWriter:
    """Appends a line per call, but at most ten per second so that fast fits are not slowed down.

    Parameters
    ----------
    path : Path
        The file; one JSON object per line.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8", buffering=1)
        self._began = time.monotonic()
        self._due = 0.0

    def __call__(self, now: FitProgress) -> None:
        """Write how far the fit is."""
        seconds = time.monotonic() - self._began
        if seconds < self._due:
            return
        self._due = seconds + _SECONDS_BETWEEN_LINES
        line = {
            "batch": now.batch,
            "n_batches": now.n_batches,
            "evaluations": now.evaluations,
            "share": now.share,
            "seconds": seconds,
        }
        self._file.write(json.dumps(line) + "\n")


def stop_with_parent(folder: Path) -> None:
    """Leave, and take the folder along, as soon as the parent closes our standard input or is gone."""

    def watch() -> None:
        # The raw descriptor: a thread blocked in a buffered reader would hold its lock while the interpreter ends.
        while os.read(0, 1024):
            pass
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run(folder: Path) -> None:
    """Do the work that is requested in `folder` and write its outcome."""
    try:
        request = read_request(folder)
        study = fit_study(
            request.table,
            request.roles,
            split=request.split,
            settings=request.settings,
            progress=ProgressWriter(folder / PROGRESS_FILE),
        )
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


def main() -> int:
    """Run the worker; the exit code is 0 whenever there is an outcome to read."""
    folder = Path(sys.argv[1])
    stop_with_parent(folder)
    try:
        run(folder)
    except Exception:
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
