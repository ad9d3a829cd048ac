"""Files named by the SHA-256 of their content."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Iterator
from pathlib import Path

from proset.common.errors import StorageError
from proset.common.files import replacing

_YOUNG = 3600.0  # seconds: a file that no row names yet may belong to somebody who is writing


class HashedFiles:
    """The files of one database.

    Parameters
    ----------
    folder : Path
        Is made, for this user alone, when the first file is put into it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, content: bytes) -> str:
        """Keep a content and return its name; what is there already is not written again.

        Raises
        ------
        StorageError
            If there is no room for it, or the folder cannot be written.
        """
        name = hashlib.sha256(content).hexdigest()
        path = self._path(name)
        try:
            if not path.exists() or path.stat().st_size != len(content):
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                with replacing(path) as draft:
                    draft.chmod(0o600)
                    draft.write_bytes(content)
        except OSError as error:
            raise StorageError(
                f"Nothing can be kept in '{self._folder}': {error.strerror or error}.", hint="Make room on its disk."
            ) from error
        return name

    def get(self, name: str) -> bytes:
        """Return the content of a name.

        Raises
        ------
        StorageError
            If it is not there, or is not what was kept.
        """
        try:
            content = self._path(name).read_bytes()
        except OSError as error:
            raise StorageError(
                f"A file of the workspace cannot be read: {error.strerror or error}.",
                hint=f"It should lie in '{self._folder}'.",
            ) from error
        if hashlib.sha256(content).hexdigest() != name:
            raise StorageError(f"A file of the workspace in '{self._folder}' is damaged.", hint="Take a backup of it.")
        return content

    def drop(self, name: str) -> None:
        """Remove a file; one that is gone already does not matter."""
        self._path(name).unlink(missing_ok=True)

    def sweep(self, used: Collection[str]) -> None:
        """Remove the files that nobody uses, but for young ones."""
        oldest = time.time() - _YOUNG
        for path in self._all():
            if path.name not in used and path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)

    def size(self) -> int:
        """Return the bytes of all files together."""
        return sum(path.stat().st_size for path in self._all())

    def _all(self) -> Iterator[Path]:
        """Return all files, drafts of a writer that was killed included."""
        return (path for path in self._folder.glob("??/*") if path.is_file())

    def _path(self, name: str) -> Path:
        """Return the place of a file."""
        return self._folder / name[:2] / name
