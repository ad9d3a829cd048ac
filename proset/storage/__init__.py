"""Keep a study in a file that holds numbers and text only, and refuse every file that is anything else.

A saved study is a zip file of JSON and of plain .npy arrays. Reading it never imports, calls or unpickles anything that
the file names: whoever wrote it, the worst a file can do is be refused. The hashes in its manifest detect damage; they
do not prove where a file comes from.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

from proset.common.errors import StorageError
from proset.common.files import replacing
from proset.storage.codec import format_of, from_members, to_members
from proset.storage.container import StorageLimits, pack, unpack
from proset.study import Study

__all__ = ["StorageLimits", "from_bytes", "load", "save", "to_bytes"]


def to_bytes(study: Study) -> bytes:
    """Return a study as the content of a file.

    Parameters
    ----------
    study : Study
        Any study.

    Returns
    -------
    bytes
        The same study gives the same bytes.
    """
    return pack(to_members(study), written_by=version("proset-dashboard"), format_version=format_of(study))


def from_bytes(data: bytes, *, limits: StorageLimits | None = None) -> Study:
    """Return the study that :func:`to_bytes` wrote.

    Parameters
    ----------
    data : bytes
        The content of a file.
    limits : StorageLimits or None
        How much is read at most; None for the defaults.

    Returns
    -------
    Study
        Its estimates are bit for bit those of the study that was saved.

    Raises
    ------
    StorageError
        If the file is damaged, foreign, newer than this program, or too large.

    Examples
    --------
    >>> from_bytes(b"PK and nothing else")
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: The file is damaged or cut off. Save the study again, or fetch the file again.
    """
    contents = unpack(data, limits=limits)
    return from_members(contents.members, format_version=contents.format_version)


def save(study: Study, path: str | Path) -> None:
    """Write a study to a file, completely or not at all.

    Parameters
    ----------
    study : Study
        Any study.
    path : str or Path
        The file; by habit its name ends in ``.proset``. A file of this name is replaced in one step.

    Raises
    ------
    StorageError
        If the file cannot be written.
    """
    data = to_bytes(study)
    try:
        with replacing(path) as draft:
            draft.write_bytes(data)
    except OSError as error:
        raise StorageError(
            f"The study cannot be saved to '{path}': {error.strerror or error}.",
            hint="Choose a folder that exists and that you may write to.",
        ) from error


def load(path: str | Path, *, limits: StorageLimits | None = None) -> Study:
    """Read a study from a file.

    Parameters
    ----------
    path : str or Path
        A file that :func:`save` or ``proset fit`` wrote.
    limits : StorageLimits or None
        How much is read at most; None for the defaults.

    Returns
    -------
    Study
        Its estimates are bit for bit those of the study that was saved.

    Raises
    ------
    StorageError
        If there is no such file, or if it is damaged, foreign, newer than this program, or too large.

    Examples
    --------
    >>> load("no such file.proset")
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: 'no such file.proset' cannot be read: No such file or directory.
    """
    limits = limits or StorageLimits()
    try:
        size = Path(path).stat().st_size
        if size > limits.max_bytes:
            raise StorageError(f"'{path}' has {size / 1e6:,.0f} MB; at most {limits.max_bytes / 1e6:,.0f} MB are read.")
        data = Path(path).read_bytes()
    except OSError as error:
        raise StorageError(f"'{path}' cannot be read: {error.strerror or error}.") from error
    return from_bytes(data, limits=limits)
