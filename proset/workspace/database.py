"""The database of a workspace: opened, brought to the present version, read and written."""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from proset.common.errors import StorageError
from proset.common.words import shown
from proset.workspace.address import WorkspaceAddress

_PATIENCE = 30  # seconds that a writer waits for others
_REACH = 5  # seconds that a server has to answer who connects to it
_WAITED = 2.0  # seconds after which a failure has made somebody wait
_REST = 20.0  # seconds in which one that made people wait in vain is not asked again
_HINT = "See that it is there, that there is room, and that you may write to it."
_WRITING = "writing"
_LOCK = 7_260_151  # any number that all programs of this kind agree on
_MIGRATIONS = Path(__file__).parent / "migrations"


class Database:
    """A connection to the database of a workspace.

    Parameters
    ----------
    address : WorkspaceAddress
        Where it is.

    Raises
    ------
    StorageError
        If it cannot be opened, or was made by a newer version of this program.
    """

    def __init__(self, address: WorkspaceAddress) -> None:
        self._address = address
        self._no_answer, self._asked_again_at = "", 0.0
        with self._in_words():
            self._engine = _engine(address)
            self._writer = self._engine.execution_options(**{_WRITING: True})
            try:
                with self._writer.begin() as connection:
                    _lock(connection)
                    _upgrade(connection, address)
            except BaseException:
                self.close()
                raise

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Yield a session that sees one state of the database."""
        with self._in_words(), Session(self._engine) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Yield a session that nobody else writes beside; what it wrote is kept if the block ends well."""
        with self._in_words(), Session(self._writer) as session, session.begin():
            _lock(session.connection())
            yield session

    def forget(self) -> None:
        """Write over what was removed: it is neither in the file nor in the journal beside it from now on."""
        if self._engine.dialect.name == "sqlite":
            with self._in_words(), closing(self._engine.raw_connection()) as connection:
                # Who still reads needs the journal; it is written over as soon as nobody does.
                connection.cursor().execute("PRAGMA busy_timeout = 2000")
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
                connection.cursor().execute(f"PRAGMA busy_timeout = {1000 * _PATIENCE}")

    def size(self) -> int:
        """Return the bytes of the database's own files; 0 for that of a server."""
        if self._address.shared:
            return 0
        path = _file(self._address)
        return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Say what is wrong with a database instead of showing how it is spoken to.

        Who waited for a server in vain waits once: for a while all others are told so at once, or every page would
        stand still for as long.
        """
        began = time.monotonic()
        if self._no_answer and began < self._asked_again_at:
            raise StorageError(self._no_answer, hint=_HINT)
        try:
            yield
        except StorageError:
            raise
        except (SQLAlchemyError, ImportError, OSError, ValueError) as error:
            cause = getattr(error, "orig", None) or error
            logging.getLogger(__name__).info("database", exc_info=error)
            said = f"The workspace in {self._address.words} cannot be used: {shown(' '.join(str(cause).split()), 200)}."
            if self._address.shared and time.monotonic() - began >= _WAITED:
                self._no_answer, self._asked_again_at = said, time.monotonic() + _REST
            raise StorageError(said, hint=_HINT) from error


def _file(address: WorkspaceAddress) -> Path:
    """Return the file of a database that is in the folder."""
    return Path(address.database.removeprefix("sqlite:///"))


def _engine(address: WorkspaceAddress) -> Engine:
    """Make what connections come from."""
    if address.shared:
        reach = {"connect_timeout": _REACH, "tcp_user_timeout": 1000 * _REACH}
        return create_engine(address.database, pool_pre_ping=True, connect_args=reach)
    address.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Other users of the machine must not read it: SQLite gives its journals the mode of the file.
    file = _file(address)
    file.touch(mode=0o600)
    # Not as an address: the name of a folder may hold what has a meaning there.
    engine = create_engine(URL.create("sqlite", database=str(file)), connect_args={"timeout": _PATIENCE})
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    """Let readers and one writer work beside each other, keep references whole, and write over what is removed."""
    assert isinstance(connection, sqlite3.Connection)
    connection.isolation_level = None  # what begins is said by `_begin`
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "secure_delete=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    """Begin as a writer where that is meant: who reads first and writes then is refused if another has written."""
    writing = connection.get_execution_options().get(_WRITING)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _lock(connection: Connection) -> None:
    """Wait until nobody else writes; SQLite does so by itself."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"SET LOCAL lock_timeout = '{_PATIENCE}s'"))
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK})"))


def _upgrade(connection: Connection, address: WorkspaceAddress) -> None:
    """Bring the database to the present version."""
    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    now = MigrationContext.configure(connection).get_current_revision()
    scripts = ScriptDirectory.from_config(config)
    known = {script.revision for script in scripts.walk_revisions()}
    if now is not None and now not in known:
        raise StorageError(
            f"The workspace in {address.words} was made by a newer version of proset.",
            hint="Update proset, or name another folder in PROSET_WORKSPACE.",
        )
    if now != scripts.get_current_head():
        command.upgrade(config, "head")
