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
from proset.data.table import Table
from proset.storage.codec import format_of, from_members, from_result_members, to_members, to_result_members
from proset.storage.container import RESULT_KIND, StorageLimits, pack, unpack
from proset.study import Study

__all__ = ["StorageLimits", "from_bytes", "load", "load_result", "save", "save_result", "to_bytes"]


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
    return pack(to_members(study), written_by=_version(), format_version=format_of(study))


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
    _write(to_bytes(study), path, "study")


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
    return from_bytes(_read(path, limits), limits=limits)


def save_result(study: Study, path: str | Path) -> None:
    """Write everything of a study but its table to a file, for somebody who has the table.

    Parameters
    ----------
    study : Study
        Any study.
    path : str or Path
        The file. A file of this name is replaced in one step.

    Raises
    ------
    StorageError
        If the file cannot be written.
    """
    contents = to_result_members(study)
    data = pack(contents, written_by=_version(), format_version=format_of(study), kind=RESULT_KIND)
    _write(data, path, "result")


def load_result(path: str | Path, table: Table, *, limits: StorageLimits | None = None) -> Study:
    """Read what :func:`save_result` wrote and put it together with its table again.

    Parameters
    ----------
    path : str or Path
        The file.
    table : Table
        The table that the study was made from.
    limits : StorageLimits or None
        How much is read at most; None for the defaults.

    Returns
    -------
    Study
        Its ``table`` is the object that was given; its estimates are bit for bit those of the study that was saved.

    Raises
    ------
    StorageError
        If the fingerprint, the columns or the number of rows of `table` are others, or as for :func:`load`.

    Examples
    --------
    >>> import tempfile
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import FitSettings, fit_study
    >>> table = load_sample("iris_2f")
    >>> study = fit_study(table, sample_roles("iris_2f"), settings=FitSettings(n_iter=0))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_result(study, Path(folder) / "result")
    ...     again = load_result(Path(folder) / "result", table)
    >>> again.table is table, again.id == study.id
    (True, True)
    """
    contents = unpack(_read(path, limits), limits=limits, kind=RESULT_KIND)
    return from_result_members(contents.members, table, format_version=contents.format_version)


def _version() -> str:
    """Version of this program."""
    return version("proset-dashboard")


def _write(data: bytes, path: str | Path, what: str) -> None:
    """Write a file completely or not at all."""
    try:
        with replacing(path) as draft:
            draft.write_bytes(data)
    except OSError as error:
        raise StorageError(
            f"The {what} cannot be saved to '{path}': {error.strerror or error}.",
            hint="Choose a folder that exists and that you may write to.",
        ) from error


def _read(path: str | Path, limits: StorageLimits | None) -> bytes:
    """The bytes of a file that is not too large."""
    limits = limits or StorageLimits()
    try:
        size = Path(path).stat().st_size
        if size > limits.max_bytes:
            raise StorageError(f"'{path}' has {size / 1e6:,.0f} MB; at most {limits.max_bytes / 1e6:,.0f} MB are read.")
        return Path(path).read_bytes()
    except OSError as error:
        raise StorageError(f"'{path}' cannot be read: {error.strerror or error}.") from error
