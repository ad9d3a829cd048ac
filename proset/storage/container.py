"""The outer shell of a saved study: a zip file whose members are declared, hashed and bounded in size."""

from __future__ import annotations

import hashlib
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from proset.common.errors import StorageError

STUDY_KIND, RESULT_KIND = "proset study", "proset result"
"""What a file holds: a whole study, or one without the values of its table."""

OLDEST_FORMAT, NEWEST_FORMAT = 1, 2
"""Format 2 is format 1 with the search that chose the settings, and is written only for a study that has one."""

MANIFEST = "manifest.json"
_DAMAGED = "Save the study again, or fetch the file again."
_EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed time stamp: the same study gives the same bytes
_ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError,
    OverflowError, MemoryError,
)  # fmt: skip


@dataclass(frozen=True)
class StorageLimits:
    """How much a saved study may hold before it is refused.

    Attributes
    ----------
    max_bytes : int
        Size of all members unpacked.
    max_members : int
        Number of members.
    max_json_bytes : int
        Size of one JSON member.
    """

    max_bytes: int = 8 << 30
    max_members: int = 20_000
    max_json_bytes: int = 256 << 20


@dataclass(frozen=True)
class Contents:
    """What a saved study holds.

    Attributes
    ----------
    members : mapping of str to bytes
        Content by name, without the manifest.
    format_version : int
        The format that the manifest states.
    """

    members: Mapping[str, bytes]
    format_version: int


def pack(
    members: Mapping[str, bytes], *, written_by: str, format_version: int = OLDEST_FORMAT, kind: str = STUDY_KIND
) -> bytes:
    """Return a zip file of members and of a manifest that declares them.

    Parameters
    ----------
    members : mapping of str to bytes
        Content by name.
    written_by : str
        Version of this program.
    format_version : int
        The oldest format that can hold the members, so that earlier versions of this program read what they can.
    kind : str
        :data:`STUDY_KIND` or :data:`RESULT_KIND`.

    Returns
    -------
    bytes
        The same members give the same bytes.

    Examples
    --------
    >>> unpack(pack({"a.json": b"{}"}, written_by="1.0")).members
    {'a.json': b'{}'}
    """
    declared = {name: {"size": len(data), "sha256": _digest(data)} for name, data in members.items()}
    manifest = {"format": kind, "format_version": format_version, "written_by": written_by, "members": declared}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in {MANIFEST: write_json(manifest), **members}.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = 0o644 << 16
            archive.writestr(info, data, zipfile.ZIP_DEFLATED, compresslevel=1)
    return buffer.getvalue()


def unpack(data: bytes, *, limits: StorageLimits | None = None, kind: str = STUDY_KIND) -> Contents:
    """Return the members of a saved study after checking that they are exactly the declared ones.

    Parameters
    ----------
    data : bytes
        A whole file.
    limits : StorageLimits or None
        How much is read at most.
    kind : str
        What it has to be, :data:`STUDY_KIND` or :data:`RESULT_KIND`.

    Returns
    -------
    Contents

    Raises
    ------
    StorageError
        If the file is no saved study, is newer than this program, or is damaged.
        The hashes detect damage; they do not prove who wrote the file, so nothing in it is ever executed.

    Examples
    --------
    >>> unpack(b"")
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: The file is empty. Save the study again, or fetch the file again.
    """
    limits = limits or StorageLimits()
    if not data:
        raise StorageError("The file is empty.", hint=_DAMAGED)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = _checked_infos(archive, limits)
            manifest = _read_manifest(archive, infos, kind)
            declared = _declared(manifest)
            _same_names(set(infos) - {MANIFEST}, set(declared))
            members = {name: _read_member(archive, infos[name], declared[name]) for name in declared}
            return Contents(members, manifest["format_version"])
    except StorageError:
        raise
    except _ZIP_ERRORS as error:
        if not data.startswith(b"PK"):
            raise StorageError(
                "This is not a saved study.", hint="Choose a .proset file, as saved on the Fit page or by 'proset fit'."
            ) from error
        raise StorageError("The file is damaged or cut off.", hint=_DAMAGED) from error


def write_json(value: Any) -> bytes:
    """Return compact JSON in ASCII; numbers that JSON does not have (nan, infinity) are refused."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")


def read_json(data: bytes, name: str) -> Any:
    """Return the value of a JSON member.

    Parameters
    ----------
    data : bytes
        The member.
    name : str
        Its name, for messages.

    Returns
    -------
    dict, list, str, int, float, bool or None

    Raises
    ------
    StorageError
        If it is nested beyond reason, or not JSON.

    Examples
    --------
    >>> read_json(b"[1, NaN]", "study.json")
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: Member 'study.json' is damaged: it is not valid JSON.
    """
    try:
        return json.loads(data.decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise StorageError(f"Member '{name}' is damaged: it is not valid JSON.") from error


def _no_constant(text: str) -> None:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(text)


def _digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _checked_infos(archive: zipfile.ZipFile, limits: StorageLimits) -> dict[str, zipfile.ZipInfo]:
    """The zip directory by name, after checks that need no reading of members."""
    infos = archive.infolist()
    if len(infos) > limits.max_members:
        raise StorageError(f"The file has {len(infos)} members; at most {limits.max_members} are read.")
    total = sum(info.file_size for info in infos)
    if total > limits.max_bytes:
        raise StorageError(
            f"The file unpacks to {total / 1e6:,.0f} MB; at most {limits.max_bytes / 1e6:,.0f} MB are read."
        )
    by_name = {info.filename: info for info in infos}
    if len(by_name) != len(infos):
        raise StorageError("The file holds two members of the same name; it is not read.")
    for info in infos:
        if info.filename.endswith(".json") and info.file_size > limits.max_json_bytes:
            raise StorageError(f"Member {info.filename!r} is larger than a saved study needs; it is not read.")
        if info.flag_bits & 0x1:
            raise StorageError("The file is encrypted; a saved study never is.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise StorageError(f"Member {info.filename!r} is packed in a way that a saved study never is.")
    return by_name


def _read_manifest(archive: zipfile.ZipFile, infos: Mapping[str, zipfile.ZipInfo], kind: str) -> Mapping[str, Any]:
    """The manifest of this format in a version that this program knows."""
    if MANIFEST not in infos:
        raise StorageError("This zip file is not a saved study: it has no manifest.")
    manifest = read_json(_read_bounded(archive, infos[MANIFEST]), MANIFEST)
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found == RESULT_KIND != kind:
        raise StorageError("The file holds a study without its table.", hint="Fit again and save the whole study.")
    if found == STUDY_KIND != kind:
        raise StorageError("The file holds a whole study, not a result.", hint="Open it as a study.")
    if found != kind:
        raise StorageError("This zip file is not a saved study: its manifest is of another kind.")
    number = manifest.get("format_version")
    if not isinstance(number, int) or isinstance(number, bool) or number < OLDEST_FORMAT:
        raise StorageError("The file is damaged: its manifest states no format version.", hint=_DAMAGED)
    if number > NEWEST_FORMAT:
        raise StorageError(
            f"The file was made by a newer version of proset ({manifest.get('written_by')}, format {number}).",
            hint=f"This version reads up to format {NEWEST_FORMAT}: update proset, or save the study in this version.",
        )
    return manifest


def _declared(manifest: Mapping[str, Any]) -> dict[str, tuple[int, str]]:
    """Size and hash by member name, as the manifest states them."""
    members = manifest.get("members")
    if not isinstance(members, dict) or not all(isinstance(entry, dict) for entry in members.values()):
        raise StorageError("The file is damaged: its manifest lists no members.", hint=_DAMAGED)
    return {name: (entry.get("size", -1), entry.get("sha256", "")) for name, entry in members.items()}


def _same_names(present: set[str], declared: set[str]) -> None:
    """Refuse members that are missing or that nobody declared."""
    if declared - present:
        raise StorageError(f"The file is damaged: member {min(declared - present)!r} is missing.", hint=_DAMAGED)
    if present - declared:
        raise StorageError(f"The file holds {min(present - declared)!r}, which is no part of a saved study.")


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, declared: tuple[int, str]) -> bytes:
    """One member, if size and hash are as declared."""
    data = _read_bounded(archive, info)
    if (len(data), _digest(data)) != declared:
        raise StorageError(f"The file is damaged: member {info.filename!r} has changed since saving.", hint=_DAMAGED)
    return data


def _read_bounded(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Read one member; never more than the size that the zip directory states, whatever the packed bytes claim."""
    with archive.open(info) as stream:
        return stream.read(max(1, info.file_size))
