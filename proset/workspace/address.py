"""The place of a workspace: a folder and a database, as the environment says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from proset.common.errors import StorageError
from proset.common.words import shown

FOLDER, DATABASE = "PROSET_WORKSPACE", "PROSET_DATABASE"
"""Variables of the environment: the folder, or ``none``; the address of a database other than that in the folder."""

NOTHING_IS_KEPT = "none"
_POSTGRESQL = "postgresql+psycopg://"
_FILE = "workspace.sqlite"


@dataclass(frozen=True)
class WorkspaceAddress:
    """Folder and database of a workspace.

    Attributes
    ----------
    folder : Path
        Holds the files of tables and models, and the database unless another is named.
    database : str
        Address of the database as SQLAlchemy takes it.
    """

    folder: Path
    database: str

    @property
    def shared(self) -> bool:
        """True if the database is a server's, with room for a team."""
        return not self.database.startswith("sqlite")

    @property
    def words(self) -> str:
        """Name the place where things are kept, without a password."""
        if not self.shared:
            return f"the folder {self.folder}"
        place = self.database.removeprefix(_POSTGRESQL).rpartition("@")[2].partition("?")[0]
        return f"the database {place} and the folder {self.folder}"


def workspace_address(environ: Mapping[str, str] | None = None) -> WorkspaceAddress | None:
    """Return where things are kept; None where nothing is to be kept.

    Parameters
    ----------
    environ : mapping or None
        Variables of the environment: ``PROSET_WORKSPACE`` is a folder or ``none``, by default a folder of the user;
        ``PROSET_DATABASE`` is the address of a PostgreSQL database, by default a file in that folder is used.

    Raises
    ------
    StorageError
        If a variable names no folder or no such database.

    Examples
    --------
    >>> workspace_address({"PROSET_WORKSPACE": "none"}) is None
    True
    >>> workspace_address({"PROSET_WORKSPACE": "/data", "PROSET_DATABASE": "postgresql://ada:secret@db/cases"}).words
    'the database db/cases and the folder /data'
    """
    given = os.environ if environ is None else environ
    named = given.get(FOLDER, "").strip()
    if named.lower() == NOTHING_IS_KEPT:
        return None
    folder = Path(named).expanduser().absolute() if named else _usual_folder()
    asked = given.get(DATABASE, "").strip()
    if not asked:
        return WorkspaceAddress(folder, f"sqlite:///{folder / _FILE}")
    scheme, mark, rest = asked.partition("://")
    if not mark or scheme not in ("postgresql", "postgres", "postgresql+psycopg") or not rest:
        raise StorageError(
            f"{DATABASE} does not begin with a kind of database that is known ('{shown(scheme, 20)}').",
            hint="Write an address like postgresql://name:password@host/database, or leave it out.",
        )
    return WorkspaceAddress(folder, f"{_POSTGRESQL}{rest}")


def _usual_folder() -> Path:
    """Return the folder for what programs keep for this user."""
    from platformdirs import user_data_path

    return user_data_path("proset", appauthor=False) / "workspace"
