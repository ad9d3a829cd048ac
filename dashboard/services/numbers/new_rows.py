"""New rows of a person with what a model of a number says of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dashboard.services.new_data import MOST_PAIRS
from dashboard.services.params import EnumParam
from proset.bulk.one_file import output_rows
from proset.common.errors import ProsetError
from proset.common.frames import free_names
from proset.common.words import count_words, number, percent
from proset.data.number_target import target_numbers
from proset.explain.familiar.case_standing import standing
from proset.explain.familiar.shift import Drift, drift
from proset.explain.phrases import FEW
from proset.study.find_row import identifier_text

if TYPE_CHECKING:
    from dashboard.services.new_data import NewRows
    from proset.study.number_study import NumberStudy


class NumberRowOrder(StrEnum):
    """In which order new rows are listed."""

    FAMILIARITY = "familiarity"
    NEARNESS = "nearness"
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
        ``width``, ``familiarity`` (a quantile); ``nearness`` (to known cases in all columns, a quantile) and
        ``in words`` unless there are too many rows for that; ``actual``, ``error``, ``inside`` where the file holds the
        target; ``note``.
    output : DataFrame
        What is offered as a file.
    unreadable : str
        Why the target of the file could not be read; empty if it could, or there is none.
    learned : int
        Rows with an actual number that equal training rows in what the model uses and in the target.
    drift : Drift or None
        Whether the rows are like the held-out ones; None if there are too many to compare all with known cases.
    """

    lines: pd.DataFrame
    output: pd.DataFrame
    unreadable: str = ""
    learned: int = 0
    drift: Drift | None = None

    @property
    def judged(self) -> pd.DataFrame:
        """The lines whose actual number is known."""
        return self.lines[self.lines["actual"].notna()] if "actual" in self.lines else self.lines.iloc[:0]


def score_numbers(study: NumberStudy, rows: NewRows) -> ScoredNumbers:
    """Estimate new rows.

    Raises
    ------
    DesignError
        If the rows lack columns that the model uses, or hold something else than the training rows.
    """
    few = len(rows.frame) * len(study.split.train) <= MOST_PAIRS
    found = standing(study, rows.frame) if few else None
    output = output_rows(study, rows.frame, near=None if found is None else found.novelty)
    lines = output[["median", "lower", "upper"]].assign(
        width=output["upper"] - output["lower"], familiarity=output["familiarity_quantile"]
    )
    if found is not None:
        lines["nearness"], lines["in words"] = found.novelty.quantile_all, found.to_frame()["in words"].to_numpy()
    unreadable, learned = "", 0
    try:
        actual = _actual(study, rows.frame)
    except ProsetError as error:
        actual, unreadable = None, str(error)
    if actual is not None and actual.notna().any():
        inside = ((actual >= lines["lower"]) & (actual <= lines["upper"])).astype("boolean").where(actual.notna())
        lines = lines.assign(actual=actual, error=lines["median"] - actual, inside=inside)
        output.insert(list(output.columns).index("median"), "actual", actual)
        learned = _learned(study, rows.frame, actual)
    lines["note"] = output["note"]
    identifier = study.roles.identifier
    if identifier is not None and list(rows.frame.columns).count(identifier) == 1:
        name = free_names([identifier], [*lines.columns, "row"], word="identifier")[0]
        lines.insert(0, name, identifier_text(rows.frame[identifier]))
    beside = None if found is None else drift(study, found, groups=study.groups_in(rows.frame))
    return ScoredNumbers(lines, output, unreadable, learned, beside)


def _actual(study: NumberStudy, frame: pd.DataFrame) -> pd.Series | None:
    """Return the actual numbers of new rows; None if the file does not have them."""
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
    """Return the orders that there are: by error only where actual numbers are known, by nearness where it is."""
    missing = {NumberRowOrder.ERROR} if scored.judged.empty else set()
    missing |= set() if "nearness" in scored.lines else {NumberRowOrder.NEARNESS}
    return [order for order in NumberRowOrder if order not in missing]


def ordered(scored: ScoredNumbers, order: NumberRowOrder) -> pd.DataFrame:
    """Return the lines in an order; equal ones stay in the order of the file."""
    lines = scored.lines
    if order is NumberRowOrder.FILE or order not in orders(scored):
        return lines
    if order is NumberRowOrder.ERROR:
        return lines.loc[(-lines["error"].abs()).sort_values(kind="stable").index]
    column, ascending = {
        NumberRowOrder.FAMILIARITY: ("familiarity", True),
        NumberRowOrder.NEARNESS: ("nearness", True),
        NumberRowOrder.WIDTH: ("width", False),
        NumberRowOrder.HIGH: ("median", False),
        NumberRowOrder.LOW: ("median", True),
    }[order]
    return lines.sort_values(column, ascending=ascending, kind="stable")


def finding(study: NumberStudy, scored: ScoredNumbers) -> tuple[str, str]:
    """Say how many rows there are and how they are spread, and how unfamiliar they are; of few rows nothing of that."""
    lines = scored.lines
    median = lines["median"]
    if len(lines) == 1:
        return f"1 row: about {number(_short(float(median.iloc[0]), study))}.", ""
    low, high = (number(_short(float(value), study)) for value in (median.min(), median.max()))
    few = int((lines["familiarity"] < FEW).sum())
    among = "held-out" if len(study.split.held_out) else "training"
    said = f"{len(lines):,} rows, with medians from {low} to {high}"
    if len(lines) < _FEWEST:
        return f"{said}.", ""
    usual = f"where about {percent(FEW)} are expected if the rows are like those"
    share = "none of them" if not few else f"{few:,} of them ({percent(few / len(lines))})"
    verb = "is" if few <= 1 else "are"
    return f"{said};", f"{share} {verb} less familiar than 95 % of the {among} rows, {usual}."


def judged_words(study: NumberStudy, scored: ScoredNumbers) -> str:
    """Say how good the answers were, where actual numbers are known; empty without any."""
    judged = scored.judged
    if scored.unreadable:
        return f"Nothing is said of how good the answers are: {scored.unreadable}"
    if judged.empty:
        return ""
    inside, off = float(judged["inside"].mean()), float(judged["error"].abs().mean())
    rows = count_words(len(judged), "row")
    said = f"{rows} with an actual number: the median is off by {number(_short(off, study))} on average"
    count = len(study.split.held_out)
    beside = ""
    if count:
        told = f"{number(_short(study.metrics.mae, study))} and {percent(study.metrics.covered)}"
        beside = f" On the {count:,} held-out rows of the table it was {told}."
    learned = f" {scored.learned:,} of them equal training rows, from which the model has learned."
    seen = learned if scored.learned else ""
    which = "interval" if study.calibration is None else "calibrated interval"
    return f"{said}, and {percent(inside)} lie in their {which} of 90 %.{seen}{beside}"


def row_words(study: NumberStudy, line: pd.Series) -> str:
    """Say what the model says of one row."""
    low, high, middle = (number(_short(float(line[name]), study)) for name in ("lower", "upper", "median"))
    said = f"About {middle}; 90 % between {low} and {high}."
    if "actual" in line and not pd.isna(line["actual"]):
        said += f" It has {number(float(line['actual']))}."
    if "in words" in line:
        said += f" {line['in words'][0].upper()}{line['in words'][1:]}."
    return said


def _short(value: float, study: NumberStudy) -> float:
    """Round to a thousandth of the spread of the target: more digits say nothing."""
    return round(value, 3 - int(np.floor(np.log10(study.unit)))) if study.unit > 0.0 else value
