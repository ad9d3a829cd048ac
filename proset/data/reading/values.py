"""Turning the texts of a column into numbers, dates, true and false, or categories.

The kind is decided for a whole column, from its :class:`~proset.data.reading.evidence.ColumnEvidence`; every batch is
then converted by the same plan, so a file read in chunks gives the same values as the file read at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from proset.data.reading.dates import NAMED_MONTH, YEAR_FIRST, YEAR_LAST, parse_dates
from proset.data.reading.evidence import DOUBTFUL, INFINITE, MISSING, ColumnEvidence, minus_first, trim

_ANY_NUMBER = ("integer", "code", "long", "huge", "exponent", "spaced", "infinite")
NUMBER_SHAPES = {
    ".": (*_ANY_NUMBER, "point", "point3", "comma3", "groups_point", "spaced_point"),
    ",": (*_ANY_NUMBER, "comma", "comma3", "point3", "groups_comma", "spaced_comma"),
}
"""The shapes that are numbers under each decimal mark."""
DATE_SHAPES = {
    YEAR_FIRST: ("year_first",),
    YEAR_LAST: ("either_first", "day_first", "month_first"),
    NAMED_MONTH: ("named_month",),
}
_ABSENT = ("blank", "missing")


class ValueType(StrEnum):
    """Types of the values of a column."""

    EMPTY = "empty"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TEXT = "text"


@dataclass(frozen=True)
class Plan:
    """Plan for turning the texts of one column into values.

    Attributes
    ----------
    kind : ValueType
        What they become.
    decimal : str
        The decimal mark, for numbers.
    pattern : str
        How the dates are written, for dates.
    day_first : bool
        Whether the day stands before the month, for dates.
    gaps : bool
        Whether any value of the whole column is missing.
    """

    kind: ValueType
    decimal: str = "."
    pattern: str = ""
    day_first: bool = True
    gaps: bool = False


def decide(evidence: ColumnEvidence, decimal: str, *, strict: bool = False) -> Plan:
    """Decide what a column holds.

    Parameters
    ----------
    evidence : ColumnEvidence
        Counts over the whole column.
    decimal : str
        Decimal mark of the file, ``"."`` or ``","``.
    strict : bool
        Whether a person gave the mark; if not, a column that only reads with the other one may use that.

    Returns
    -------
    Plan
        The kind that every value agrees with; text if there is none.

    Examples
    --------
    >>> evidence = ColumnEvidence()
    >>> evidence.add(pa.array(["1", "2,5", "NA"]), np.arange(3))
    >>> decide(evidence, ",").kind, decide(evidence, ".", strict=True).kind
    (<ValueType.NUMBER: 'number'>, <ValueType.TEXT: 'text'>)
    """
    n_all = evidence.shapes.total()
    absent = evidence.count(*_ABSENT, "doubtful")
    present = n_all - absent
    if present == 0:
        return Plan(ValueType.TEXT if evidence.count("doubtful") else ValueType.EMPTY, gaps=True)
    for mark in (decimal,) if strict else (decimal, "," if decimal == "." else "."):
        if evidence.count(*NUMBER_SHAPES[mark]) == present:
            return _number_plan(evidence, mark, gaps=absent > 0)
    if evidence.count("boolean") == present:
        return Plan(ValueType.BOOLEAN, gaps=absent > 0)
    for pattern, shapes in DATE_SHAPES.items():
        both_orders = evidence.count("day_first") and evidence.count("month_first")
        if evidence.count(*shapes) == present and not both_orders:
            return Plan(ValueType.DATE, pattern=pattern, day_first=not evidence.count("month_first"), gaps=absent > 0)
    return Plan(ValueType.TEXT, gaps=evidence.count(*_ABSENT) > 0)


def _number_plan(evidence: ColumnEvidence, decimal: str, *, gaps: bool) -> Plan:
    """Choose between whole numbers, numbers, and digits that are really a code."""
    whole = ("integer", "long", "spaced", "comma3" if decimal == "." else "point3")
    gaps = gaps or evidence.count("infinite") > 0
    only_digits = evidence.count(*whole, "code", "huge", "infinite") == evidence.count(*NUMBER_SHAPES[decimal])
    if only_digits and evidence.count("code"):
        return Plan(ValueType.TEXT, gaps=evidence.count(*_ABSENT) > 0)
    if only_digits and (evidence.count("huge") or (evidence.count("long") and gaps)):
        # 64 bits cannot hold the first, a float (which gaps need) not the second
        return Plan(ValueType.TEXT, gaps=evidence.count(*_ABSENT) > 0)
    return Plan(ValueType.INTEGER if only_digits and not gaps else ValueType.NUMBER, decimal=decimal, gaps=gaps)


def convert(values: pa.Array | pa.ChunkedArray, plan: Plan) -> pd.Series:
    """Turn the texts of a column into values.

    Parameters
    ----------
    values : pyarrow.Array of str, shape (n,)
        Texts as they stand in the file.
    plan : Plan
        What they become.

    Returns
    -------
    pandas.Series, shape (n,)
        int64, float64, bool (boolean with gaps), datetime64[us] or str; missing values as the dtype has them.

    Examples
    --------
    >>> convert(pa.array(["1.234,5", "?"]), Plan(ValueType.NUMBER, decimal=",")).tolist()
    [1234.5, nan]
    """
    if plan.kind is ValueType.EMPTY:
        return pd.Series(np.full(len(values), np.nan))
    trimmed = trim(values)
    markers = ("", *MISSING) if plan.kind is ValueType.TEXT else ("", *MISSING, *DOUBTFUL)
    present = pc.if_else(pc.is_in(trimmed, pa.array(markers)), pa.scalar(None, trimmed.type), trimmed)
    if plan.kind is ValueType.TEXT:
        return present.to_pandas()
    if plan.kind is ValueType.BOOLEAN:
        truth = pc.equal(pc.utf8_lower(present), "true").to_pandas()
        return truth.astype("boolean" if plan.gaps else "bool")
    if plan.kind is ValueType.DATE:
        return pd.Series(_dates(present, plan))
    return pd.Series(_numbers(present, plan))


def _dates(present: pa.Array | pa.ChunkedArray, plan: Plan) -> np.ndarray:
    """Parse each different date once."""
    flat = present.combine_chunks() if isinstance(present, pa.ChunkedArray) else present
    encoded = flat.dictionary_encode()
    moments = np.append(parse_dates(encoded.dictionary, plan.pattern, day_first=plan.day_first), np.datetime64("NaT"))
    return moments[np.asarray(pc.fill_null(encoded.indices, len(moments) - 1))]


def _numbers(present: pa.Array | pa.ChunkedArray, plan: Plan) -> np.ndarray:
    """Take thousands marks out, then parse."""
    wanted = pa.int64() if plan.kind is ValueType.INTEGER else pa.float64()
    try:
        numbers = pc.cast(present, wanted) if plan.decimal == "." else None
    except pa.ArrowInvalid:
        numbers = None
    if numbers is None:
        plain = pc.replace_substring_regex(
            minus_first(present), r"^\+|[ '\x{a0}\x{202f}]|" + (r"," if plan.decimal == "." else r"\."), ""
        )
        plain = pc.replace_substring(plain, ",", ".") if plan.decimal == "," else plain
        finite = pc.match_substring_regex(plain, INFINITE)
        numbers = pc.cast(pc.if_else(finite, pa.scalar(None, plain.type), plain), wanted)
    result = numbers.to_numpy(zero_copy_only=False) if isinstance(numbers, pa.Array) else numbers.to_numpy()
    if plan.kind is ValueType.NUMBER and not np.isfinite(result).all():
        result = np.where(np.isfinite(result), result, np.nan)
    return result
