"""Explanations that the Features page of a model of a number asks for."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from dashboard.services.params import EnumParam, Number
from proset.common.words import alike
from proset.explain.number_subject import number_subject
from proset.explain.numbers.course import NumberCourse, number_course
from proset.study.settings import Bounds

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.numbers.steps import NumberSteps
    from proset.study.number_study import NumberStudy


class Rest(StrEnum):
    """Whose values the columns have that do not vary."""

    CASE = "case"
    TYPICAL = "typical"


# A position from 1, because a name would be a stranger's word; 0 stands for the heaviest column.
COLUMN = Number(
    "column", 0, of_model=True, bounds=Bounds(0, 100_000, whole=True), most=lambda study: len(study.roles.features)
)
"""The column along which the answer is followed."""
REST = EnumParam("course_rest", Rest.CASE)


def columns(study: NumberStudy) -> list[int]:
    """Return the positions, from 1, of the columns that can be followed: those in use by weight, then the others."""
    subject = number_subject(study)
    used = [subject.features.index(name) for name in subject.used]
    others = [i for i, group in enumerate(subject.groups) if len(group) and i not in used]
    return [i + 1 for i in [*used, *others]]


def course(study: NumberStudy, feature: str, row: int | None) -> NumberCourse:
    """Return the course along a column, all others as in a row of the table; None for a typical one."""
    return number_course(study, row, feature=feature)


def steps_frame(found: NumberSteps) -> pd.DataFrame:
    """Return what a step in each column changes, as people read it; the column is named in its first line."""
    frame = found.frame.reset_index()
    names = frame["feature"].where(~frame["feature"].duplicated(), "").astype("str")
    told = [found.tells_nothing(place) for place in range(len(frame))]
    written = alike(frame[["change", "lowest", "highest"]].to_numpy().ravel().tolist(), 4, sign=True)
    moves = ["nothing" if nothing else value for nothing, value in zip(told, written[::3], strict=True)]
    ends = zip(told, written[1::3], written[2::3], strict=True)
    between = ["" if nothing else f"{low} to {high}" for nothing, low, high in ends]
    return frame[["step"]].assign(column=names, moves=moves, between=between)[["column", "step", "moves", "between"]]
