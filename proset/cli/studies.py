"""Kept studies as commands name and find them."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from proset.common.errors import ProsetError, StorageError
from proset.common.words import listed, shown

if TYPE_CHECKING:
    from proset.workspace import Card, Workspace

KEPT_WHERE = "PROSET_WORKSPACE names the folder where they are kept, PROSET_DATABASE a PostgreSQL database."

_LONGEST = 200


def add_name(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names a study."""
    parser.add_argument("name", metavar="NAME", help="its name or its id, as 'proset list' shows them")


def need_database() -> None:
    """Refuse to go on without what the workspace needs."""
    if importlib.util.find_spec("sqlalchemy") is None:
        raise ProsetError(
            "Kept studies need SQLAlchemy, which is not installed.",
            hint='Install it with: pip install "proset-dashboard[workspace]"',
        )


@contextmanager
def open_workspace() -> Iterator[Workspace]:
    """Open the workspace of this user."""
    need_database()
    from proset.workspace import Workspace, workspace_address

    address = workspace_address()
    if address is None:
        raise ProsetError("Nothing is kept: PROSET_WORKSPACE is 'none'.", hint="Name a folder in it, or unset it.")
    workspace = Workspace(address)
    try:
        yield workspace
    finally:
        workspace.close()


def find_study(workspace: Workspace, name: str) -> Card:
    """Return the study of an id or a name.

    Raises
    ------
    StorageError
        If there is none, or several have this name.
    """
    cards = workspace.cards()
    found = [card for card in cards if card.id == name] or [card for card in cards if card.name == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise StorageError(
            f"{len(found)} studies are called '{shown(name)}'.",
            hint=f"Give the id of one: {listed([card.id for card in found])}.",
        )
    raise StorageError(
        f"No study is called '{shown(name, _LONGEST)}'.", hint="'proset list' shows those that are kept."
    )
