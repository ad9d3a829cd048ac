"""Telling from the values alone which decimal mark they use, and whether a row of names stands above them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_POINT = re.compile(
    r"[+-]?(0?\.\d+|\d+\.\d{1,2}|\d+\.\d{4,}|[1-9]\d{0,2}([, '\u00a0\u202f]\d{3})+\.\d+|\d+\.\d+[eE][+-]?\d+)"
)
_COMMA = re.compile(
    r"[+-]?(0?,\d+|\d+,\d{1,2}|\d+,\d{4,}|[1-9]\d{0,2}([. '\u00a0\u202f]\d{3})+,\d+|\d+,\d+[eE][+-]?\d+)"
)
_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3}){2,}")
_LIKE_GROUPS = re.compile(r"[+-]?(0|[1-9]\d{0,2}(\.\d{3})*)")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\d{1,2}[:.]\d{2}([:.]\d{2})?")
_LONG = 5
"""Running numbers that are names whatever else the row holds; a row of values seldom begins 1, 2, 3, 4, 5."""
_EMPTY = frozenset({"", "na", "n/a", "nan", "null", "none", "?", "-", "#n/a"})


def find_decimal(records: Sequence[Sequence[str]]) -> str:
    """Find the decimal mark from the values themselves.

    Parameters
    ----------
    records : sequence of sequence of str
        Rows of fields, without the header.

    Returns
    -------
    str
        ``","`` if more values can only be read that way, else ``"."``. Three digits after a lone mark prove nothing:
        1,234 may be one thousand or one and a bit. Two groups after points (1.234.567) decide where no value does
        otherwise, for article numbers look like that as well.

    Examples
    --------
    >>> find_decimal([["1,5", "20"], ["0,25", "1.000,5"]])
    ','
    """
    point = comma = 0
    for record in records:
        for field in record:
            value = field.strip()
            if _POINT.fullmatch(value):
                point += 1
            elif _COMMA.fullmatch(value):
                comma += 1
    return "," if comma > point or (comma == point == 0 and _has_groups(records)) else "."


def _has_groups(records: Sequence[Sequence[str]]) -> bool:
    """Tell whether a column holds numbers with points between groups, and nothing that is none."""
    for position in range(max(map(len, records), default=0)):
        column = [record[position].strip() for record in records if position < len(record)]
        values = [value for value in column if value.lower() not in _EMPTY]
        if any(map(_GROUPS.fullmatch, values)) and all(map(_LIKE_GROUPS.fullmatch, values)):
            return True
    return False


def find_header(first: Sequence[str], body: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row holds names.

    Parameters
    ----------
    first : sequence of str
        The first row.
    body : sequence of sequence of str
        The rows after it.

    Returns
    -------
    bool
        True if the first row differs in kind from what stands below it, or numbers the columns: 0, 1, 2 and so on, as
        programs name columns that nobody has named.

    Examples
    --------
    >>> find_header(["age", "kind"], [["31", "a"], ["45", "b"]])
    True
    >>> find_header(["31", "a"], [["45", "b"], ["29", "a"]])
    False
    """
    names = [field.strip() for field in first]
    if not body:
        return not any(_is_value(field) for field in names if field)
    run = _running(names)
    if len(run) >= _LONG and names not in ([field.strip() for field in row] for row in body):
        return True
    votes = 0
    for position, field in enumerate(names):
        if position in run:
            continue  # what the others are decides
        column = [row[position].strip() for row in body if position < len(row)]
        votes += _vote(field, [value for value in column if value.lower() not in _EMPTY])
    if votes == 0:  # nothing but text: names are all different and do not come back below
        filled = [field for field in names if field]
        return len(set(filled)) == len(filled) and not any(_is_value(field) for field in filled)
    return votes > 0


def _running(names: Sequence[str]) -> frozenset[int]:
    """Return which fields number the columns, from 0 or 1 on; none if another field is a number, too."""
    values = {position: field for position, field in enumerate(names) if _is_value(field)}
    running = [[str(first + step) for step in range(len(values))] for first in (0, 1)]
    return frozenset(values) if len(values) > 2 and list(values.values()) in running else frozenset()


def _is_value(field: str) -> bool:
    """Tell whether a field is a number or a date, which names seldom are."""
    return bool(_NUMBER.fullmatch(field) or _DATE.fullmatch(field))


def _vote(field: str, column: Sequence[str]) -> int:
    """Return 1 if the field differs in kind from its column, -1 if it belongs to it, 0 if it does not tell."""
    if not column:
        return 0
    numeric = sum(map(_is_value, column)) / len(column)
    if numeric > 0.8:
        if field.lower() in _EMPTY:
            return 0
        return -1 if _is_value(field) else 1
    if field in column:  # a category comes back below, a name does not
        return -1
    few = len(set(column)) <= max(2, len(column) // 5)
    return 1 if few and len(column) >= 5 else 0
