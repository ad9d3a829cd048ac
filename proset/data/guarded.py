"""Reading a stranger's file in a process that may die, under a limit of memory and time.

What is known to be costly is refused by :func:`proset.data.table.read_table` itself, by counting. This module is for
what nobody thought of: whatever a file makes its reader do, it ends within the budget, and the program that asked is
told so in words. Only so many files are read at once, in the order in which they came. Nothing is pickled: the request
is JSON, the rows come back as Arrow.
"""

from __future__ import annotations

import errno
import json
import mmap
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import Enum, auto
from pathlib import Path

from proset.common.errors import TableError
from proset.data.reading.dialect import Dialect, Limits
from proset.data.reading.exact_cells import ExactCells, read_exact
from proset.data.reading.source import check_file, is_plain_text
from proset.data.table import Table, read_table
from proset.data.table_files import (
    NO_ROOM,
    OUTCOME,
    REQUEST,
    TOO_MUCH_MEMORY,
    Request,
    read_cells,
    read_outcome,
)
from proset.data.turns import Turns

__all__ = ["Budget", "read_exact_guarded", "read_table_guarded"]

_SMALL = 250_000  # bytes of plain text that cannot become much: read at once, for a process takes half a second
_WIDE = 4_000  # bytes of a first line that may name hundreds of columns, each of which is looked at
_MODULE = "proset.data.reading_process"
_LOOK = 0.005  # seconds between two looks at a process
_HARDLY = 0.01  # share of a processor that is no progress
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_QUIET = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": "131072",  # what is freed goes back at once
}


@dataclass(frozen=True)
class Budget:
    """Limits on reading one file.

    Attributes
    ----------
    memory : int
        Bytes of the process, its program included; looked at two hundred times a second.
    seconds : float
        Seconds of a processor for a file of up to 20 MB.
    seconds_per_megabyte : float
        Seconds more for each megabyte above that.
    patience : float
        Seconds on the clock for which a busy machine may have hardly any time for the process.

    Examples
    --------
    >>> Budget().seconds_for(1_000_000), Budget().seconds_for(200_000_000)
    (10.0, 46.0)
    """

    memory: int = 1 << 30
    seconds: float = 10.0
    seconds_per_megabyte: float = 0.2
    patience: float = 60.0

    def seconds_for(self, n_bytes: int) -> float:
        """Return the seconds of a processor for a file of a size: a file that takes long has to be long itself."""
        return self.seconds + self.seconds_per_megabyte * max(0.0, n_bytes / 1e6 - 20.0)


_TURNS = Turns(max(2, min(4, os.cpu_count() or 2)))


def read_table_guarded(
    source: str | Path | bytes,
    *,
    name: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    footer: int | None = None,
    limits: Limits = Limits(),  # noqa: B008  frozen, so it can be shared
    budget: Budget = Budget(),
    on_wait: Callable[[int], object] | None = None,
) -> Table:
    r"""Read a table as :func:`proset.data.table.read_table` does, in a process of its own with a budget.

    Plain text of less than a quarter of a megabyte and few columns is read at once: it cannot become much, and a
    process takes half a second. The process also finds the facts about every column (:attr:`Table.profiles`).

    Parameters
    ----------
    source, name, encoding, delimiter, decimal, header, sheet, footer, limits
        As for :func:`~proset.data.table.read_table`.
    budget : Budget
        Memory and time. Where the system does not say how much memory a process has (it does on Linux), only the time
        is limited.
    on_wait : callable or None
        Is told, before a wait for others that read files, how many wait before this one.

    Raises
    ------
    TableError
        For the same reasons, and if reading goes beyond the budget or ends its process.

    Examples
    --------
    >>> read_table_guarded(b"a,b\n1,x\n2,y\n", name="tiny.csv").frame.shape
    (2, 2)
    """
    size, label = check_file(source, name=name, limits=limits)
    options: dict[str, str | bool | int | None] = {"encoding": encoding, "delimiter": delimiter, "decimal": decimal}
    options |= {"header": header, "sheet": sheet, "footer": footer}
    if size < _SMALL and is_plain_text(source) and not _is_wide(source):
        return read_table(source, name=name, limits=limits, **options)  # type: ignore[arg-type]
    wanted = Dialect("csv", **options)  # type: ignore[arg-type]
    with _aside(source, label, wanted, limits, budget, size, on_wait) as folder:
        return read_outcome(folder)


def read_exact_guarded(
    source: bytes,
    *,
    name: str | None = None,
    limits: Limits = Limits(),  # noqa: B008  frozen, so it can be shared
    budget: Budget = Budget(),
    on_wait: Callable[[int], object] | None = None,
) -> ExactCells:
    r"""Read cells as :func:`proset.data.reading.exact_cells.read_exact` does, in a process of its own with a budget.

    Parameters and errors are those of :func:`read_table_guarded`.

    Examples
    --------
    >>> read_exact_guarded(b"row,note\n7,1.50\n", name="notes.csv").rows
    (('7', '1.50'),)
    """
    size, label = check_file(source, name=name, limits=limits)
    if size < _SMALL and is_plain_text(source):
        return read_exact(source, name=name, limits=limits)
    with _aside(source, label, None, limits, budget, size, on_wait) as folder:
        return read_cells(folder)


def _is_wide(source: str | Path | bytes) -> bool:
    """Tell whether the first line is so long that there may be hundreds of columns."""
    if isinstance(source, bytes | bytearray | memoryview):
        head = bytes(source[:_WIDE])
    else:
        with Path(source).open("rb") as file:
            head = file.read(_WIDE)
    return len(head) == _WIDE and b"\n" not in head and b"\r" not in head


@contextmanager
def _aside(
    source: str | Path | bytes,
    name: str,
    wanted: Dialect | None,
    limits: Limits,
    budget: Budget,
    size: int,
    on_wait: Callable[[int], object] | None,
) -> Iterator[Path]:
    """Let a process answer a request when its turn has come, and give the folder with the answer while it is there."""
    seconds = budget.seconds_for(size)
    with _TURNS.one(on_wait):  # what a caller raises while it waits is its own
        try:
            with tempfile.TemporaryDirectory(prefix="proset-read-") as place:
                folder = Path(place)
                if isinstance(source, bytes | bytearray | memoryview):
                    path = folder / "source"
                    path.write_bytes(source)
                else:
                    path = Path(source).absolute()
                request = Request(str(path), name, wanted, limits, seconds)
                (folder / REQUEST).write_text(json.dumps(asdict(request)), encoding="utf-8")
                end = _run(folder, budget, seconds)
                if not (folder / OUTCOME).exists():
                    raise _over_budget(end, name, budget, seconds)
                yield folder
        except OSError as error:
            raise _no_place(name, error) from error


def _no_place(name: str, error: OSError) -> TableError:
    """Say that a file cannot be handed to another process or its rows cannot come back."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return TableError(
            f"'{name}' cannot be read: the disk for temporary files is full.",
            hint="Make room on it, or try again in a while.",
        )
    return TableError(f"'{name}' cannot be read ({error.strerror or error}).", hint="Try again in a while.")


class _End(Enum):
    """Ends of a reading process."""

    DONE = auto()
    OVER_MEMORY = auto()
    OVER_TIME = auto()
    NO_PROGRESS = auto()
    NO_ROOM = auto()
    BROKEN = auto()


def _run(folder: Path, budget: Budget, seconds: float) -> _End:
    """Run the reading process and stop it when it is over its budget."""
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    environment = {**os.environ, **_QUIET, "PYTHONPATH": os.pathsep.join(paths)}
    try:
        process = subprocess.Popen(
            # -P: a folder with tables in it may hold a json.py, too
            (sys.executable, "-P", "-m", _MODULE, str(folder)),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
        )  # fmt: skip
    except OSError as error:
        raise TableError(
            f"The table cannot be read: no process can be started for it ({error}).", hint="Try again in a while."
        ) from error
    mark, until = 0.0, time.monotonic() + budget.patience
    try:
        while process.poll() is None:
            used, now = _processor_time_of(process.pid), time.monotonic()
            if used >= mark + budget.patience * _HARDLY:  # the clock alone says more of the machine than of the file
                mark, until = used, now + budget.patience
            if used > seconds + 1.0:  # where the system knows no such limit
                return _End.OVER_TIME
            if _memory_of(process.pid) > budget.memory:
                return _End.OVER_MEMORY
            if now > until:
                return _End.NO_PROGRESS
            time.sleep(_LOOK)
    finally:
        process.kill()
        process.wait()
    return _end_of(process.returncode)


def _end_of(status: int) -> _End:
    """Tell from its exit status how a process ended that nobody stopped."""
    if status == 0:
        return _End.DONE
    if status == -getattr(signal, "SIGXCPU", 0):
        return _End.OVER_TIME
    if status == NO_ROOM:
        return _End.NO_ROOM
    # libraries abort where they get no memory, and the system kills who takes the last of it
    return _End.OVER_MEMORY if status == TOO_MUCH_MEMORY or status < 0 else _End.BROKEN


def _memory_of(process: int) -> int:
    """Return the bytes of memory that a process has for itself; 0 where the system does not say (no Linux)."""
    try:
        resident, shared = Path(f"/proc/{process}/statm").read_text().split()[1:3]
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * mmap.PAGESIZE


def _processor_time_of(process: int) -> float:
    """Return the seconds of a processor that a process has used; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS
    except (OSError, ValueError, IndexError):
        return 0.0


def _over_budget(end: _End, name: str, budget: Budget, seconds: float) -> TableError:
    """Say why a reading process came back without a table."""
    if end in (_End.DONE, _End.BROKEN):
        return TableError(f"'{name}' cannot be read: the process that read it ended early.", hint="Try again.")
    if end is _End.NO_ROOM:
        return _no_place(name, OSError(errno.ENOSPC, ""))
    if end is _End.NO_PROGRESS:
        return TableError(
            f"'{name}' was not read: the machine is busy and had hardly any time for it within {budget.patience:.0f}"
            " seconds.",
            hint="Try again in a while.",
        )
    memory = f"{budget.memory / (1 << 30):.2g} GiB"
    found = (
        f"takes more than {seconds:.0f} seconds of a processor"
        if end is _End.OVER_TIME
        else f"needs more than {memory}"
    )
    return TableError(
        f"'{name}' {found} to be read, which is more than a table of this size should.",
        hint="Keep fewer rows or columns, or save it in another format: CSV or Parquet rather than Excel.",
    )
