"""The program a fit runs in: ``python -m dashboard.worker FOLDER``.

It reads the request from the folder, writes progress lines while fitting, and ends with a saved study and an outcome.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import traceback
from pathlib import Path

from dashboard.jobs import OUTCOME_FILE
from dashboard.services.fit_request import STUDY_FILE, read_request
from dashboard.services.job_progress import PROGRESS_FILE, ProgressWriter, Stage
from proset.errors import ProsetError
from proset.files import replacing
from proset.storage import save
from proset.study import fit_study


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
        study = fit_study(
            request.table,
            request.roles,
            split=request.split,
            settings=request.settings,
            progress=lambda now: progress.write(Stage.FITTING, now.share, done=now.batch, total=now.n_batches),
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
