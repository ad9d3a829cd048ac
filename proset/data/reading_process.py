"""The process that reads a table for :mod:`proset.data.guarded`: ``python -m proset.data.reading_process FOLDER``."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.reading.exact_cells import ExactCells, read_exact
from proset.data.table import Table, read_table
from proset.data.table_files import (
    NO_ROOM,
    TOO_MUCH_MEMORY,
    Request,
    read_request,
    write_cells,
    write_error,
    write_table,
)


def limit_time(seconds: float) -> None:
    """Let the system stop this process after so many seconds of a processor, where it can."""
    try:
        import resource
    except ImportError:
        return
    whole = int(seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))


def main(folder: Path) -> int:
    """Read the table that a request names and write what came of it.

    Parameters
    ----------
    folder : Path
        Holds the request; the outcome is written there.

    Returns
    -------
    int
        0 if there is an outcome, a table or an error in words.
    """
    try:
        return _answer(folder)
    except MemoryError:
        return TOO_MUCH_MEMORY
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return NO_ROOM
        raise


def _answer(folder: Path) -> int:
    """Read the table and write it, or why it cannot be read."""
    request = read_request(folder)
    limit_time(request.seconds)
    try:
        found = _read(request)
    except TableError as error:
        if isinstance(error.__cause__, MemoryError):
            return TOO_MUCH_MEMORY
        write_error(error, folder)
    except MemoryError:
        raise
    except Exception as error:  # a fault of this program, or a file of a kind that nobody thought of
        what = f"{type(error).__name__}: {shown(error, 120)}"
        write_error(TableError(f"'{shown(request.name)}' cannot be read ({what}).", hint="Save it as CSV."), folder)
    else:
        if isinstance(found, Table):
            write_table(found, folder)
        else:
            write_cells(found, folder)
    return 0


def _read(request: Request) -> Table | ExactCells:
    """Read what is asked for."""
    wanted = request.wanted
    if wanted is None:
        return read_exact(request.path, name=request.name, limits=request.limits)
    return read_table(
        request.path, name=request.name, encoding=wanted.encoding, delimiter=wanted.delimiter,
        decimal=wanted.decimal, header=wanted.header, sheet=wanted.sheet, footer=wanted.footer,
        limits=request.limits,
    )  # fmt: skip


if __name__ == "__main__":
    os._exit(main(Path(sys.argv[1])))  # at once: taking Arrow's threads down takes time, and fails now and then
