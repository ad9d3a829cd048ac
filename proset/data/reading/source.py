"""Opening what a person hands over: a path or bytes, plain or compressed, and telling what kind of file it is.

The content decides, never the name: a picture called ``data.csv`` is refused as a picture. Nothing is unpacked to disk,
and unpacking stops at the limit, so that a small file cannot grow without bound.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.reading.dialect import Limits, in_megabytes

BLOCK = 1 << 20
"""Bytes read at a time."""

_GZIP, _ZIP, _PARQUET = b"\x1f\x8b", b"PK\x03\x04", b"PAR1"
_LONGEST_PATH = 1_000
_DIRECTORY_END = b"PK\x05\x06"
_LONGEST_TAIL = (1 << 16) + 22  # the record at the end of a zip, with the longest remark
_LARGEST_DIRECTORY = 1_000_000
_FOREIGN = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF": "a PDF document",
    b"MZ\x90": "a Windows program",
    b"\x7fELF": "a program",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"Rar!": "a RAR archive",
    b"SQLite format 3": "an SQLite database",
    b"\x89HDF": "an HDF5 file",
    b"\x93NUMPY": "a NumPy array",
    b"ARROW1": "an Arrow file",
    b"{\\rtf": "an RTF document",
    b"\xd0\xcf\x11\xe0": "an Excel file of the old kind (.xls), or one with a password",
    b"PK\x05\x06": "an empty zip archive",
}
_SAVE_AS = "Save the table as CSV, Excel (.xlsx) or Parquet and try again."


@dataclass(frozen=True)
class Source:
    """A file that was opened once and told apart: its bytes can be read again and again.

    Attributes
    ----------
    origin : Path or bytes
        Where the bytes come from.
    name : str
        The name a person knows it by; never used as a path.
    kind : str
        ``"csv"``, ``"excel"`` or ``"parquet"``.
    gzipped : bool
        Whether the text is compressed.
    """

    origin: Path | bytes
    name: str
    kind: str
    gzipped: bool

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Yield the bytes of the content, unpacked.

        Yields
        ------
        BinaryIO
            A stream at its beginning.
        """
        raw: BinaryIO = io.BytesIO(self.origin) if isinstance(self.origin, bytes) else self.origin.open("rb")
        with raw:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if self.gzipped else raw

    def blocks(self, *, max_bytes: int | None = None) -> Iterator[bytes]:
        """Yield the content block by block, unpacked.

        Parameters
        ----------
        max_bytes : int or None
            Stop with an error when the content is larger; None means no limit.

        Yields
        ------
        bytes
            At most one mebibyte.

        Raises
        ------
        TableError
            If the compressed content is damaged or larger than allowed.
        """
        total = 0
        with self.open() as stream:
            while block := read_block(stream, self.name):
                total += len(block)
                if max_bytes is not None and total > max_bytes:
                    raise TableError(
                        f"'{self.name}' is larger than {in_megabytes(max_bytes)} once unpacked.",
                        hint="Keep fewer rows or columns, or score it in chunks with 'proset score'.",
                    )
                yield block

    def fingerprint(self) -> str:
        """Return the SHA-256 of the file as it is, in hexadecimal.

        Returns
        -------
        str
            64 characters.
        """
        if isinstance(self.origin, bytes):
            return hashlib.sha256(self.origin).hexdigest()
        with self.origin.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


def read_block(stream: BinaryIO, name: str, size: int = BLOCK) -> bytes:
    """Read from a stream that may be compressed, and say so plainly if it is damaged.

    Parameters
    ----------
    stream : BinaryIO
        Where to read.
    name : str
        What to call the file in a message.
    size : int
        Most bytes to read.

    Returns
    -------
    bytes
        Empty at the end.

    Raises
    ------
    TableError
        If the compressed content is damaged or cut off.
    """
    try:
        return stream.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(
            f"'{name}' is a damaged gzip file and cannot be unpacked ({error}).", hint="Copy or download it again."
        ) from error


def open_source(source: str | Path | bytes, *, name: str | None = None, limits: Limits | None = None) -> Source:
    r"""Check a path or bytes and tell what kind of file it is.

    Parameters
    ----------
    source : str, Path or bytes
        A path, or the content of a file.
    name : str or None
        What to call it; by default the last part of the path.
    limits : Limits or None
        The size that is allowed; None means any.

    Returns
    -------
    Source
        The file, told apart by its first bytes.

    Raises
    ------
    TableError
        If there is no such file, it is empty, too large, or no table.

    Examples
    --------
    >>> open_source(b"a,b\n1,2\n", name="tiny.csv").kind
    'csv'
    """
    _, label = check_file(source, name=name, limits=limits)
    origin = bytes(source) if isinstance(source, bytes | bytearray | memoryview) else Path(source)
    head = _head_of(origin)
    gzipped = head.startswith(_GZIP)
    if gzipped:
        with Source(origin, label, "csv", gzipped).open() as stream:
            head = read_block(stream, label, 512)
        if not head:
            raise TableError(f"'{label}' is empty once unpacked.", hint="Check that the export finished.")
    return Source(origin, label, _kind_of(head, origin, label, gzipped), gzipped)


def check_file(source: str | Path | bytes, *, name: str | None = None, limits: Limits | None = None) -> tuple[int, str]:
    """Check that there is a file and that it is not too large, without looking inside.

    Parameters
    ----------
    source, name, limits
        As for :func:`open_source`.

    Returns
    -------
    size : int
        Its bytes.
    name : str
        What to call it.

    Raises
    ------
    TableError
        If there is no such file, it is empty or too large.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        size, label = len(source), name or "table"
    else:
        size, label = _size_of(Path(source)), name or Path(source).name
    label = shown(label, 255)
    if size == 0:
        raise TableError(f"'{label}' is empty.", hint="Check that the export finished, then try again.")
    if limits is not None and size > limits.max_bytes:
        raise TableError(
            f"'{label}' has {in_megabytes(size)}; the limit is {in_megabytes(limits.max_bytes)}.",
            hint="Keep fewer rows or columns, or score it in chunks with 'proset score'.",
        )
    return size, label


def is_plain_text(source: str | Path | bytes) -> bool:
    """Tell whether a file is what it is as it stands: no archive, no binary format.

    Parameters
    ----------
    source : str, Path or bytes
        A file that exists.

    Returns
    -------
    bool
        Judged by its first bytes.
    """
    is_bytes = isinstance(source, bytes | bytearray | memoryview)
    head = _head_of(bytes(source[:512]) if is_bytes else Path(source))  # type: ignore[index, arg-type]
    return not head.startswith((_GZIP, _ZIP, _PARQUET))


def _size_of(path: Path) -> int:
    """Return the size of a file that must exist."""
    try:
        if path.is_dir():
            raise TableError(f"'{shown(path, _LONGEST_PATH)}' is a folder, not a file.", hint="Name a file inside it.")
        return path.stat().st_size
    except FileNotFoundError as error:
        raise TableError(
            f"There is no file '{shown(path, _LONGEST_PATH)}'.", hint="Check the path and the spelling."
        ) from error
    except (OSError, ValueError) as error:
        raise TableError(
            f"'{shown(path, _LONGEST_PATH)}' cannot be opened ({error}).", hint="Check the path and its rights."
        ) from error


def _head_of(origin: Path | bytes) -> bytes:
    """Return the first bytes of a file as it is."""
    if isinstance(origin, bytes):
        return origin[:512]
    try:
        with origin.open("rb") as stream:
            return stream.read(512)
    except OSError as error:
        raise TableError(
            f"'{shown(origin, _LONGEST_PATH)}' cannot be opened ({error}).", hint="Check the path and its rights."
        ) from error


def _kind_of(head: bytes, origin: Path | bytes, name: str, gzipped: bool) -> str:
    """Tell CSV, Excel and Parquet apart by content; refuse what is none of them."""
    for magic, words in _FOREIGN.items():
        if head.startswith(magic):
            raise TableError(f"'{name}' is {words}, not a table.", hint=_SAVE_AS)
    if not head.startswith((_ZIP, _PARQUET)):
        return "csv"
    if gzipped:
        raise TableError(f"'{name}' holds a compressed Excel or Parquet file.", hint="Unpack it first and try again.")
    if head.startswith(_PARQUET):
        return "parquet"
    _check_directory(origin, name)
    try:
        with zipfile.ZipFile(io.BytesIO(origin) if isinstance(origin, bytes) else origin) as archive:
            if "xl/workbook.xml" in archive.namelist():
                return "excel"
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise TableError(
            f"'{name}' is a damaged Excel or zip file ({error}).", hint="Copy or download it again."
        ) from error
    raise TableError(f"'{name}' is a zip archive, not a table.", hint="Unpack it and choose one table inside.")


def _check_directory(origin: Path | bytes, name: str) -> None:
    """Refuse a zip with very many members before its directory, which takes long to read, is read."""
    if isinstance(origin, bytes):
        tail = origin[-_LONGEST_TAIL:]
    else:
        with origin.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, io.SEEK_END) - _LONGEST_TAIL))
            tail = stream.read()
    at = len(tail) - 22 if tail[-22:-18] == _DIRECTORY_END and tail.endswith(b"\0\0") else tail.rfind(_DIRECTORY_END)
    size = int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
    if size > _LARGEST_DIRECTORY:
        raise TableError(f"'{name}' is a zip archive with very many members, not a table.", hint=_SAVE_AS)
