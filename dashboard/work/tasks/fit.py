"""One fit: with settings that are stated, or with the best of a few that are tried first."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from dashboard.work.progress import ProgressWriter, StageText
from dashboard.work.tasks.request import FitRequest
from dashboard.work.tasks.studies import CHECKING, CHECKING_TEXT, StudyTask, checked, keep_study, time_left
from dashboard.work.tasks.task import TaskWords
from proset.engine.fit_progress import FitProgress
from proset.selection import SearchProgress
from proset.study.any_study import AnyStudy, fit_recipe, search_recipe
from proset.study.time_left import LAST_STAGE

FITTING, TRYING, CHOSEN = "fitting", "trying", "chosen"


class FitTask(StudyTask):
    """Fit once, with stated settings or after a quick choice among a few."""

    name = "fit"
    short = True
    words = TaskWords(
        noun="fit",
        done="The model is fitted.",
        stop="Cancel",
        smaller="Try fewer candidates per batch, or a table with fewer rows or columns.",
    )
    stages: ClassVar = {
        FITTING: StageText("Batch {done} of {total}", "{percent} %"),
        TRYING: StageText("Step 1 of 2, trying a few settings", "{percent} %"),
        CHOSEN: StageText("Step 2 of 2, fitting with the best of them", "{percent} %"),
        CHECKING: CHECKING_TEXT,
    }

    def run(self, request: FitRequest, progress: ProgressWriter, folder: Path) -> None:
        """Fit as the recipe says."""
        study = (_stated if request.recipe.plan is None else _quick)(request, progress)
        keep_study(checked(study, progress), folder)


FIT = FitTask()


def _stated(request: FitRequest, progress: ProgressWriter) -> AnyStudy:
    """Fit once with the settings of the recipe."""
    recipe, clock = request.recipe, time_left(request)

    def tell(now: FitProgress) -> None:
        left = clock.refit(now.share)
        progress.write(FITTING, clock.share(left), done=now.batch, total=now.n_batches, remaining=left)

    return fit_recipe(request.table, recipe, progress=tell)


def _quick(request: FitRequest, progress: ProgressWriter) -> AnyStudy:
    """Choose among a few settings in this process, which a person may end at any moment, and fit."""
    recipe, clock = request.recipe, time_left(request)

    def tell(now: SearchProgress) -> None:
        left = clock.of_search(now)
        stage = TRYING if now.stage < LAST_STAGE else CHOSEN
        progress.write(stage, clock.share(left), done=now.done, total=now.total, remaining=left)

    return search_recipe(request.table, recipe, n_jobs=1, progress=tell, record=request.record)
