"""Finding how a text table is written: where it begins, its delimiter, quote, decimal mark and header.

Everything is found on the first part of the file, so the time does not depend on its size.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import clevercsv

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.issues import Issue, Severity
from proset.data.reading.dialect import too_many_columns
from proset.data.reading.escaped import Unescaper, escaped_issue, is_escaped
from proset.data.reading.header import (
    find_decimal,
    find_header,
    find_two_lines,
    first_full,
    lines_above,
    skipped_words,
    table_start,
)
from proset.data.reading.wrapped import is_wrapped, unwrap, wrapped_issue

DELIMITERS = (",", ";", "\t", "|", " ")
SAMPLE_CHARACTERS = 1 << 17
LONGEST_LINE = 1 << 22
_DELIMITER_CHARACTERS = 6_000  # clevercsv's time grows faster than its sample, its hits do not
_MAX_RECORDS = 400
_SPOKEN = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}


@dataclass(frozen=True)
class Layout:
    """Layout of a text table.

    Attributes
    ----------
    delimiter, quote, decimal : str
        One character each.
    header : bool
        Whether the first row holds names.
    skip : int
        Characters before the table.
    first : tuple of str
        The fields of the first row of the table.
    width : int
        Number of fields in a row.
    trailing : bool
        Whether each row ends with a delimiter that stands for nothing.
    row_names : bool
        Whether the first field of each row has no name in the header.
    issues : tuple of Issue
        What a person should know about the above.
    wrapped : bool
        Whether quotes stand around whole lines; ``skip`` counts without them.
    escaped : bool
        Whether quote marks within values have a backslash before them; ``skip`` counts as if they were doubled.
    """

    delimiter: str
    quote: str
    decimal: str
    header: bool
    skip: int
    first: tuple[str, ...]
    width: int
    trailing: bool
    row_names: bool
    issues: tuple[Issue, ...]
    wrapped: bool = False
    escaped: bool = False


def sniff_layout(
    text: str,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    name: str = "table",
    complete: bool = True,
    most: int | None = None,
) -> Layout:
    r"""Find how a text table is written from its first part.

    Parameters
    ----------
    text : str
        The beginning of the file, decoded.
    delimiter, decimal, header : str, str, bool or None
        What a person said; None means to find it.
    name : str
        What to call the file in a message.
    complete : bool
        Whether ``text`` is the whole file; if not, its last line is not trusted.
    most : int or None
        Columns that are allowed; None means any number.

    Raises
    ------
    TableError
        If there is no table in the text, no delimiter, or far too many columns.

    Examples
    --------
    >>> layout = sniff_layout("size;kind\n1,5;a\n2,5;b\n")
    >>> layout.delimiter, layout.decimal, layout.header
    (';', ',', True)
    """
    text = _whole_lines(text.removeprefix("\ufeff"), name, complete=complete)
    if wrapped := is_wrapped(text, delimiter):
        text = unwrap(text).removeprefix("\ufeff")
    if escaped := not wrapped and is_escaped(text, delimiter):
        text = Unescaper().add(text, final=True)
    start, declared = _skip_comments(text)
    mark, quote = delimiter or declared or ",", '"'
    if delimiter is None and declared is None:
        mark, quote = _find_delimiter(text[start:], name)
    start, issues = _skip_preamble(text, start, _check_mark(mark), quote)
    records = _records(text[start:], mark, quote)
    _check_delimiter_occurs(records, mark, name, given=delimiter is not None)
    if most is not None and (narrowest := min(map(len, records))) > most + 1:  # before anybody looks into the columns
        raise too_many_columns(name, narrowest, most)
    two = None if header is False else _two_lines(records)
    at, first = two or (0, records[0])
    body = records[at + 1 :]
    if two:
        start += _length(text[start:], at, mark, quote)
        issues += lines_above(records[: at - 1], first)
    has_header = bool(two) or (find_header(first, body) if header is None else header)
    if header is None and not has_header:
        issues.append(_no_header_issue(first))
    if wrapped or escaped:
        issues.append(wrapped_issue() if wrapped else escaped_issue())
    decimal = decimal or find_decimal(body or [first])
    shape = _width(first, body, has_header)
    return Layout(mark, quote, decimal, has_header, start, tuple(first), *shape, tuple(issues), wrapped, escaped)


def _whole_lines(text: str, name: str, *, complete: bool) -> str:
    """Return a text without its last line unless that is whole; refuse one that holds nothing, or no line ends."""
    if not complete:
        cut = max(text.rfind("\n"), text.rfind("\r"))
        if cut <= 0 and len(text) >= LONGEST_LINE // 4:  # a character takes up to four bytes
            raise TableError(
                f"The first line of '{name}' is longer than a table can have: '{shown(text)}'.",
                hint="Check the line ends; a table has one row on each line.",
            )
        text = text[: cut + 1] if cut > 0 else text
    if not text.strip():
        raise TableError(f"'{name}' holds nothing but blanks.", hint="Check that the export finished, then try again.")
    return text


def _check_mark(delimiter: str) -> str:
    """Check a delimiter that a person gave."""
    if len(delimiter) != 1 or delimiter in '"\r\n' or ord(delimiter) > 127:
        raise TableError(
            f"The delimiter '{shown(delimiter)}' cannot be used.",
            hint="Give one character, such as ',', ';', '|' or a tab.",
            option="delimiter",
        )
    return delimiter


def _skip_comments(text: str) -> tuple[int, str | None]:
    """Return where the text goes on after comment lines and Excel's 'sep=' line, and the delimiter that line names."""
    start, declared = 0, None
    for line in text.splitlines(keepends=True):
        bare = line.strip().strip('"')
        if match := re.fullmatch(r"sep=(.)", line.strip("\r\n").strip('"'), re.IGNORECASE):
            declared = match[1]
        elif bare and not bare.startswith("#"):
            break
        start += len(line)
    # a file whose only '#' line is the header, as R and some instruments write it, must keep it
    return (start, declared) if text[start:].strip() and not _hash_is_header(text, start) else (0, declared)


def _hash_is_header(text: str, start: int) -> bool:
    """Tell whether the last '#' line before the data names the columns."""
    lines = [line for line in text[:start].splitlines() if line.strip()]
    following = text[start:].splitlines()[0]
    if len(lines) != 1 or not lines[0].startswith("#"):
        return False
    return any(lines[0].count(mark) == following.count(mark) > 0 for mark in DELIMITERS[:4])


def _find_delimiter(text: str, name: str) -> tuple[str, str]:
    """Return delimiter and quote."""
    lines = [line for line in text.splitlines()[:_MAX_RECORDS] if line.strip()]
    sample = "\n".join(lines)
    if len(sample) > _DELIMITER_CHARACTERS:
        sample = sample[: max(sample.rfind("\n", 0, _DELIMITER_CHARACTERS), 0) or _DELIMITER_CHARACTERS]
    found = clevercsv.Detector().detect(sample + "\n", delimiters=list(DELIMITERS))
    if found is not None and found.delimiter in DELIMITERS:
        quote = "'" if found.quotechar == "'" and _quotes_whole_fields(lines, found.delimiter) else '"'
        if _divides_evenly(text, found.delimiter, quote):
            return found.delimiter, quote
    if all(re.fullmatch(r"\S+|\"[^\"]*\"", line.strip()) for line in lines) and not _looks_divided(lines):
        return ",", '"'
    divided = any(mark in lines[0] for mark in DELIMITERS[:4])
    said = f"divides the rows of '{name}' alike" if divided else f"was found in '{name}'"
    cause = ", and look for a quotation mark that is not closed" if '"' in text and divided else ""
    raise TableError(
        f"No delimiter {said}: its first line is '{shown(lines[0])}'.",
        hint=f"If it is a table, name the character between its columns (the delimiter){cause}.",
        option="delimiter",
    )


def _divides_evenly(text: str, delimiter: str, quote: str) -> bool:
    """Tell whether most rows below a possible title have the same number of fields, and more than one."""
    widths = [len(record) for record in _records(text, delimiter, quote)]
    usual, count = Counter(widths[len(widths) // 3 :]).most_common(1)[0]
    if delimiter == " " and widths[0] < max(2, usual - 1):
        return False
    enough = 0.8 if delimiter == " " else 0.5  # words are divided by spaces, too
    return usual > 1 and count >= enough * len(widths[len(widths) // 3 :])


def _looks_divided(lines: Sequence[str]) -> bool:
    """Tell whether some other punctuation cuts every line into the same number of parts."""
    return any(len({line.count(mark) for line in lines}) == 1 and mark in lines[0] for mark in ":~^\x01/\\&*!$%")


def _quotes_whole_fields(lines: Sequence[str], delimiter: str) -> bool:
    """Tell whether fields stand in single quotes, rather than holding an apostrophe."""
    fields = [field.strip() for line in lines for field in line.split(delimiter) if "'" in field]
    return sum(field[0] == field[-1] == "'" and len(field) > 1 for field in fields) > 0.5 * len(fields)


def _skip_preamble(text: str, start: int, delimiter: str, quote: str) -> tuple[int, list[Issue]]:
    """Return where the table begins below a title or remarks, and an issue that shows what was skipped."""
    lines = text[start:].splitlines(keepends=True)[:_MAX_RECORDS]
    counts = [len(_records(line, delimiter, quote)[0]) if line.strip() else 0 for line in lines]
    ahead, usual = first_full(counts)
    # a quoted line break makes short lines too, but not before the first full row
    if all(line.count(quote) % 2 == 0 for line in lines[:ahead]):
        start += sum(map(len, lines[:ahead]))
    above = [line.strip() for line in text[:start].splitlines() if line.strip()]
    if not above:
        return start, []
    message = skipped_words(len(above), above[0])
    mark = next(
        (mark for mark in DELIMITERS[:-1] if mark != delimiter and 2 < usual == above[-1].count(mark) + 1), None
    )
    if mark is None:
        return start, [Issue("preamble", message, severity=Severity.INFO)]
    message += f" The last of them has as many parts between '{mark}' as the table has columns: if they are its names,"
    return start, [Issue("preamble", f"{message} divide them as the rows are, and open the file again.")]


def _records(text: str, delimiter: str, quote: str) -> list[list[str]]:
    """Parse the first records; blank lines do not count."""
    records: list[list[str]] = []
    try:
        for record in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quotechar=quote):
            if record:
                records.append(record)
            if len(records) == _MAX_RECORDS:
                break
    except csv.Error:  # a field of more than 131,072 characters; what is known so far has to do
        records = records or [text.splitlines()[0].split(delimiter)]
    return records or [[""]]


def _two_lines(records: Sequence[Sequence[str]]) -> tuple[int, Sequence[str]] | None:
    """Find names in two lines, below titles that a program for sheets has filled up to the table's width."""
    same = [record for record in records if len(record) == len(records[0])]
    return find_two_lines(same, table_start(same)) if len(same) == len(records) > 2 else None


def _length(text: str, n_records: int, delimiter: str, quote: str) -> int:
    """Return how many characters the first records take."""
    lines = text.splitlines(keepends=True)
    reader, found = csv.reader(lines, delimiter=delimiter, quotechar=quote), 0
    while found < n_records:
        found += bool(next(reader))  # blank lines do not count
    return sum(map(len, lines[: reader.line_num]))


def _check_delimiter_occurs(records: Sequence[Sequence[str]], delimiter: str, name: str, *, given: bool) -> None:
    """Refuse a delimiter that a person gave and that divides nothing."""
    if given and all(len(record) == 1 for record in records):
        spoken = _SPOKEN.get(delimiter, repr(delimiter))
        raise TableError(
            f"The delimiter {spoken} does not occur in '{name}': its first line is '{shown(records[0][0])}'.",
            hint="Choose another, or leave it to be found.",
            option="delimiter",
        )


def _no_header_issue(first: Sequence[str]) -> Issue:
    """Say that the first row was taken as data."""
    fields = ", ".join(first[:4])
    return Issue(
        "no_header",
        f"The first row ({shown(fields)}) looks like data, so the columns are called 'column 1', 'column 2', ... "
        "If it holds the names, read the file again with its first line as column names.",
    )


def _width(first: Sequence[str], body: Sequence[Sequence[str]], header: bool) -> tuple[int, bool, bool]:
    """Return the fields of a row, whether each row ends with a delimiter, and whether row names lack a header."""
    usual = Counter(map(len, body)).most_common(1)[0][0] if body else len(first)
    tails_empty = all(row[-1].strip() == "" for row in body if len(row) == usual)
    if not header:
        width = max(usual, len(first)) if len(first) == usual else usual
        return width, width > 1 and tails_empty and first[-1].strip() == "", False
    if usual == len(first) + 1 and body:
        return usual, tails_empty, not tails_empty
    if usual == len(first) - 1 and first[-1].strip() == "":
        return usual, False, False
    return len(first), len(first) > 1 and tails_empty and first[-1].strip() == "", False
