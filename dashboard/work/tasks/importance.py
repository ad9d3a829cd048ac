"""Importance of features over all held-out rows, where these are too many to wait for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from dashboard.services.references import POINT, REFERENCE, reference
from dashboard.work.progress import ProgressWriter, StageText
from dashboard.work.tasks.studies import EngineTask, read_asked, write_asked
from dashboard.work.tasks.task import TaskWords
from proset.explain.attribution.many_rows import Importance, explained_rows, global_importance, importance_of
from proset.storage.records import damaged
from proset.study import Study
from proset.study.any_study import of_classes

ROWS = "rows"
_VALUES_FILE = "importance.npy"
_STEPS = 200  # progress is written that often at most


@dataclass(frozen=True, eq=False)
class ImportanceRequest:
    """Request for the importance of features.

    Attributes
    ----------
    study : Study
        The model, with its table.
    reference : str
        What rows are compared with, as an address names it.
    """

    study: Study
    reference: str = POINT


class ImportanceTask(EngineTask[ImportanceRequest, Importance]):
    """Average the absolute SHAP values of all held-out rows."""

    name = "importance"
    short = False
    words = TaskWords(
        noun="count of what matters",
        done="What counts over all held-out rows is known.",
        stop="Cancel",
        smaller="Try a table with fewer rows or columns.",
    )
    stages: ClassVar = {ROWS: StageText("{done} of {total} rows", "{percent} %")}

    def write(self, request: ImportanceRequest, folder: Path) -> None:
        """Write the model, and what rows are compared with."""
        write_asked(request.study, {"reference": request.reference}, folder)

    def read(self, folder: Path) -> ImportanceRequest:
        """Read them again."""
        study, asked = read_asked(folder)
        return ImportanceRequest(of_classes(study, "This work"), REFERENCE.read(str(asked["reference"])) or POINT)

    def run(self, request: ImportanceRequest, progress: ProgressWriter, folder: Path) -> None:
        """Go through the rows."""
        told = [-1]

        def tell(done: int, total: int) -> None:
            step = _STEPS * done // max(1, total)
            if step > told[0]:
                told[0] = step
                progress.write(ROWS, done / max(1, total), done=done, total=total, estimate=True)

        study = request.study
        found = global_importance(study, reference(study, request.reference), every=True, progress=tell)
        frames = (found.frame, found.standard_error)
        values = np.array([frame.loc[list(study.roles.features), list(study.classes)] for frame in frames], np.float64)
        np.save(folder / _VALUES_FILE, values, allow_pickle=False)

    def result(self, request: ImportanceRequest, folder: Path) -> Importance:
        """Read what was found."""
        study = request.study
        shape = 2, len(study.roles.features), len(study.classes)
        values = np.load(folder / _VALUES_FILE, allow_pickle=False)
        if values.shape != shape or values.dtype != np.float64 or not np.isfinite(values).all():
            raise damaged(_VALUES_FILE, "does not hold one number per feature and class, and its error")
        rows = len(explained_rows(study, every=True))
        return importance_of(study, reference(study, request.reference), values, rows)


IMPORTANCE = ImportanceTask()
