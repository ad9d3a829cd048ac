r"""Files that write a quote mark within a quoted value as \" rather than "".

Such a text is turned into the usual way of writing before anything else looks at it. That a file is written so is
believed only where it can hardly be read otherwise.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter

from proset.data.issues import Issue, Severity

_TOKEN = re.compile(r'\\.|"', re.DOTALL)
_MARKS = (",", ";", "\t", "|", " ")
_MAX_RECORDS = 400
_MOSTLY = 0.8


def is_escaped(text: str, delimiter: str | None = None) -> bool:
    r"""Tell whether a backslash before a quote mark makes it a part of the value.

    Parameters
    ----------
    text : str
        The beginning of a file; its last line is whole.
    delimiter : str or None
        What a person said; None means any usual one.

    Returns
    -------
    bool
        True if rows have the same number of fields that way, and do not when read in the usual way.

    Examples
    --------
    >>> is_escaped('a,b\n1,"x \\"y\\" z"\n'), is_escaped('a,b\n1,"C:\\new\\"\n')
    (True, False)
    """
    if '\\"' not in text:
        return False
    for mark in _MARKS if delimiter is None else (delimiter,):
        usual, escaped = _evenness(text, mark, None), _evenness(text, mark, "\\")
        if escaped >= _MOSTLY and escaped > usual:
            return True
    return False


def _evenness(text: str, mark: str, escape: str | None) -> float:
    """Return which part of the rows has the usual number of fields; 0 where that is one, or quotes are not closed."""
    widths: Counter[int] = Counter()
    lines = io.StringIO(text, newline="")
    try:
        for record in csv.reader(lines, delimiter=mark, escapechar=escape, doublequote=escape is None, strict=True):
            widths[len(record)] += bool(record)
            if widths.total() == _MAX_RECORDS:
                break
    except csv.Error as error:
        if not str(error).startswith("unexpected end"):  # the text may be cut within a value
            return 0.0
    except (TypeError, ValueError):  # a delimiter that cannot be one; it is refused elsewhere
        return 0.0
    width, count = widths.most_common(1)[0] if widths else (0, 0)
    return count / widths.total() if width > 1 else 0.0


class Unescaper:
    r"""A text with \" within quotes, turned piece by piece into one with "".

    Examples
    --------
    >>> Unescaper().add('1,"x \\"y\\" z",\\N', final=True)
    '1,"x ""y"" z",\\N'
    """

    def __init__(self) -> None:
        self._inside, self._held = False, ""

    def add(self, text: str, *, final: bool) -> str:
        """Take the next piece and return what is known of the text; a backslash waits for what it stands before."""
        text = self._held + text
        backslashes = len(text) - len(text.rstrip("\\"))
        cut = len(text) - (0 if final else backslashes % 2)
        self._held = text[cut:]
        if "\\" not in text:
            self._inside ^= text.count('"') % 2 == 1
            return text
        return _TOKEN.sub(self._usual, text[:cut])

    def _usual(self, token: re.Match[str]) -> str:
        """Return a quote mark or an escaped character in the usual way of writing; most of the latter stay."""
        found = token[0]
        if found == '"':
            self._inside = not self._inside
        if not self._inside:  # quotes mean something only at the beginning of a field, where one would open it
            return found
        return {'\\"': '""', "\\\\": "\\"}.get(found, found)


def escaped_issue() -> Issue:
    """Say how quote marks were read."""
    text = r"Quote marks within values of the file are written \"; they were read as quote marks."
    return Issue("escaped_quotes", text, severity=Severity.INFO)
