"""One fit with settings that are stated."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from dashboard.work.progress import ProgressWriter, StageText
from dashboard.work.tasks.request import FitRequest
from dashboard.work.tasks.studies import StudyTask, keep_study
from dashboard.work.tasks.task import TaskWords
from proset.study import fit_study

FITTING = "fitting"


class FitTask(StudyTask):
    """Fit once, which takes seconds."""

    name = "fit"
    short = True
    words = TaskWords(
        noun="fit",
        done="The model is fitted.",
        stop="Cancel",
        smaller="Try fewer candidates per batch, or a table with fewer rows or columns.",
    )
    stages: ClassVar = {FITTING: StageText("Batch {done} of {total}", "{percent} %")}

    def run(self, request: FitRequest, progress: ProgressWriter, folder: Path) -> None:
        """Fit once with the settings of the recipe."""
        recipe = request.recipe
        study = fit_study(
            request.table,
            recipe.roles,
            split=recipe.split,
            settings=recipe.settings,
            progress=lambda now: progress.write(FITTING, now.share, done=now.batch, total=now.n_batches, estimate=True),
        )
        keep_study(study, folder)


FIT = FitTask()
