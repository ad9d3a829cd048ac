"""Opening what a person hands over: a path or bytes, plain or compressed, and telling what kind of file it is.

The content decides, never the name: a picture called ``data.csv`` is refused as a picture. Nothing is unpacked to disk,
and unpacking stops at the limit, so that a small file cannot grow without bound.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.reading.dialect import Limits, in_megabytes
from proset.data.reading.file_kind import GZIP, is_plain, kind_of

BLOCK = 1 << 20
"""Bytes read at a time."""

_LONGEST_PATH = 1_000


@dataclass(frozen=True)
class FileSource:
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
        """Yield a stream of the content, unpacked, at its beginning."""
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
                        hint="Keep fewer rows or columns.",
                    )
                yield block

    def fingerprint(self) -> str:
        """Return the SHA-256 of the file as it is: 64 hexadecimal digits."""
        if isinstance(self.origin, bytes):
            return hashlib.sha256(self.origin).hexdigest()
        with self.origin.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()


def read_block(stream: BinaryIO, name: str, size: int = BLOCK) -> bytes:
    """Read from a stream that may be compressed; raises TableError if it is damaged or cut off."""
    try:
        return stream.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(
            f"'{name}' is a damaged gzip file and cannot be unpacked ({error}).", hint="Copy or download it again."
        ) from error


def open_source(source: str | Path | bytes, *, name: str | None = None, limits: Limits | None = None) -> FileSource:
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
    FileSource
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
    gzipped = head.startswith(GZIP)
    if gzipped:
        with FileSource(origin, label, "csv", gzipped).open() as stream:
            head = read_block(stream, label, 512)
        if not head:
            raise TableError(f"'{label}' is empty once unpacked.", hint="Check that the export finished.")
    return FileSource(origin, label, kind_of(head, origin, label, gzipped), gzipped)


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
            hint="Keep fewer rows or columns.",
        )
    return size, label


def is_plain_text(source: str | Path | bytes) -> bool:
    """Tell by its first bytes whether a file is what it is as it stands: no archive, no binary format."""
    is_bytes = isinstance(source, bytes | bytearray | memoryview)
    head = _head_of(bytes(source[:512]) if is_bytes else Path(source))  # type: ignore[index, arg-type]
    return is_plain(head)


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
