"""The zip of an Excel workbook: its parts are unpacked as streams of XML, under limits.

Only the parts that a table needs are unpacked, and everything that grows is counted while it is read: bytes, elements,
depth, the length of a text. So a small file cannot become a large one.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from xml.parsers import expat

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.reading.dialect import in_megabytes

_BLOCK = 1 << 16
_BARREN = 3_000_000  # elements that may hold nothing, such as empty cells; one that holds something brings four more
_LONGEST = 1_000_000  # characters of a text; Excel itself stops at 32,767
_DEEPEST = 50
_SPACES = (
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
    "http://purl.oclc.org/ooxml/spreadsheetml/main",
    "http://schemas.openxmlformats.org/package/2006/relationships",
)


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
        """Return a parser that calls the handler."""
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
