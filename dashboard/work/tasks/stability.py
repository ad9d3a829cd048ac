"""Refits of a model under other seeds and splits, compared with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pandas as pd
import pyarrow as pa

from dashboard.work.progress import ProgressWriter, StageText
from dashboard.work.tasks.studies import EngineTask, read_asked, write_asked
from dashboard.work.tasks.task import TaskWords
from proset.common.checked_json import load_json
from proset.explain.numbers.number_stability import (
    NUMBER_REFIT_COLUMNS,
    NUMBER_ROW_COLUMNS,
    NumberStability,
    number_stability,
)
from proset.explain.study_only.refits import N_REPEATS
from proset.explain.study_only.stability_refits import stability
from proset.explain.study_only.stability_result import FEATURE_COLUMNS, REFIT_COLUMNS, ROW_COLUMNS, Stability
from proset.storage.records import damaged
from proset.study import Study
from proset.study.any_study import AnyStudy
from proset.study.several_fits import FitsProgress

REFITS = "refits"
_ANSWER_FILE = "answer.json"
_OF_CLASSES = {"rows": ROW_COLUMNS, "features": FEATURE_COLUMNS, "refits": REFIT_COLUMNS}
_OF_NUMBER = {"rows": NUMBER_ROW_COLUMNS, "features": FEATURE_COLUMNS, "refits": NUMBER_REFIT_COLUMNS}


@dataclass(frozen=True, eq=False)
class StabilityRequest:
    """Request for a check of stability.

    Attributes
    ----------
    study : Study or NumberStudy
        The model, with its table.
    n_repeats : int
        How often it is fitted again.
    cases : tuple of int
        Row ids that are looked at in any case.
    """

    study: AnyStudy
    n_repeats: int = N_REPEATS
    cases: tuple[int, ...] = ()


class StabilityTask(EngineTask[StabilityRequest, Stability | NumberStability]):
    """Fit a model again and again and compare."""

    name = "stability"
    short = False
    words = TaskWords(
        noun="check of stability",
        done="The refits are done.",
        stop="Cancel",
        smaller="Try a table with fewer rows or columns.",
    )
    stages: ClassVar = {REFITS: StageText("Refit {done} of {total}", "{percent} %")}

    def write(self, request: StabilityRequest, folder: Path) -> None:
        """Write the model, how many refits are asked for, and the cases."""
        write_asked(request.study, {"n_repeats": request.n_repeats, "cases": list(request.cases)}, folder)

    def read(self, folder: Path) -> StabilityRequest:
        """Read them again."""
        study, asked = read_asked(folder)
        return StabilityRequest(study, int(asked["n_repeats"]), tuple(map(int, asked["cases"])))

    def run(self, request: StabilityRequest, progress: ProgressWriter, folder: Path) -> None:
        """Fit again and compare."""

        def tell(now: FitsProgress) -> None:
            progress.write(REFITS, now.share, done=now.fit, total=now.n_fits, estimate=True)

        found: Stability | NumberStability
        if isinstance(request.study, Study):
            found = stability(request.study, n_repeats=request.n_repeats, cases=request.cases, progress=tell)
        else:
            found = number_stability(request.study, n_repeats=request.n_repeats, cases=request.cases, progress=tell)
        for name in _OF_CLASSES:
            _write_frame(getattr(found, name), folder / f"{name}.arrow")
        answer = {"study_id": found.study_id, "new_splits": found.new_splits}
        (folder / _ANSWER_FILE).write_text(json.dumps(answer), encoding="utf-8")

    def result(self, request: StabilityRequest, folder: Path) -> Stability | NumberStability:
        """Read the comparison."""
        answer = load_json(folder / _ANSWER_FILE, "The comparison")
        if answer.get("study_id") != request.study.id:
            raise damaged("the comparison", "is of another model")
        classes = isinstance(request.study, Study)
        wanted = (_OF_CLASSES if classes else _OF_NUMBER).items()
        frames = {name: _read_frame(folder / f"{name}.arrow", columns) for name, columns in wanted}
        made = Stability if classes else NumberStability
        return made(request.study.id, bool(answer["new_splits"]), **frames)


STABILITY = StabilityTask()


def _write_frame(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame with its index."""
    arrow = pa.Table.from_pandas(frame, preserve_index=True)
    with pa.ipc.new_file(path, arrow.schema) as writer:
        writer.write_table(arrow)


def _read_frame(path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    """Read what :func:`_write_frame` wrote."""
    with pa.OSFile(str(path)) as source:
        frame: pd.DataFrame = pa.ipc.open_file(source).read_all().to_pandas()
    if tuple(frame.columns) != columns:
        raise damaged(path.name, "has other columns")
    return frame
