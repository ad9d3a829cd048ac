"""Contents of the Prototypes page of a model of a number."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dashboard.services.cases import CaseRef, CaseSet, Part, Picker, Within, part_rows
from dashboard.services.params import EnumParam
from dashboard.services.prototypes import MOST_PAIRS, briefly_named, several_batches
from proset.common.spread import spread_out
from proset.common.words import alike, count_words, number, percent
from proset.explain.numbers.contrasts import to_width
from proset.explain.numbers.prototypes import (
    NumberPrototypes,
    NumberPrototypeView,
    number_prototype_view,
    number_prototypes,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from proset.study.number_study import NumberStudy


class NumberOrder(StrEnum):
    """Orders of the prototypes."""

    SHARE = "share"
    LEADS = "leads"
    WEIGHT = "weight"
    ODD = "odd"


ORDER = EnumParam("prototype_order", NumberOrder.SHARE)


def rows_of(study: NumberStudy, part: Part, within: Within | None = None) -> NDArray[np.int64]:
    """Return the row ids of a part, every so-manieth of them if there are too many."""
    rows = part_rows(study.predictions, part, within).index.to_numpy(dtype=np.int64)
    most = max(1, MOST_PAIRS // max(1, len(study.prototypes)))
    return np.asarray(spread_out(rows, most), dtype=np.int64)


def prototypes(study: NumberStudy, part: Part, within: Within | None) -> NumberPrototypes:
    """Return all prototypes, measured on a part of the rows."""
    return number_prototypes(study, rows_of(study, part, within))


def view(study: NumberStudy, batch: int, row: int, part: Part, within: Within | None) -> NumberPrototypeView:
    """Return one prototype, measured on a part of the rows."""
    return number_prototype_view(study, batch, row, rows_of(study, part, within))


def ordered(found: NumberPrototypes, order: NumberOrder) -> pd.DataFrame:
    """Return the prototypes in an order; the index is their place in the frame, equal ones stay as they are."""
    frame = found.frame
    if order is NumberOrder.ODD:
        return frame.loc[(0.5 - (frame["place"] - 0.5).abs()).sort_values(kind="stable").index]
    return frame.sort_values(str(order), ascending=False, kind="stable")


def finding(found: NumberPrototypes) -> str:
    """Say in a sentence or two how much the prototypes make up, and how many it takes for most of it."""
    shares = np.sort(found.frame["share"].to_numpy(dtype=np.float64))[::-1]
    half = int(np.searchsorted(np.cumsum(shares), 0.5 * shares.sum()) + 1) if shares.sum() > 0.0 else 0
    count = count_words(len(shares), "prototype")
    verb = "makes" if len(shares) == 1 else "make"
    said = f"{count} {verb} up {percent(1.0 - found.everybody)} of the answers"
    if len(shares) > 2 and half:
        said += f", {half:,} of them half of that" if half > 1 else ", one of them half of that"
    return f"{said}; the rest is what everybody has."


def measured_words(study: NumberStudy, found: NumberPrototypes, part: Part, within: Within | None = None) -> str:
    """Say on which rows the prototypes were measured."""
    whole = len(part_rows(study.predictions, part, within))
    rows = count_words(found.n_rows, part.row) + ("" if within is None else f" in {within.words}")
    return f"Measured on {rows}." if found.n_rows == whole else f"Measured on {rows} of {whole:,}, evenly spread."


def says(target: float, spread: float) -> str:
    """Write what a prototype says of a case like itself.

    Examples
    --------
    >>> says(42.03, 2.9608)
    '42.03, give or take 3'
    """
    return f"{number(target)}, give or take {number(float(f'{spread:.2g}'))}"


def view_words(found: NumberPrototypeView, line: pd.Series, *, alone: bool) -> tuple[str, ...]:
    """Say what a prototype says, of how many rows, and what the others make of its own row.

    Parameters
    ----------
    line : Series
        Its line of the frame of all prototypes.
    alone : bool
        Whether no other row is a prototype.
    """
    rows = count_words(found.n_rows, "row")
    leads = "none" if not line["leads"] else f"{int(line['leads']):,}"
    share = (
        f"Its mean share in the answers is {percent(float(line['share']))}; it leads {leads} of the {rows} measured."
    )
    width = float(line["others upper"] - line["others lower"])
    names = ("others lower", "others upper", "others")
    low, high, middle = (to_width(float(line[name]), width) for name in names)
    expect = "No other row is a prototype: everybody has" if alone else "The prototypes of all other rows expect"
    others = f"{expect} {middle}{'' if alone else ' for its row'}, with 90 % between {low} and {high}."
    if line["target"] < line["others lower"] or line["target"] > line["others upper"]:
        others += " Its own number lies outside: a rare kind of case, or a wrong entry. Look whether it is right."
    return f"It says {says(found.target, found.spread)}, of cases like itself.", share, others


def table(study: NumberStudy, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the list of prototypes as it is shown; the batch only where there are several."""
    ends = alike(frame[["others", "others lower", "others upper"]].to_numpy().ravel().tolist())
    expected = [
        f"{middle} ({low} to {high})" for middle, low, high in zip(ends[::3], ends[1::3], ends[2::3], strict=True)
    ]
    shown = frame[["row", "name", "batch", "target", "spread", "weight", "share", "leads"]].assign(expected=expected)
    return briefly_named(study, shown.drop(columns=[] if several_batches(frame) else ["batch"]))


def cases(found: NumberPrototypeView) -> CaseSet:
    """Return the rows that it counts most for, as a list to look through."""
    return CaseSet(picked=tuple(CaseRef.in_table(row) for row in found.cases.index), by=Picker.HAND)
