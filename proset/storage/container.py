"""The outer shell of a saved study: a zip file whose members are declared, hashed and bounded in size.

Nothing is unpacked before somebody asks for it, so a member that no part of a study needs costs nothing.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO

from proset.common.checked_json import sound
from proset.common.errors import StorageError
from proset.common.words import shown
from proset.storage.limits import StorageLimits

STUDY_KIND, RESULT_KIND, TABLE_KIND = "proset study", "proset result", "proset table"
"""Kinds of files: a whole study, one without the values of its table, or a table alone."""

OLDEST_FORMAT, USUAL_FORMAT, NUMBER_FORMAT = 1, 5, 6
"""Studies of a number are written in a format of their own, which programs from before do not know."""
NEWEST_FORMAT = NUMBER_FORMAT

MANIFEST, STUDY = "manifest.json", "study.json"
_DAMAGED = "Save the study again, or fetch the file again."
_EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed time stamp: the same study gives the same bytes
_CHUNK = 1 << 20
_LARGEST_DIRECTORY = 4 << 20  # bytes; an entry of a saved study has some 120
_NAME = re.compile(r"[a-z_]{1,40}(/[a-z0-9_]{1,80})?\.(json|npy)")
_ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError,
    OverflowError,
)  # fmt: skip


class Members(Mapping[str, bytes | bytearray]):
    """The members of an open zip file by name, the manifest left out; each is unpacked and checked when asked for.

    Parameters
    ----------
    archive : ZipFile
        Open for reading, and for as long as this is used.
    infos : mapping of str to ZipInfo
        Its directory, checked.
    declared : mapping of str to (int, str)
        Size and hash of each member as the manifest states them.
    """

    def __init__(
        self, archive: zipfile.ZipFile, infos: Mapping[str, zipfile.ZipInfo], declared: Mapping[str, tuple[int, str]]
    ) -> None:
        self._archive, self._infos, self._declared = archive, infos, declared

    def __getitem__(self, name: str) -> bytearray:
        self._declared[name]
        content = bytearray()  # so that arrays can be made of it in place
        for piece in self.pieces(name):
            content += piece
        return content

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)

    def __contains__(self, name: object) -> bool:
        return name in self._declared

    def size(self, names: Iterable[str]) -> int:
        """Return the size of some members together, unpacked."""
        return sum(self._infos[name].file_size for name in names)

    def pieces(self, name: str) -> Iterator[bytes]:
        """Unpack a member a megabyte at a time; the last piece comes before the hash of the whole is compared."""
        size, digest = 0, hashlib.sha256()
        for piece in _unpacked(self._archive, self._infos[name]):
            size += len(piece)
            digest.update(piece)
            yield piece
        if (size, digest.hexdigest()) != self._declared[name]:
            raise StorageError(f"The file is damaged: member {name!r} has changed since saving.", hint=_DAMAGED)


@dataclass(frozen=True)
class Contents:
    """Contents of a saved study.

    Attributes
    ----------
    members : Members
        Content by name.
    format_version : int
        The format that the manifest states.
    """

    members: Members
    format_version: int


def pack(
    members: Mapping[str, bytes | bytearray],
    *,
    written_by: str,
    format_version: int = USUAL_FORMAT,
    kind: str = STUDY_KIND,
) -> bytes:
    """Return a zip file of members and of a manifest that declares them.

    The same members give the same bytes. `kind` is :data:`STUDY_KIND` or :data:`RESULT_KIND`.

    Examples
    --------
    >>> dict(unpack(pack({"a.json": b"{}"}, written_by="1.0")).members)
    {'a.json': bytearray(b'{}')}
    """
    declared = {name: {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in members.items()}
    manifest = {"format": kind, "format_version": format_version, "written_by": written_by, "members": declared}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in {MANIFEST: write_json(manifest), **members}.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED, compresslevel=1)
    return buffer.getvalue()


def unpack(source: bytes | BinaryIO, *, limits: StorageLimits | None = None, kind: str = STUDY_KIND) -> Contents:
    """Open a saved study after checking that its members are exactly the declared ones.

    Parameters
    ----------
    source : bytes or binary file
        A whole file; an open one has to stay open for as long as members are asked for.
    limits : StorageLimits or None
        How much is read at most; None for the defaults.
    kind : str
        What it has to be, :data:`STUDY_KIND` or :data:`RESULT_KIND`.

    Returns
    -------
    Contents
        Nothing but the manifest has been unpacked.

    Raises
    ------
    StorageError
        If the file is no saved study, is newer than this program, or is damaged; when a member is asked for, if that
        is. The hashes detect damage; they do not prove who wrote the file, so nothing in it is ever executed.

    Examples
    --------
    >>> unpack(b"")
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: The file is empty. Save the study again, or fetch the file again.
    """
    limits = limits or StorageLimits()
    file = _Bounded(io.BytesIO(source) if isinstance(source, bytes | bytearray) else source)
    if not file.size:
        raise StorageError("The file is empty.", hint=_DAMAGED)
    with _in_words(zipped=file.start == b"PK"):
        archive = zipfile.ZipFile(file)
    infos = _checked_infos(archive, limits, file.size)
    manifest = _read_manifest(archive, infos, limits, kind)
    declared = _declared(manifest)
    _same_names(set(infos) - {MANIFEST}, set(declared))
    return Contents(Members(archive, infos, declared), manifest["format_version"])


def write_json(value: Any) -> bytes:
    """Return compact JSON in ASCII; lone surrogates become U+FFFD, and nan and infinity are refused (ValueError)."""
    return json.dumps(sound(value), allow_nan=False, separators=(",", ":")).encode("ascii")


class _Bounded:
    """A file that gives little at once: the directory of a zip file is read whole, before anything can be checked."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size = file.seek(0, io.SEEK_END)
        file.seek(0)
        self.start = file.read(2)
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        """Read as a file does."""
        wanted = self.size - self.tell() if size is None or size < 0 else size
        if wanted > _LARGEST_DIRECTORY:
            raise StorageError("The file holds many more members than a saved study has; it is not read.")
        return self._file.read(wanted)


@contextmanager
def _in_words(*, zipped: bool = True) -> Iterator[None]:
    """Say in words what is wrong with a zip file, or that the file is none."""
    try:
        yield
    except StorageError:
        raise
    except MemoryError as error:
        raise StorageError("There is not enough memory to open the study.") from error
    except _ZIP_ERRORS as error:
        if not zipped:
            raise StorageError(
                "This is not a saved study.", hint="Choose a .proset file, as saved on the Fit page or by 'proset fit'."
            ) from error
        raise StorageError("The file is damaged or cut off.", hint=_DAMAGED) from error


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Iterator[bytes]:
    """Unpack a member; never more than the size that the directory states, whatever the packed bytes claim."""
    with _in_words(), archive.open(info) as stream:
        while piece := stream.read(_CHUNK):
            yield piece


def _checked_infos(archive: zipfile.ZipFile, limits: StorageLimits, size: int) -> dict[str, zipfile.ZipInfo]:
    """Return the zip directory by name, after checks that need no reading of members."""
    infos = archive.infolist()
    if len(infos) > limits.max_members:
        raise StorageError(f"The file has {len(infos):,} members; at most {limits.max_members:,} are read.")
    by_name = {info.filename: info for info in infos}
    if len(by_name) != len(infos):
        raise StorageError("The file holds two members of the same name; it is not read.")
    if MANIFEST not in by_name:
        raise StorageError("This zip file is not a saved study: it has no manifest.")
    limits.check_total(sum(info.file_size for info in infos))
    for info in infos:
        if not _NAME.fullmatch(info.filename):
            raise no_part(info.filename)
        if info.flag_bits & 0x1:
            raise StorageError("The file is encrypted; a saved study never is.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise StorageError(f"Member {info.filename!r} is packed in a way that a saved study never is.")
        if info.file_size > limits.largest(info.filename):
            raise StorageError(f"Member {info.filename!r} is larger than a saved study needs; it is not read.")
    if sum(info.compress_size for info in infos) > size:
        raise StorageError("The file is damaged: its members overlap.", hint=_DAMAGED)
    return by_name


def _read_manifest(
    archive: zipfile.ZipFile, infos: Mapping[str, zipfile.ZipInfo], limits: StorageLimits, kind: str
) -> Mapping[str, Any]:
    """Read the manifest, of this format and in a version that this program knows."""
    manifest = limits.parse(b"".join(_unpacked(archive, infos[MANIFEST])), MANIFEST)
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found == RESULT_KIND != kind:
        raise StorageError("The file holds a study without its table.", hint="Fit again and save the whole study.")
    if found == STUDY_KIND != kind:
        raise StorageError("The file holds a whole study, not a result.", hint="Open it as a study.")
    if found == TABLE_KIND != kind:
        raise StorageError("The file holds a table without a model.", hint="Fit a model and save the study.")
    if found != kind:
        raise StorageError("This zip file is not a saved study: its manifest is of another kind.")
    number = manifest.get("format_version")
    if not isinstance(number, int) or isinstance(number, bool) or number < OLDEST_FORMAT:
        raise StorageError("The file is damaged: its manifest states no format version.", hint=_DAMAGED)
    if number > NEWEST_FORMAT:
        raise StorageError(
            f"The file was made by a newer version of proset ({shown(manifest.get('written_by'))}, format {number}).",
            hint=f"This version reads up to format {NEWEST_FORMAT}: update proset, or save the study in this version.",
        )
    return manifest


def _declared(manifest: Mapping[str, Any]) -> dict[str, tuple[int, str]]:
    """Return size and hash by member name, as the manifest states them."""
    members = manifest.get("members")
    if not isinstance(members, dict) or not all(isinstance(entry, dict) for entry in members.values()):
        raise StorageError("The file is damaged: its manifest lists no members.", hint=_DAMAGED)
    return {name: (entry.get("size", -1), entry.get("sha256", "")) for name, entry in members.items()}


def _same_names(present: set[str], declared: set[str]) -> None:
    """Refuse members that are missing or that nobody declared."""
    if declared - present:
        raise StorageError(f"The file is damaged: member '{shown(min(declared - present))}' is missing.", hint=_DAMAGED)
    if present - declared:
        raise no_part(min(present - declared))


def no_part(name: str) -> StorageError:
    """Return the error for a member that does not belong to a study."""
    return StorageError(f"The file holds '{shown(name)}', which is no part of a saved study.")
