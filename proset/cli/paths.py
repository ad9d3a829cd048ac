"""Paths that a command reads and writes, looked at before any work is done."""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from proset.cli.terminal import need_stdout
from proset.common.errors import StorageError, TableError
from proset.common.files import is_stream, refuse_overwriting
from proset.common.words import shown

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy

STDIN = "-"
MOST_SPOOLED = 8_000_000_000
"""Bytes of standard input that are kept on disk while they are scored."""

_STDIN_PATH = Path("/dev/stdin")
_BLOCK = 1 << 20
_DRAFT = ".0123456789ab.{}.search"  # the longest name that is made of an output's
_LONGEST = 200
_OPEN_ALREADY = re.compile(r"/dev/stdin|/dev/fd/[0-9]+|/proc/self/fd/[0-9]+")
"""Paths that stand for what the shell has opened: standard input, and `<(command)`."""


def open_model(path: Path) -> AnyStudy:
    """Return a saved study; a pipe or a device is refused, because it may never end."""
    from proset.storage import load

    if path.is_dir() or is_stream(path):
        what = "a folder" if path.is_dir() else _special(path)
        raise StorageError(
            f"'{_name(path)}' is {what}, not a saved study.", hint="Name a file that 'proset fit' has written."
        )
    return load(path)


@contextmanager
def table_file(path: Path, *, most: int = MOST_SPOOLED) -> Iterator[Path]:
    """Yield a file that can be read from its beginning again and again.

    ``-``, ``/dev/stdin`` and what else the shell has opened are written to a file first that nobody else can read and
    that goes at the end; other pipes and devices are refused.

    Parameters
    ----------
    path : Path
        As a person writes it.
    most : int
        Bytes of a stream that are kept at most.
    """
    if str(path) == STDIN:
        path = _STDIN_PATH
    elif not is_stream(path):
        yield path  # what is wrong with it is said by whoever reads it
        return
    if not _OPEN_ALREADY.fullmatch(str(path)):
        raise TableError(
            f"'{_name(path)}' is {_special(path)}, not a file.",
            hint="Name a file, or give - and send the table to standard input.",
        )
    with tempfile.TemporaryDirectory(prefix="proset-") as folder:
        spooled = Path(folder) / "standard input"
        with _stream(path) as stream, spooled.open("xb") as file:
            _copy(stream, file, most)
        yield spooled


def check_output(output: Path, inputs: Iterable[Path]) -> None:
    """Refuse a place where nothing can be written, or that is one of the inputs, before work is done for it.

    Parameters
    ----------
    output : Path
        The file that is to be written.
    inputs : iterable of Path
        Files that are read.
    """
    if str(output) in ("", "."):
        raise StorageError("The output has no name.", hint="Name a file with --output.")
    refuse_overwriting(output, _named(inputs))
    if output.is_dir():
        raise StorageError(f"'{_name(output)}' is a folder.", hint="Name a file in it.")
    if is_stream(output):
        return
    target = Path(os.path.realpath(output))
    for folder in (output.parent, target.parent):
        if not folder.is_dir():
            raise StorageError(f"The folder '{_name(folder)}' does not exist.", hint="Make it, or choose another.")
    if not os.access(target.parent, os.W_OK):
        raise StorageError(f"You may not write to the folder '{_name(target.parent)}'.", hint="Choose another.")
    try:
        os.lstat(target.with_name(_DRAFT.format(target.name)))
    except FileNotFoundError:
        pass
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StorageError(f"'{_name(output)}' is no name for a file: {reason}.", hint="Choose another.") from error


def check_stdout(inputs: Iterable[Path], *, needed: bool = True) -> None:
    """Refuse to print a result that nobody can get, if it is needed, or that goes to an input (``>> data.csv``)."""
    if needed:
        need_stdout()
    refuse_overwriting("/dev/stdout", _named(inputs))


def _named(inputs: Iterable[Path]) -> list[Path]:
    """Return inputs by paths that the system knows."""
    return [_STDIN_PATH if str(item) == STDIN else item for item in inputs]


@contextmanager
def _stream(path: Path) -> Iterator[BinaryIO]:
    """Yield the bytes of a stream that is open already."""
    if path == _STDIN_PATH:
        if sys.stdin is None:
            raise TableError("Standard input is closed.", hint="Send a table to it, or name a file.")
        yield sys.stdin.buffer
        return
    with path.open("rb") as stream:
        yield stream


def _copy(stream: BinaryIO, file: BinaryIO, most: int) -> None:
    """Copy a stream up to a limit; one without end is refused when it is reached."""
    total = 0
    while block := stream.read(_BLOCK):
        total += len(block)
        if total > most:
            raise TableError(
                f"Standard input holds more than {most / 1e6:,.0f} MB.", hint="Write it to a file and name that."
            )
        file.write(block)
    if total == 0:
        raise TableError("Standard input is empty.", hint="Send a table to it, or name a file.")


def _special(path: Path) -> str:
    """Say what a path is that is neither a file nor a folder."""
    mode = path.stat().st_mode
    return "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"


def _name(path: Path) -> str:
    """Return a path as a message quotes it."""
    return shown(path, _LONGEST)
