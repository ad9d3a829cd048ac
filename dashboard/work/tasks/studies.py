"""Request, result and a compiled engine: the shared part of a fit and a search."""

from __future__ import annotations

import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np

from dashboard.work.progress import ProgressWriter, StageText
from dashboard.work.tasks.request import FitRequest, read_request, write_request
from dashboard.work.tasks.task import Task
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


class StudyTask(Task[FitRequest, AnyStudy]):
    """Work that ends with a study."""

    def prepare(self) -> None:
        """Compile or load the numeric code."""
        compile_engine()

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


@cache
def compile_engine() -> None:
    """Compile or load the numeric code by a fit that takes no time, so that no step of the real one seems to hang."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ClassifierModel(random_state=0).fit(np.linspace(-1.0, 1.0, 12)[:, None], np.repeat([0, 1], 6))
        few = np.linspace(-1.0, 1.0, 30)
        RegressorModel(n_iter=1, random_state=0).fit(few[:, None], few)
