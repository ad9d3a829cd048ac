"""Opening delimited text: its encoding, its layout and the names of its columns."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.issues import Issue, Severity
from proset.data.reading.dialect import Dialect, Limits, too_many_columns
from proset.data.reading.encoding import check_encoding, find_encoding
from proset.data.reading.legacy import Guess
from proset.data.reading.names import clean_names, numbered_names
from proset.data.reading.rows import RaggedRows, TextBatch, TextRows
from proset.data.reading.sniff import LONGEST_LINE, SAMPLE_CHARACTERS, Layout, sniff_layout
from proset.data.reading.source import FileSource, read_block
from proset.data.reading.text_rows import TextReader
from proset.data.reading.utf8_stream import Utf8Stream

ROW_NAMES = "row name"
_ENOUGH_LINES = 10
_UNICODE = ("utf-8", "utf-16", "utf-32")


@dataclass(frozen=True)
class TextFile(TextRows):
    """Delimited text whose way of writing is known.

    Attributes
    ----------
    source : FileSource
        The file.
    layout : Layout
        Its delimiter, header and so on.
    """

    source: FileSource
    layout: Layout

    def batches(self, ragged: RaggedRows) -> Iterator[TextBatch]:
        """Yield the rows in order."""
        with self.source.open() as raw:
            layout = self.layout
            stream = Utf8Stream(
                raw,
                self.dialect.encoding or "",
                name=self.source.name,
                wrapped=layout.wrapped,
                escaped=layout.escaped,
                skip=layout.skip,
            )
            yield from TextReader(stream, layout, self.source.name, ragged).batches()


def open_text(source: FileSource, wanted: Dialect, limits: Limits | None) -> TextFile:
    """Find how a text file is written; takes and raises what :func:`~proset.data.reading.content.open_content` does."""
    name = source.name
    blocks = source.blocks(max_bytes=limits.max_bytes if limits is not None else None)
    known = wanted.encoding
    guess = find_encoding(blocks, name=name) if known is None else Guess(check_encoding(known))
    encoding = guess.encoding
    if source.gzipped and limits is not None:  # to the end, for only then the unpacked size is known
        deque(blocks, maxlen=0)
    sample, complete = _sample(source, encoding)
    most = (limits or Limits()).max_columns
    layout = sniff_layout(
        sample,
        delimiter=wanted.delimiter,
        decimal=_check_decimal(wanted.decimal),
        header=wanted.header,
        name=name,
        complete=complete,
        most=most,
    )
    if layout.width > most:
        raise too_many_columns(name, layout.width, most)
    names, issues = _names(layout)
    unnamed = frozenset(issue.column for issue in issues if issue.code == "unnamed_column" and issue.column)
    if not layout.header and layout.trailing:
        unnamed = frozenset(names[-1:])
    dialect = Dialect("csv", encoding, layout.delimiter, layout.decimal, layout.header)
    told = () if known is not None or (guess.sure and encoding.startswith(_UNICODE)) else (guess.issue(),)
    return TextFile(names, unnamed, dialect, (*told, *layout.issues, *issues), source, layout)


def _sample(source: FileSource, encoding: str) -> tuple[str, bool]:
    """Return the beginning of the text and whether it is all of it."""
    with source.open() as raw:
        stream = Utf8Stream(raw, encoding, name=source.name)
        parts, size, lines = [], 0, 0
        complete = False
        while size < SAMPLE_CHARACTERS or (lines < _ENOUGH_LINES and size < LONGEST_LINE):
            part = read_block(stream, source.name, SAMPLE_CHARACTERS)  # type: ignore[arg-type]
            if not part:
                complete = True
                break
            parts.append(part)
            size, lines = size + len(part), lines + part.count(b"\n") + part.count(b"\r")
    return b"".join(parts).decode("utf-8", "ignore"), complete


def _names(layout: Layout) -> tuple[tuple[str, ...], tuple[Issue, ...]]:
    """Return one name per column of the layout."""
    if not layout.header:
        return numbered_names(layout.width), ()
    given = list(layout.first[: layout.width])
    if layout.row_names:
        text = "The header has one name fewer than the rows have fields; the first column is taken for row names."
        names, issues = clean_names([ROW_NAMES, *given])
        return names, (Issue("row_names", text, names[0], Severity.INFO), *issues)
    return clean_names(given + [""] * (layout.width - len(given)))


def _check_decimal(decimal: str | None) -> str | None:
    """Check a decimal mark that a person gave."""
    if decimal not in (None, ".", ","):
        raise TableError(
            f"The decimal mark '{shown(decimal)}' cannot be used.", hint="Give '.' or ','.", option="decimal"
        )
    return decimal
