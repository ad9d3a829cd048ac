"""Write a file completely or not at all, and never over the one that is being read."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from proset.common.errors import ProsetError
from proset.common.words import shown


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path that becomes `path` if the block ends well; links lead to what they stand for.

    The temporary file lies in the same folder, so the change is one step for everybody who looks at it. If the block
    raises anything, Ctrl-C included, the temporary file goes and whatever was at `path` stays as it was.

    Yields
    ------
    Path
        An empty file to write to; it has the ending of `path`.

    Raises
    ------
    OSError
        If the folder does not exist or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> with replacing(Path(folder.name) / "note.txt") as draft:
    ...     _ = draft.write_text("done")
    >>> os.listdir(folder.name)
    ['note.txt']
    >>> folder.cleanup()
    """
    if Path(path).is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if is_stream(path):
        yield Path(path)  # cannot be replaced, and where its link leads is no path
        return
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{secrets.token_hex(6)}.{target.name}")
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        yield draft
        _to_disk(draft)
        if target.exists():
            draft.chmod(target.stat().st_mode & 0o777)
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)


def _to_disk(path: Path) -> None:
    """Make sure the content is on the disk before the name points to it."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def is_stream(path: str | Path) -> bool:
    """Return whether a path leads to a pipe, a socket or a device, such as /dev/stdout in most cases.

    Examples
    --------
    >>> is_stream(os.devnull), is_stream(__file__), is_stream("no such file")
    (True, False, False)
    """
    there = Path(path)
    return there.exists() and not there.is_file() and not there.is_dir()


def is_same_file(first: str | Path, second: str | Path) -> bool:
    """Return whether two paths lead to one regular file: through links, hard links and folders that are not there.

    Parameters
    ----------
    first, second : str or Path
        Either may not exist, or be a device or a pipe; then they are not the same.

    Examples
    --------
    >>> is_same_file(__file__, Path(__file__).parent / "no such folder" / ".." / Path(__file__).name)
    True
    """
    # What is not there is taken out of a path, because `replacing` does so before it writes.
    one, other = Path(os.path.realpath(first)), Path(os.path.realpath(second))
    try:
        return one.is_file() and other.is_file() and one.samefile(other)
    except (OSError, ValueError):
        return False


def refuse_overwriting(output: str | Path, inputs: Iterable[str | Path]) -> None:
    """Refuse an output that is one of the inputs.

    Raises
    ------
    ProsetError
        If `output` leads to one of them.
    """
    for item in inputs:
        if is_same_file(output, item):
            link = "" if str(output) == str(item) else f" (it is the same file as '{shown(item, 200)}')"
            raise ProsetError(
                f"'{shown(output, 200)}' is being read{link}; it cannot be written at the same time.",
                hint="Choose another name for what is written.",
            )
