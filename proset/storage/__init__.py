"""Keep a study in a file that holds numbers and text only, and refuse every file that is anything else.

A saved study is a zip file of JSON and of plain .npy arrays. Reading it never imports, calls or unpickles anything that
the file names: whoever wrote it, the worst a file can do is be refused, within the limits of :class:`StorageLimits`.
The hashes in its manifest detect damage; they do not prove where a file comes from.

All functions raise :class:`~proset.common.errors.StorageError`: those that read, if the file is damaged, foreign, newer
than this program or too large; those that write, if the file cannot be written or could not be read again.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import BinaryIO

from proset.common.errors import StorageError
from proset.common.files import replacing
from proset.data.table import Table
from proset.storage.codec import (
    from_members,
    from_result_members,
    from_table_members,
    to_members,
    to_result_members,
    to_table_members,
)
from proset.storage.container import NUMBER_FORMAT, RESULT_KIND, TABLE_KIND, USUAL_FORMAT, pack, unpack
from proset.storage.limits import StorageLimits
from proset.study.any_study import AnyStudy

__all__ = [
    "StorageLimits",
    "from_bytes",
    "load",
    "load_result",
    "result_from_bytes",
    "result_to_bytes",
    "save",
    "save_result",
    "table_from_bytes",
    "table_to_bytes",
    "to_bytes",
]

_LIMITS = StorageLimits()


def to_bytes(study: AnyStudy, *, limits: StorageLimits = _LIMITS) -> bytes:
    """Return a study as the content of a file; the same study gives the same bytes."""
    return pack(to_members(study, limits), written_by=_version(), format_version=_format(study))


def from_bytes(data: bytes, *, limits: StorageLimits = _LIMITS) -> AnyStudy:
    """Return the study that :func:`to_bytes` wrote; its estimates are bit for bit those of the one that was saved.

    Examples
    --------
    >>> from_bytes(b"PK and nothing else")
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: The file is damaged or cut off. Save the study again, or fetch the file again.
    """
    return from_members(unpack(data, limits=limits), limits)


def save(study: AnyStudy, path: str | Path, *, limits: StorageLimits = _LIMITS) -> None:
    """Write a study to a file, completely or not at all.

    Parameters
    ----------
    study : Study
        Any study.
    path : str or Path
        By habit its name ends in ``.proset``. A file of this name is replaced in one step.
    limits : StorageLimits
        How much is written at most; whoever raises it has to raise it for :func:`load`, too.
    """
    if not isinstance(study, AnyStudy):
        raise TypeError(
            f"A Study is saved, which has its table, not a {type(study).__name__}: fit one with proset.fit_study(table,"
            " roles), or keep a model with joblib."
        )
    _write(to_bytes(study, limits=limits), path, "study")


def load(path: str | Path, *, limits: StorageLimits = _LIMITS) -> AnyStudy:
    """Read a study from a file that :func:`save` or ``proset fit`` wrote.

    Parameters
    ----------
    path : str or Path
        An ordinary file.
    limits : StorageLimits
        How much is read at most.

    Returns
    -------
    Study
        Its estimates are bit for bit those of the study that was saved.

    Examples
    --------
    >>> load("no such file.proset")
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: 'no such file.proset' cannot be read: No such file or directory.
    """
    with _opened(path, limits) as file:
        return from_members(unpack(file, limits=limits), limits)


def save_result(study: AnyStudy, path: str | Path) -> None:
    """Write everything of a study but its table to a file, for somebody who has the table; see :func:`save`."""
    _write(result_to_bytes(study), path, "result")


def load_result(path: str | Path, table: Table, *, limits: StorageLimits = _LIMITS) -> AnyStudy:
    """Read what :func:`save_result` wrote and put it together with its table again.

    Parameters
    ----------
    path, limits
        As for :func:`load`.
    table : Table
        The table that the study was made from; a StorageError if fingerprint, columns or number of rows are others.

    Returns
    -------
    Study
        Its ``table`` is the object that was given; its estimates are bit for bit those of the study that was saved.

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
    with _opened(path, limits) as file:
        return from_result_members(unpack(file, limits=limits, kind=RESULT_KIND), table, limits)


def result_to_bytes(study: AnyStudy) -> bytes:
    """Return everything of a study but its table, as :func:`save_result` writes it."""
    return pack(
        to_result_members(study, _LIMITS), written_by=_version(), format_version=_format(study), kind=RESULT_KIND
    )


def result_from_bytes(data: bytes, table: Table) -> AnyStudy:
    """Put what :func:`result_to_bytes` returned together with its table again; see :func:`load_result`."""
    return from_result_members(unpack(data, limits=_LIMITS, kind=RESULT_KIND), table, _LIMITS)


def table_to_bytes(table: Table) -> bytes:
    r"""Return a table, with how it was read and what was found in it, as the content of a file.

    Examples
    --------
    >>> from proset.data.table import read_table
    >>> table = read_table(b"size,kind\n1,a\n2,b\n")
    >>> again = table_from_bytes(table_to_bytes(table))
    >>> again.frame.equals(table.frame), again.fingerprint == table.fingerprint
    (True, True)
    """
    return pack(to_table_members(table, _LIMITS), written_by=_version(), kind=TABLE_KIND)


def table_from_bytes(data: bytes) -> Table:
    """Return the table that :func:`table_to_bytes` took apart."""
    return from_table_members(unpack(data, limits=_LIMITS, kind=TABLE_KIND), _LIMITS)


def _format(study: AnyStudy) -> int:
    """Return the format that a study is written in."""
    return NUMBER_FORMAT if study.roles.number else USUAL_FORMAT


def _version() -> str:
    """Return the version of this program."""
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


@contextmanager
def _opened(path: str | Path, limits: StorageLimits) -> Iterator[BinaryIO]:
    """Open an ordinary file that is not too large; a pipe might never end."""
    try:
        found = Path(path).stat()
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
            raise StorageError(f"'{path}' cannot be read: it is not an ordinary file.")
        if found.st_size > limits.max_bytes:
            raise StorageError(
                f"'{path}' has {found.st_size / 1e6:,.0f} MB; at most {limits.max_bytes / 1e6:,.0f} MB are read."
            )
        file = Path(path).open("rb")  # noqa: SIM115  the errors of the block below are not about opening
    except OSError as error:
        raise StorageError(f"'{path}' cannot be read: {error.strerror or error}.") from error
    with file:
        yield file
