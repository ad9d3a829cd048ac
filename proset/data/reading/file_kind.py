"""Telling from its content what kind of file a file is; its name is never believed."""

from __future__ import annotations

import io
import zipfile
from codecs import BOM_UTF8
from pathlib import Path

from proset.common.errors import TableError

GZIP, _ZIP, _PARQUET, _OLD_OFFICE = b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"\xd0\xcf\x11\xe0"
_DIRECTORY_END = b"PK\x05\x06"
_OPEN_DOCUMENT = b"application/vnd.oasis.opendocument.spreadsheet"
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
    b"PK\x05\x06": "an empty zip archive",
}
_WEB_PAGE = (b"<!doctype html", b"<html")  # what is often saved where a download asked for a password first
_SAVE_AS = "Save the table as CSV, Excel (.xlsx) or Parquet and try again."


def is_zip(head: bytes) -> bool:
    """Tell a zip, such as .xlsx and .ods, by its first bytes."""
    return head.startswith(_ZIP)


def is_plain(head: bytes) -> bool:
    """Tell from the first bytes of a file whether it is what it is as it stands: no archive, no Parquet."""
    return not head.startswith((GZIP, _ZIP, _PARQUET, _OLD_OFFICE))


def kind_of(head: bytes, origin: Path | bytes, name: str, gzipped: bool) -> str:
    """Tell CSV, Excel and Parquet apart by content; refuse what is none of them.

    Parameters
    ----------
    head : bytes
        The first bytes, unpacked.
    origin : Path or bytes
        All of them, as they are.
    name : str
        What to call the file in a message.
    gzipped : bool
        Whether the content was packed.

    Returns
    -------
    str
        ``"csv"``, ``"excel"`` or ``"parquet"``.

    Raises
    ------
    TableError
        If it is a picture, a program, an archive or damaged; names the kind.
    """
    for magic, words in _FOREIGN.items():
        if head.startswith(magic):
            raise TableError(f"'{name}' is {words}, not a table.", hint=_SAVE_AS)
    if head.removeprefix(BOM_UTF8).lstrip().lower().startswith(_WEB_PAGE):
        raise TableError(
            f"'{name}' is a web page (HTML), not a table, whatever its name says.",
            hint="Look at it in a browser: it may ask to sign in. A table on it can be opened in a spreadsheet program"
            " and saved as CSV or Excel (.xlsx).",
        )
    if not head.startswith((_ZIP, _PARQUET, _OLD_OFFICE)):
        return "csv"
    if gzipped:
        raise TableError(f"'{name}' holds a compressed Excel or Parquet file.", hint="Unpack it first and try again.")
    if head.startswith(_PARQUET):
        return "parquet"
    if head.startswith(_OLD_OFFICE):
        return "excel"
    _check_directory(origin, name)
    try:
        with zipfile.ZipFile(io.BytesIO(origin) if isinstance(origin, bytes) else origin) as archive:
            if "xl/workbook.xml" in archive.NameToInfo or _is_open_document(archive):
                return "excel"
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise TableError(
            f"'{name}' is a damaged Excel or zip file ({error}).", hint="Copy or download it again."
        ) from error
    raise TableError(f"'{name}' is a zip archive, not a table.", hint="Unpack it and choose one table inside.")


def _is_open_document(archive: zipfile.ZipFile) -> bool:
    """Tell whether a zip is a spreadsheet of OpenOffice or LibreOffice (.ods)."""
    if "mimetype" not in archive.NameToInfo or archive.NameToInfo["mimetype"].file_size > len(_OPEN_DOCUMENT):
        return False
    return archive.read("mimetype") == _OPEN_DOCUMENT


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
