"""Lists of the rows of a number's study that are looked through one by one."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import pandas as pd

from dashboard.services.cases import CaseRef, Part, Within, part_rows
from dashboard.services.params import EnumParam
from proset.common.words import count_words


class NumberList(StrEnum):
    """Rows and their order."""

    OUTSIDE = "outside"
    ERROR = "error"
    UNFAMILIAR = "unfamiliar"
    TABLE = "table"


LIST = EnumParam("list", NumberList.OUTSIDE)
"""The list that is looked through."""
LIST_LABELS = {
    NumberList.OUTSIDE: "Furthest outside their interval",
    NumberList.ERROR: "Largest error",
    NumberList.UNFAMILIAR: "Least familiar",
    NumberList.TABLE: "In the order of the table",
}
_ORDER_WORDS = {
    NumberList.OUTSIDE: "furthest outside first",
    NumberList.ERROR: "largest error first",
    NumberList.UNFAMILIAR: "least familiar first",
    NumberList.TABLE: "in the order of the table",
}


def rows_of(predictions: pd.DataFrame, part: Part, which: NumberList, within: Within | None = None) -> pd.DataFrame:
    """Return the answers for the rows of a list, in its order; equal ones stay in the order of the table.

    Parameters
    ----------
    predictions : DataFrame
        From :attr:`proset.study.NumberStudy.predictions`.
    within : Within or None
        Only rows of a slice.

    Returns
    -------
    DataFrame
        The same columns and ``outside``: how far the actual number lies beyond the interval, 0 within it. Rows without
        a number are in the last two lists only.

    Examples
    --------
    >>> said = pd.DataFrame({"part": "held_out", "actual": [1.0, 9.0, None], "lower": 2.0, "upper": 4.0,
    ...                      "error": [2.0, -6.0, None], "familiarity": [3.0, 2.0, 1.0]})
    >>> [rows_of(said, Part.ALL, which).index.tolist() for which in NumberList]
    [[1, 0], [1, 0], [2, 1, 0], [0, 1, 2]]
    """
    lines = part_rows(predictions, part, within)
    above, below = lines["actual"] - lines["upper"], lines["lower"] - lines["actual"]
    lines = lines.assign(outside=np.maximum(np.maximum(above, below), 0.0))
    if which is NumberList.OUTSIDE:
        return lines[lines["outside"] > 0.0].sort_values("outside", ascending=False, kind="stable")
    if which is NumberList.ERROR:
        known = lines[lines["actual"].notna()]
        return known.loc[known["error"].abs().sort_values(ascending=False, kind="stable").index]
    return lines.sort_values("familiarity", kind="stable") if which is NumberList.UNFAMILIAR else lines


def counted(count: int, part: Part, which: NumberList, within: Within | None = None) -> str:
    """Say how many rows a list has, such as ``3 held-out rows outside their interval``.

    Examples
    --------
    >>> counted(1, Part.HELD_OUT, NumberList.OUTSIDE), counted(2, Part.ALL, NumberList.ERROR)
    ('1 held-out row outside its interval', '2 rows with a number')
    """
    said = count_words(count, part.row)
    if within is not None:
        said += f" in {within.words}"
    if which is NumberList.OUTSIDE:
        return f"{said} outside {'its' if count == 1 else 'their'} interval"
    return f"{said} with a number" if which is NumberList.ERROR else said


def finding_words(predictions: pd.DataFrame, part: Part, within: Within | None = None) -> str:
    """Say how many rows of a part lie outside their interval.

    Examples
    --------
    >>> said = pd.DataFrame({"part": "held_out", "actual": [1.0, 3.0], "lower": 2.0, "upper": 4.0})
    >>> finding_words(said, Part.HELD_OUT)
    '1 of 2 held-out rows lies outside its interval of 90 %.'
    """
    known = part_rows(predictions, part, within)["actual"].notna()
    outside = len(rows_of(predictions, part, NumberList.OUTSIDE, within))
    lie = "lies outside its" if outside == 1 else "lie outside their"
    return f"{outside:,} of {count_words(int(known.sum()), part.row)} {lie} interval of 90 %."


def order_words(which: NumberList) -> str:
    """Return the order in words."""
    return _ORDER_WORDS[which]


def place_words(
    order: tuple[CaseRef, ...], case: CaseRef | None, part: Part, which: NumberList, within: Within | None = None
) -> str:
    """Say where one is in a list and how it is ordered.

    Examples
    --------
    >>> place_words((CaseRef.in_table(3),), None, Part.HELD_OUT, NumberList.OUTSIDE)
    '1 held-out row outside its interval, furthest outside first.'
    """
    many = counted(len(order), part, which, within)
    if not order:
        return f"{'No' + many[1:]}."
    if case not in order:
        return f"{many}, {order_words(which)}."
    return f"{order.index(case) + 1} of {many}, {order_words(which)}; after the last comes the first."
