"""The shared part of kinds of work: a compiled engine, and the way of a model into a folder of a job and out of it."""

from __future__ import annotations

import json
import time
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from dashboard.work.progress import ProgressWriter, StageText
from dashboard.work.tasks.request import FitRequest, read_request, write_request
from dashboard.work.tasks.task import RequestT, ResultT, Task
from proset.common.checked_json import load_json
from proset.common.errors import ProsetError
from proset.engine.model import ClassifierModel
from proset.engine.regressor import RegressorModel
from proset.storage import load_result, save_result
from proset.study import Study
from proset.study.any_study import AnyStudy, recipe_problem, recipe_seconds
from proset.study.repeats import with_repeats
from proset.study.time_left import TimeLeft
from proset.study.time_needed import TimeNeeded

RESULT_FILE = "result.proset"
_ASKED_FILE = "asked.json"


class EngineTask(Task[RequestT, ResultT]):
    """Work that needs the numeric code."""

    def prepare(self) -> None:
        """Compile or load it."""
        compile_engine()


class StudyTask(EngineTask[FitRequest, AnyStudy]):
    """Work that ends with a study."""

    def write(self, request: FitRequest, folder: Path) -> None:
        """Write table, recipe and record."""
        write_request(request, folder)

    def read(self, folder: Path) -> FitRequest:
        """Read them again."""
        return read_request(folder)

    def result(self, request: FitRequest, folder: Path) -> AnyStudy:
        """Return the study of the very table object that was asked for."""
        return load_result(folder / RESULT_FILE, request.table)


def time_left(request: FitRequest) -> TimeLeft:
    """Return what tells how long the work goes on: it begins with the time that was promised, or with an estimate."""
    needed, recipe = request.needed, request.recipe
    if needed is None:
        try:
            needed = recipe_seconds(recipe_problem(request.table, recipe), recipe)
        except (ProsetError, ValueError):  # said by the work itself
            needed = TimeNeeded(1.0, 1.0)
    if request.record is not None and request.record.complete:
        needed = TimeNeeded(0.0, needed.refit, needed.checking)
    return TimeLeft(needed)


CHECKING = "checking"
CHECKING_TEXT = StageText("Checking the verdict on rows left out in turn", "{done} of {total} fits")


def checked(study: AnyStudy, progress: ProgressWriter) -> AnyStudy:
    """Return a study with the repeated cross-validation that its verdict rests on, where few rows are held out."""
    began = time.monotonic()

    def tell(done: int, total: int) -> None:
        left = (time.monotonic() - began) * (total - done) / done
        progress.write(CHECKING, done / total, done=done, total=total, remaining=left)

    return with_repeats(study, progress=tell) if isinstance(study, Study) else study


def keep_study(study: AnyStudy, folder: Path) -> None:
    """Write model and numbers of a study into the job's folder."""
    save_result(study, folder / RESULT_FILE)


def write_asked(study: AnyStudy, asked: dict[str, Any], folder: Path) -> None:
    """Write the table, the recipe and the model of a study, and what is asked of it."""
    write_request(FitRequest(study.table, study.recipe), folder)
    keep_study(study, folder)
    (folder / _ASKED_FILE).write_text(json.dumps(asked), encoding="utf-8")


def read_asked(folder: Path) -> tuple[AnyStudy, dict[str, Any]]:
    """Read what :func:`write_asked` wrote."""
    table = read_request(folder).table
    return load_result(folder / RESULT_FILE, table), load_json(folder / _ASKED_FILE, "The request")


@cache
def compile_engine() -> None:
    """Compile or load the numeric code by a fit that takes no time, so that no step of the real one seems to hang."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ClassifierModel(random_state=0).fit(np.linspace(-1.0, 1.0, 12)[:, None], np.repeat([0, 1], 6))
        few = np.linspace(-1.0, 1.0, 30)
        RegressorModel(n_iter=1, random_state=0).fit(few[:, None], few)
