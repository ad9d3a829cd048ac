"""The parts of an Excel workbook: which sheets there are, shared strings, and which formats are dates.

A workbook is a zip of XML. Only the parts that a table needs are unpacked, as a stream, and everything that grows is
counted while it is read: bytes, elements, strings, formats, depth. So a small file cannot become a large one.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from xml.parsers import expat

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.reading.dialect import in_megabytes

_BLOCK = 1 << 16
_BARREN = 3_000_000  # elements that may hold nothing, such as empty cells; one that holds something brings four more
_LONGEST = 1_000_000  # characters of a text; Excel itself stops at 32,767
_MOST_STRINGS = 2_000_000
_MOST_FORMATS = 100_000  # Excel itself stops at 65,490
_MOST_SHEETS = 1_000
_DEEPEST = 50
_SMALL_PART = 20_000_000
_WORKBOOK, _RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"

_SPACES = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
)
_DATE_IDS = frozenset((*range(14, 23), 45, 47))
_SPAN_IDS = frozenset((46,))
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Handler:
    """What happens at the elements of a part; other elements only count towards the depth."""

    #: Method for the begin and the end of each element, by its local name.
    begins: dict[str, Callable[[dict[str, str]], None]]
    ends: dict[str, Callable[[], None]]

    def __init__(self) -> None:
        self.begins, self.ends = {}, {}
        self.texts: list[str] = []  # since the last element began
        self.filled = 0  # elements that hold something


@dataclass
class Package:
    """The zip of a workbook, with what was read of it so far.

    Attributes
    ----------
    archive : ZipFile
        The open zip.
    name : str
        What to call the file in a message.
    max_bytes : int
        Bytes that may be unpacked, over all parts that are read.
    """

    archive: zipfile.ZipFile
    name: str
    max_bytes: int
    _bytes: int = 0
    _elements: int = 0
    _filled: int = 0

    def has(self, part: str) -> bool:
        """Tell whether there is such a part."""
        return part in self.archive.NameToInfo

    def read(self, part: str, handler: Handler, *, most: int | None = None) -> None:
        """Go through a part once.

        Parameters
        ----------
        part : str
            Its path in the zip.
        handler : Handler
            Is told of the elements; it may raise :class:`Enough` to stop early.
        most : int or None
            Bytes that this part may unpack to, if that is less than what is left for all of them.

        Raises
        ------
        TableError
            If the part, or all parts so far, are larger than allowed or declare entities.
        """
        parser = self._parser(handler)
        size = self.archive.getinfo(part).file_size  # as declared; zipfile unpacks no more than that
        allowed = min(self.max_bytes - self._bytes, self.max_bytes if most is None else most)
        if size > allowed:
            raise TableError(
                f"'{self.name}' unpacks to {in_megabytes(size)} in its part '{shown(part)}'; the limit is"
                f" {in_megabytes(allowed)}.",
                hint="Keep fewer rows or columns, or save the sheet as CSV or Parquet.",
            )
        self._bytes += size
        with self.archive.open(part) as stream:
            try:
                while block := stream.read(_BLOCK):
                    parser.Parse(block)
                    if sum(map(len, handler.texts)) > _LONGEST:
                        raise too_much(self.name, f"a text of more than {_LONGEST:,} characters")
                parser.Parse(b"", True)
            except Enough:
                pass
        self._filled += handler.filled

    def _parser(self, handler: Handler) -> expat.XMLParserType:
        """A parser that calls the handler."""
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text, parser.buffer_size = True, _BLOCK
        spaces = [
            "",
            *(f"{space} " for space in (*_SPACES, "http://schemas.openxmlformats.org/package/2006/relationships")),
        ]
        begins = {space + local: call for local, call in handler.begins.items() for space in spaces}
        ends = {space + local: call for local, call in handler.ends.items() for space in spaces}
        depth, texts = 0, handler.texts

        def begin(element: str, attributes: dict[str, str]) -> None:
            nonlocal depth
            depth += 1
            self._elements += 1
            texts.clear()
            if depth > _DEEPEST or self._elements > _BARREN + 4 * (self._filled + handler.filled):
                raise too_much(self.name, "too many rows or cells that hold nothing")
            if call := begins.get(element):
                call(attributes)

        def end(element: str) -> None:
            nonlocal depth
            depth -= 1
            if call := ends.get(element):
                call()

        def refuse(*_: object) -> None:
            raise TableError(
                f"'{self.name}' declares a document type, which no workbook does.",
                hint="Open it in Excel and save it again.",
            )

        parser.StartElementHandler, parser.EndElementHandler = begin, end
        parser.CharacterDataHandler = handler.texts.append
        parser.StartDoctypeDeclHandler = refuse
        return parser


class Enough(Exception):  # noqa: N818  no error: a sign, like StopIteration
    """A handler has seen what it needs."""


def too_much(name: str, found: str) -> TableError:
    """Build the refusal of a workbook that is too large inside."""
    return TableError(
        f"'{name}' is too large for a workbook: it has {found}.",
        hint="Keep fewer rows or columns, or save the sheet as CSV or Parquet.",
    )


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
