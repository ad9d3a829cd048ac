"""Files whose every line was put into quotes by the program that wrote them, delimiters and all.

Such a line is one quoted field, its own quotes doubled; the table is what stands inside. That a file is one is believed
only where the lines without their quotes all have the same number of fields, and more than one: a column of quoted
texts does not.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from proset.data.issues import Issue, Severity

_LINE = re.compile(r'(?<![^\r\n])[ \t]*"((?:[^"\r\n]|"")*)"([;,\t|]*)[ \t]*(?=[\r\n]|\Z)')
_ENDS = re.compile(r"\r\n|\r|\n")
_MARKS = (",", ";", "\t", "|")
_MAX_LINES = 400
_COMMA_NUMBER = re.compile(r"[+-]?\d+,\d+")
_BY_CHANCE = 2
"""Fields that lines of words may well have by chance: "Doe, John"."""


def is_wrapped(text: str, delimiter: str | None = None) -> bool:
    r"""Tell whether lines of a text are wrapped in quotes as a whole.

    Parameters
    ----------
    text : str
        The beginning of a file; its last line is whole.
    delimiter : str or None
        What a person said; None means any usual one.

    Returns
    -------
    bool
        True if some line is one quoted field, and all lines without such quotes have the same number of fields.

    Examples
    --------
    >>> is_wrapped('"a;b"\n"1;""x"" "\n"2;y"\n'), is_wrapped('"a"\n"Yes, please"\n"No"\n')
    (True, False)
    """
    lines = [line for line in _ENDS.split(text)[: 2 * _MAX_LINES] if line.strip()][:_MAX_LINES]
    while lines and re.match(r'"?(?:#|sep=)', lines[0], re.IGNORECASE):
        del lines[0]
    matches = [_LINE.fullmatch(line) for line in lines]
    if len(lines) < 2 or not any(matches):
        return False
    bare = [line if match is None else match[1].replace('""', '"') for line, match in zip(lines, matches, strict=True)]
    behind = {mark for match in matches if match is not None for mark in match[2]}
    marks = _MARKS if delimiter is None else (delimiter,)
    return any(mark not in behind and _is_table(bare, mark) for mark in marks)


def unwrap(text: str) -> str:
    r"""Return whole lines without the quotes around them, and without delimiters behind such quotes.

    Examples
    --------
    >>> unwrap('"a;b"\r\n1;2\r\n"3;""x y"" "\r\n')
    'a;b\r\n1;2\r\n3;"x y" \r\n'
    """
    return _LINE.sub(lambda match: match[1].replace('""', '"'), text)


def wrapped_issue() -> Issue:
    """Say that the quotes were taken off."""
    text = "Whole lines of the file stand in quotes; it was read as the table inside them."
    return Issue("wrapped_lines", text, severity=Severity.INFO)


def _is_table(lines: Sequence[str], mark: str) -> bool:
    """Tell whether all lines have the same number of fields, more than chance gives."""
    try:
        rows = [next(csv.reader([line], delimiter=mark), []) for line in lines]
    except csv.Error:  # a field of more than 131,072 characters
        return False
    width = len(rows[0])
    if width < _BY_CHANCE or any(len(row) != width for row in rows):
        return False
    if width > _BY_CHANCE:
        return True
    spaced = sum(row[1].startswith(" ") for row in rows)
    numbers = sum(_COMMA_NUMBER.fullmatch(line.strip()) is not None for line in lines)
    return len(rows) > _BY_CHANCE and spaced <= len(rows) / 2 and numbers < len(rows)
