"""New rows of a person with what a model of a number says of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dashboard.services.params import EnumParam
from proset.common.errors import ProsetError
from proset.common.frames import free_names
from proset.common.words import count_words, number, percent
from proset.data.number_target import target_numbers
from proset.explain.phrases import FEW
from proset.study.find_row import identifier_text

if TYPE_CHECKING:
    from dashboard.services.new_data import NewRows
    from proset.study.number_study import NumberStudy


class NumberRowOrder(StrEnum):
    """In which order new rows are listed."""

    FAMILIARITY = "familiarity"
    WIDTH = "width"
    HIGH = "high"
    LOW = "low"
    ERROR = "error"
    FILE = "file"


ORDER = EnumParam("number_order", NumberRowOrder.FAMILIARITY)
_FEWEST = 20
"""With fewer rows nothing is said about whether they are like the held-out ones."""


@dataclass(frozen=True, eq=False)
class ScoredNumbers:
    """New rows with what a model says of them.

    Attributes
    ----------
    lines : DataFrame
        Index row id, in the order of the file: the identifier if there is one, ``median``, ``lower``, ``upper``,
        ``width``, ``familiarity`` (a quantile); ``actual``, ``error``, ``inside`` where the file holds the target;
        ``note``.
    output : DataFrame
        What is offered as a file.
    unreadable : str
        Why the target of the file could not be read; empty if it could, or there is none.
    learned : int
        Rows with a true number that equal training rows in what the model uses and in the target.
    """

    lines: pd.DataFrame
    output: pd.DataFrame
    unreadable: str = ""
    learned: int = 0

    @property
    def judged(self) -> pd.DataFrame:
        """The lines whose true number is known."""
        return self.lines[self.lines["actual"].notna()] if "actual" in self.lines else self.lines.iloc[:0]


def score_numbers(study: NumberStudy, rows: NewRows) -> ScoredNumbers:
    """Estimate new rows.

    Raises
    ------
    DesignError
        If the rows lack columns that the model uses, or hold something else than the training rows.
    """
    said = study.score(rows.frame)
    lines = said[["median", "lower", "upper"]].assign(width=said["upper"] - said["lower"], familiarity=said["quantile"])
    unreadable = ""
    try:
        actual = _actual(study, rows.frame)
    except ProsetError as error:
        actual, unreadable = None, str(error)
    if actual is not None and actual.notna().any():
        inside = ((actual >= said["lower"]) & (actual <= said["upper"])).astype("boolean").where(actual.notna())
        lines = lines.assign(actual=actual, error=said["median"] - actual, inside=inside)
    lines["note"] = said["note"]
    output = said.rename(columns={"quantile": "familiarity_quantile"})
    if "actual" in lines:
        output.insert(0, "actual", lines["actual"])
    identifier = study.roles.identifier
    if identifier is not None and list(rows.frame.columns).count(identifier) == 1:
        own = identifier_text(rows.frame[identifier])
        for frame in (lines, output):
            frame.insert(0, free_names([identifier], [*frame.columns, "row"], word="identifier")[0], own)
    output.insert(0, "row", output.index)
    learned = 0 if "actual" not in lines else _learned(study, rows.frame, lines["actual"])
    return ScoredNumbers(lines, output, unreadable, learned)


def _actual(study: NumberStudy, frame: pd.DataFrame) -> pd.Series | None:
    """Return the true numbers of new rows; None if the file does not have them."""
    target = study.roles.target
    if target is None or list(frame.columns).count(target) != 1:
        return None
    return target_numbers(study.prepared(frame), study.roles)


def _learned(study: NumberStudy, frame: pd.DataFrame, actual: pd.Series) -> int:
    """Count the rows that the model may have learned from."""
    used = study.used_columns
    columns = [j for j, column in enumerate(study.design.columns) if column.source in used]
    train = study.encode(study.split.train).X[:, columns]
    known = {(row.tobytes(), number) for row, number in zip(train, study.targets[study.split.train], strict=True)}
    new = study.design.transform(study.prepared(frame), only=used).X[:, columns]
    return sum((row.tobytes(), number) in known for row, number in zip(new, actual, strict=True))


def orders(scored: ScoredNumbers) -> list[NumberRowOrder]:
    """Return the orders that there are: by error only where true numbers are known."""
    known = len(scored.judged) > 0
    return [order for order in NumberRowOrder if known or order is not NumberRowOrder.ERROR]


def ordered(scored: ScoredNumbers, order: NumberRowOrder) -> pd.DataFrame:
    """Return the lines in an order; equal ones stay in the order of the file."""
    lines = scored.lines
    if order is NumberRowOrder.FILE or (order is NumberRowOrder.ERROR and "error" not in lines):
        return lines
    if order is NumberRowOrder.ERROR:
        return lines.loc[(-lines["error"].abs()).sort_values(kind="stable").index]
    column, ascending = {
        NumberRowOrder.FAMILIARITY: ("familiarity", True),
        NumberRowOrder.WIDTH: ("width", False),
        NumberRowOrder.HIGH: ("median", False),
        NumberRowOrder.LOW: ("median", True),
    }[order]
    return lines.sort_values(column, ascending=ascending, kind="stable")


def finding(study: NumberStudy, scored: ScoredNumbers) -> str:
    """Say what the rows are together: how many, how they are spread, and how unfamiliar."""
    lines = scored.lines
    median = lines["median"]
    if len(lines) == 1:
        return f"1 row: about {number(_short(float(median.iloc[0]), study))}."
    low, high = (number(_short(float(value), study)) for value in (median.min(), median.max()))
    few = int((lines["familiarity"] < FEW).sum())
    among = "held-out" if len(study.split.held_out) else "training"
    said = f"{len(lines):,} rows, with medians from {low} to {high}."
    if len(lines) < _FEWEST:
        return said
    usual = f"where about {percent(FEW)} are expected if the rows are like those"
    share = "None" if not few else f"{few:,} of them ({percent(few / len(lines))})"
    verb = "is" if few <= 1 else "are"
    return f"{said} {share} {verb} less familiar than 95 % of the {among} rows, {usual}."


def judged_words(study: NumberStudy, scored: ScoredNumbers) -> str:
    """Say how good the answers were, where true numbers are known; empty without any."""
    judged = scored.judged
    if scored.unreadable:
        return f"Nothing is said of how good the answers are: {scored.unreadable}"
    if judged.empty:
        return ""
    inside, off = float(judged["inside"].mean()), float(judged["error"].abs().mean())
    rows = count_words(len(judged), "row")
    said = f"{rows} with a true number: the median is off by {number(_short(off, study))} on average"
    count = len(study.split.held_out)
    beside = ""
    if count:
        told = f"{number(_short(study.metrics.mae, study))} and {percent(study.metrics.covered)}"
        beside = f" On the {count:,} held-out rows of the table it was {told}."
    seen = f" {scored.learned:,} of them equal training rows, so it looks better than it is." if scored.learned else ""
    return f"{said}, and {percent(inside)} lie in their interval of 90 %.{seen}{beside}"


def row_words(study: NumberStudy, line: pd.Series) -> str:
    """Say what the model says of one row."""
    low, high, middle = (number(_short(float(line[name]), study)) for name in ("lower", "upper", "median"))
    said = f"About {middle}; 90 % between {low} and {high}."
    if "actual" in line and not pd.isna(line["actual"]):
        said += f" It has {number(float(line['actual']))}."
    return said


def assumed_words(scored: ScoredNumbers) -> str:
    """Say in how many rows something had to be assumed; empty if in none."""
    count = int((scored.lines["note"] != "").sum())
    return f"In {count_words(count, 'row')} something had to be assumed; see the notes." if count else ""


def _short(value: float, study: NumberStudy) -> float:
    """Round to a thousandth of the spread of the target: more digits say nothing."""
    return round(value, 3 - int(np.floor(np.log10(study.unit)))) if study.unit > 0.0 else value
