"""Training rows judged by models that have not seen them: one fit for each fold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from dashboard.work.progress import ProgressWriter, StageText
from dashboard.work.tasks.studies import EngineTask, read_asked, write_asked
from dashboard.work.tasks.task import TaskWords
from proset.common.checked_json import load_json
from proset.selection.plan import MOST_FOLDS
from proset.storage import load_result, save_result
from proset.storage.records import damaged
from proset.study.any_study import AnyStudy
from proset.study.fold_studies import N_FOLDS
from proset.study.number_unseen import AnyUnseen, judge_any_unseen, unseen_of
from proset.study.several_fits import FitsProgress

FOLDS = "folds"
_ANSWER_FILE = "answer.json"


@dataclass(frozen=True, eq=False)
class UnseenRequest:
    """Request for a look at training rows by models that have not seen them.

    Attributes
    ----------
    study : Study or NumberStudy
        The model, with its table.
    n_folds : int
        How many folds the training rows are dealt into.
    """

    study: AnyStudy
    n_folds: int = N_FOLDS


class UnseenTask(EngineTask[UnseenRequest, AnyUnseen]):
    """Fit a model for each fold of the training rows."""

    name = "unseen"
    short = False
    words = TaskWords(
        noun="look at training rows by models that have not seen them",
        done="Every training row that could be left out is judged by a model that has not seen it.",
        stop="Cancel",
        smaller="Try a table with fewer rows or columns.",
    )
    stages: ClassVar = {FOLDS: StageText("Fold {done} of {total}", "{percent} %")}

    def write(self, request: UnseenRequest, folder: Path) -> None:
        """Write the model, and how many folds are asked for."""
        write_asked(request.study, {"n_folds": request.n_folds}, folder)

    def read(self, folder: Path) -> UnseenRequest:
        """Read them again."""
        study, asked = read_asked(folder)
        return UnseenRequest(study, int(asked["n_folds"]))

    def run(self, request: UnseenRequest, progress: ProgressWriter, folder: Path) -> None:
        """Fit to all folds but one, for each of them."""

        def tell(now: FitsProgress) -> None:
            progress.write(FOLDS, now.share, done=now.fit, total=now.n_fits, estimate=True)

        found = judge_any_unseen(request.study, n_folds=request.n_folds, progress=tell)
        studies: Sequence[AnyStudy] = found.studies
        for number, study in enumerate(studies):
            save_result(study, _fold_file(folder, number))
        answer = {"study_id": request.study.id, "n_studies": len(studies)}
        (folder / _ANSWER_FILE).write_text(json.dumps(answer), encoding="utf-8")

    def result(self, request: UnseenRequest, folder: Path) -> AnyUnseen:
        """Read the studies of the folds; their table is the very object that was asked for."""
        answer, number = load_json(folder / _ANSWER_FILE, "What was found"), request.n_folds
        if answer.get("study_id") != request.study.id:
            raise damaged(_ANSWER_FILE, "is of another model")
        if answer.get("n_studies") != number or not 0 < number <= MOST_FOLDS:
            raise damaged(_ANSWER_FILE, "names another number of folds than was asked for")
        table = request.study.table
        found = unseen_of([load_result(_fold_file(folder, i), table) for i in range(number)])
        if not found.belongs_to(request.study):
            raise damaged("the folds", "are not those of the training rows of this model")
        return found


UNSEEN = UnseenTask()


def _fold_file(folder: Path, number: int) -> Path:
    """Return where the study of a fold lies."""
    return folder / f"fold-{number + 1}.proset"
