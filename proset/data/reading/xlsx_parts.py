"""What an Excel workbook says outside its sheets: which there are, shared strings, which formats are dates."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field

from proset.data.reading.xlsx_package import Handler, Package, too_much

_MOST_STRINGS = 2_000_000
_MOST_FORMATS = 100_000  # Excel itself stops at 65,490
_MOST_SHEETS = 1_000
_SMALL_PART = 20_000_000
_WORKBOOK, _RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"

_DATE_IDS = frozenset((*range(14, 23), 45, 47))
_SPAN_IDS = frozenset((46,))
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True)
class Workbook:
    """What is written outside the sheets.

    Attributes
    ----------
    sheets : tuple of (str, str)
        Title and part of each, in order; charts are left out.
    strings, styles : str or None
        Parts.
    from_1904 : bool
        Whether days count from 1 January 1904.
    """

    sheets: tuple[tuple[str, str], ...]
    strings: str | None
    styles: str | None
    from_1904: bool


def read_workbook(package: Package) -> Workbook:
    """Read which sheets a workbook has and where its parts are.

    Parameters
    ----------
    package : Package
        The open file.

    Returns
    -------
    Workbook
        Parts that exist.
    """
    relations, book = _Relations(), _Sheets()
    if package.has(_RELATIONS):
        package.read(_RELATIONS, relations, most=_SMALL_PART)
    package.read(_WORKBOOK, book, most=_SMALL_PART)
    sheets = []
    for title, relation in book.found:
        kind, part = relations.found.get(relation, ("", ""))
        if kind == "worksheet" and package.has(part):
            sheets.append((title, part))
    parts = {kind: part for kind, part in relations.found.values() if package.has(part)}
    return Workbook(tuple(sheets), parts.get("sharedStrings"), parts.get("styles"), book.from_1904)


class _Relations(Handler):
    """Kind and part of each relation, by its id."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, tuple[str, str]] = {}
        self.begins = {"Relationship": self._relation}

    def _relation(self, attributes: dict[str, str]) -> None:
        target = attributes.get("Target", "")
        part = target[1:] if target.startswith("/") else posixpath.normpath(f"xl/{target}")
        self.found[attributes.get("Id", "")] = (attributes.get("Type", "").rpartition("/")[2], part)


class _Sheets(Handler):
    """Title and relation of each sheet."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.from_1904 = False
        self.begins = {"sheet": self._sheet, "workbookPr": self._properties}

    def _sheet(self, attributes: dict[str, str]) -> None:
        if len(self.found) < _MOST_SHEETS:
            relation = next((value for key, value in attributes.items() if key.rpartition(" ")[2] == "id"), "")
            self.found.append((attributes.get("name", ""), relation))

    def _properties(self, attributes: dict[str, str]) -> None:
        self.from_1904 = attributes.get("date1904", "0") in ("1", "true")


@dataclass
class Strings:
    """Shared strings.

    Attributes
    ----------
    texts : list of str
        By number.
    n_mended : int
        Strings with characters that no text can hold.
    """

    texts: list[str] = field(default_factory=list)
    n_mended: int = 0


def read_strings(package: Package, part: str | None) -> Strings:
    """Read the strings that cells refer to by number.

    Parameters
    ----------
    package : Package
        The open file.
    part : str or None
        Where they are; None means there are none.

    Returns
    -------
    Strings
        All of them.

    Raises
    ------
    TableError
        If there are more than three million.
    """
    handler = _StringTable(package.name)
    if part is not None:
        package.read(part, handler)
    return handler.strings


class _StringTable(Handler):
    """Collects strings; a string may be in pieces, and what tells how to pronounce it is no part of it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.strings = Strings()
        self._name = name
        self._pieces: list[str] = []
        self._aside = False
        self.begins = {"rPh": lambda _: self._set_aside(True)}
        self.ends = {"t": self._piece, "rPh": lambda: self._set_aside(False), "si": self._string}

    def _set_aside(self, aside: bool) -> None:
        self._aside = aside

    def _piece(self) -> None:
        if not self._aside:
            self._pieces += self.texts

    def _string(self) -> None:
        text, mended = unescape("".join(self._pieces))
        self._pieces.clear()
        self.strings.texts.append(text)
        self.filled += 1
        self.strings.n_mended += mended
        if len(self.strings.texts) > _MOST_STRINGS:
            raise too_much(self._name, f"more than {_MOST_STRINGS:,} shared strings")


def unescape(text: str) -> tuple[str, bool]:
    r"""Put the characters in that a workbook spells as ``_xHHHH_``.

    Parameters
    ----------
    text : str
        As it stands in the file.

    Returns
    -------
    text : str
        With the characters; half of a surrogate pair, which no text can hold, is U+FFFD.
    mended : bool
        Whether there was such a half.

    Examples
    --------
    >>> unescape("two_x000A_lines"), unescape("_xD83D__xDE00_"), unescape("_xD800_")
    (('two\nlines', False), ('😀', False), ('�', True))
    """
    if "_x" not in text:
        return text, False
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    if not _SURROGATE.search(text):
        return text, False
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text, "\ufffd" in text


def read_date_styles(package: Package, part: str | None) -> tuple[str, ...]:
    """Read what the formats of cells make of a number.

    Parameters
    ----------
    package : Package
        The open file.
    part : str or None
        Where the styles are; None means there are none.

    Returns
    -------
    tuple of str
        By number of the format: "date", "span" (a length of time) or "" (a plain number).

    Raises
    ------
    TableError
        If there are more than a hundred thousand.
    """
    handler = _Styles(package.name)
    if part is not None:
        package.read(part, handler, most=_SMALL_PART)
    kinds = {number: kind_of_format(code) for number, code in handler.codes.items()}
    kinds = dict.fromkeys(_DATE_IDS, "date") | dict.fromkeys(_SPAN_IDS, "span") | kinds
    return tuple(kinds.get(number, "") for number in handler.formats)


class _Styles(Handler):
    """Number formats, and which of them each cell format has."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.codes: dict[int, str] = {}
        self.formats: list[int] = []
        self._name = name
        self._inside = False
        self.begins = {"numFmt": self._code, "cellXfs": lambda _: self._set(True), "xf": self._format}
        self.ends = {"cellXfs": lambda: self._set(False)}

    def _set(self, inside: bool) -> None:
        self._inside = inside

    def _code(self, attributes: dict[str, str]) -> None:
        self.codes[int(attributes.get("numFmtId", "0"))] = attributes.get("formatCode", "")[:1_000]
        self._check(len(self.codes))

    def _format(self, attributes: dict[str, str]) -> None:
        if self._inside:
            self.formats.append(int(attributes.get("numFmtId", "0")))
            self._check(len(self.formats))

    def _check(self, count: int) -> None:
        if count > _MOST_FORMATS:
            raise too_much(self._name, f"more than {_MOST_FORMATS:,} cell formats")


def kind_of_format(code: str) -> str:
    """Tell what a number format makes of a number.

    Parameters
    ----------
    code : str
        Such as ``"dd/mm/yyyy"`` or ``"0.00"``.

    Returns
    -------
    str
        "date", "span" or "".

    Examples
    --------
    >>> kind_of_format("yyyy-mm-dd"), kind_of_format("[h]:mm"), kind_of_format('0.0 "days"'), kind_of_format("General")
    ('date', 'span', '', '')
    """
    first = code.partition(";")[0].lower()
    plain = re.sub(r'"[^"]*"?|\\.|[_*].|general', "", first)
    if re.search(r"\[(h+|m+|s+)\]", plain):
        return "span"
    return "date" if re.search(r"[dmyhs]", re.sub(r"\[[^\]]*\]", "", plain)) else ""
