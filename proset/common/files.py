"""Write a file completely or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path that becomes `path` if the block ends well.

    The temporary file lies in the same folder, so the change is one step for everybody who looks at it. If the block
    raises anything, Ctrl-C included, the temporary file goes and whatever was at `path` stays as it was.

    Parameters
    ----------
    path : str or Path
        The file to write.

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
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"'{target}' is a folder.")
    if target.exists() and not target.is_file():
        yield target  # a pipe or a device, such as /dev/stdout, cannot be replaced
        return
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
