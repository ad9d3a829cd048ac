"""Workspaces in a folder of the test: on SQLite, and on a PostgreSQL server that the tests start."""

import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

from proset.workspace import Workspace, workspace_address

MIGRATIONS = Path(__file__).resolve().parents[2] / "proset" / "workspace" / "migrations"


@pytest.fixture(scope="session")
def postgres_server():
    """Address of a PostgreSQL server of our own, without a database for a test yet."""
    pytest.importorskip("psycopg", reason="PostgreSQL needs the extra 'team'")
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL server here (PROSET_POSTGRES names the folder of its programs)")
    # The server refuses to run as root; Debian's package comes with a user for it.
    as_user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
    home = Path(tempfile.mkdtemp(prefix="proset-postgres-", dir="/tmp"))  # the path of its socket has to be short
    if as_user:
        shutil.chown(home, "postgres")

    def run(program, *arguments):
        command = [str(programs / program), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/", **as_user)

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = str(home / "data")
    run("initdb", "-D", data, "-A", "trust", "-U", "proset", "--no-sync")
    options = f"-p {port} -h 127.0.0.1 -k {home} -F"
    run("pg_ctl", "-D", data, "-o", options, "-l", str(home / "log"), "-w", "start")
    yield f"postgresql://proset@127.0.0.1:{port}"
    run("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
    shutil.rmtree(home, ignore_errors=True)


def _programs():
    """Folder of the server's programs, or None."""
    named = os.environ.get("PROSET_POSTGRES", "")
    if named:
        return None if named == "none" else Path(named)
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return places[-1].parent if places else None


@pytest.fixture(params=["sqlite", "postgresql"])
def environ(request, tmp_path):
    """Variables that name an empty workspace."""
    named = {"PROSET_WORKSPACE": str(tmp_path / "kept")}
    if request.param == "postgresql":
        server = request.getfixturevalue("postgres_server")
        import psycopg

        name = f"t{os.getpid()}_{abs(hash(request.node.nodeid))}"
        with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        named["PROSET_DATABASE"] = f"{server}/{name}"
    return named


@pytest.fixture
def workspace(environ):
    """An empty workspace."""
    workspace = Workspace(workspace_address(environ))
    yield workspace
    workspace.close()


@pytest.fixture
def database_of():
    """Makes a database as a program of another version did, with one study in it; gives the engine."""

    def made(environ, revision):
        address = workspace_address(environ)
        address.folder.mkdir(parents=True)
        engine = create_engine(address.database)
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
            connection.execute(text("INSERT INTO place VALUES ('here')"))
            connection.execute(
                text(
                    "INSERT INTO studies VALUES ('abc', 'Old one', NULL, 'f00', NULL, '{}', '{}', "
                    '\'{"data": "old.csv", "n_rows": 2, "n_columns": 3}\', 7, :now, :now, NULL)'
                ),
                {"now": "2026-01-02 03:04:05"},
            )
        return engine

    return made
