"""Telling from the values alone which decimal mark they use, and whether a row of names stands above them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import compress

from proset.common.words import count_words, shown
from proset.data.issues import Issue, Severity

MAX_PREAMBLE = 50
"""Lines that may stand above a table."""

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
_NUMERIC = 0.8
_UNIT = re.compile(
    r"\[.*\]|\(.*\)|.*[%‰°²³€$£].*|[µμnmckMG]?(m|g|l|L|s|V|A|W|Pa|Hz|J|mol|bar)(/\w+)?|kcal|cal|min|h|d|ppm|ppb|rpm|bpm|lbs?|ft|in"
)
"""Units as they are written by themselves."""
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


def table_start(records: Sequence[Sequence[str]]) -> int:
    """Return which row is the first that is nearly as full as most are, below a title or remarks; 0 if none is."""
    return first_full([sum(cell.strip() != "" for cell in record) for record in records])[0]


def first_full(counts: Sequence[int]) -> tuple[int, int]:
    """Return which line is the first that is nearly as full as most later ones, 0 if none is, and how full these are.

    Examples
    --------
    >>> first_full([1, 0, 3, 4, 4, 4])
    (2, 4)
    """
    later = Counter(count for count in counts[len(counts) // 3 :] if count)
    usual = later.most_common(1)[0][0] if later else 1
    enough = max(2, usual - 1)  # a header without a name for the row names is one short
    return next((at for at, count in enumerate(counts[:MAX_PREAMBLE]) if count >= enough), 0) if usual > 1 else 0, usual


def find_two_lines(records: Sequence[Sequence[str]], start: int) -> tuple[int, tuple[str, ...]] | None:
    """Find names in two lines: the upper stand above several columns, as merged cells do, or the lower are units.

    Parameters
    ----------
    records : sequence of sequence of str
        The first rows, all of one length.
    start : int
        Which of them is the first that is full.

    Returns
    -------
    (int, tuple of str) or None
        Which row is the lower line, and the names of both; None unless the lower one alone does not name the columns,
        both do, and numbers stand below a group of columns, or below each unit.

    Examples
    --------
    >>> rows = [["plant", "leaf", "", "root"], ["", "long", "wide", "long"], ["A", "3", "1", "20"]]
    >>> find_two_lines(rows, 2)
    (1, ('plant', 'leaf long', 'leaf wide', 'root long'))
    >>> find_two_lines([["plant", "long", "wide"], ["", "cm", "cm"], ["A", "3", "1"]], 0)
    (1, ('plant', 'long (cm)', 'wide (cm)'))
    """
    for lower in (start + 1, start, start - 1):
        if 1 <= lower < len(records) - 1:
            lines = records[lower - 1], records[lower], records[lower + 1 :]
            if names := _joined(*lines) or _with_units(*lines):
                return lower, names
    return None


def _joined(upper: Sequence[str], lower: Sequence[str], body: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
    """Join two lines of names if they are that."""
    above, below = ([cell.strip() for cell in line] for line in (upper, lower))
    alone = "" not in below and len(set(below)) == len(below)
    if alone or sum(map(bool, above)) < 2 or "" not in above or len(above) != len(below):
        return None
    spread: list[str] = []
    for cell in above:
        spread.append(cell or (spread[-1] if spread else ""))
    parts = [*zip(spread, above, below, zip(*body, strict=False), strict=True)]
    grouped = any(group and not cell and _is_measured(name, column) for group, cell, name, column in parts)
    if not grouped or any(map(_is_value, (*above, *below))):
        return None
    names = [f"{group} {name}".strip() if name else cell for group, cell, name, _ in parts]
    return tuple(names) if all(names) and len(set(names)) == len(names) else None


def _with_units(upper: Sequence[str], lower: Sequence[str], body: Sequence[Sequence[str]]) -> tuple[str, ...] | None:
    """Put units behind names if they stand in a line of their own, above all columns of numbers or most."""
    above, below = ([cell.strip() for cell in line] for line in (upper, lower))
    if "" in above or len(set(above)) < len(above) or len(above) != len(below) or any(map(_is_value, (*above, *below))):
        return None
    measured = [_is_measured(cell, column) for cell, column in zip(below, zip(*body, strict=False), strict=True)]
    units = [*compress(below, measured)]
    others = [cell for cell, numbers in zip(below, measured, strict=True) if cell.lower() not in _EMPTY and not numbers]
    if len(units) < 2 or not any(map(_UNIT.fullmatch, units)) or not all(map(_UNIT.fullmatch, others)):
        return None
    return tuple(
        name if cell.lower() in _EMPTY else f"{name} {cell if cell[0] in '([' else f'({cell})'}"
        for name, cell in zip(above, below, strict=True)
    )


def _is_measured(name: str, column: Sequence[str]) -> bool:
    """Tell whether a word stands above numbers."""
    values = [value for cell in column if (value := cell.strip()).lower() not in _EMPTY]
    return name.lower() not in _EMPTY and bool(values) and sum(map(_is_value, values)) > _NUMERIC * len(values)


def lines_above(records: Sequence[Sequence[str]], joined: Sequence[str] | None = None) -> list[Issue]:
    """Say which lines above a table were skipped, and whether names were joined of two lines."""
    issues = []
    if records:
        title = next((cell for cell in records[0] if cell.strip()), "")
        issues.append(Issue("preamble", skipped_words(len(records), title), severity=Severity.INFO))
    if joined is not None:
        example = next((name for name in joined if " " in name), joined[0])
        text = f"The names of the columns stand in two lines, which were joined, as in '{shown(example)}'."
        issues.append(Issue("two_lines", text, severity=Severity.INFO))
    return issues


def skipped_words(n_lines: int, first: str) -> str:
    """Say how many lines above a table were skipped.

    Examples
    --------
    >>> skipped_words(2, "Laboratory")
    "2 lines above the table were skipped, the first is 'Laboratory'."
    """
    lines = count_words(n_lines, "line above the table was", "lines above the table were")
    return f"{lines} skipped, the first is '{shown(first)}'."


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
    if numeric > _NUMERIC:
        if field.lower() in _EMPTY:
            return 0
        return -1 if _is_value(field) else 1
    if field in column:  # a category comes back below, a name does not
        return -1
    few = len(set(column)) <= max(2, len(column) // 5)
    return 1 if few and len(column) >= 5 else 0
