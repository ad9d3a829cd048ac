"""``proset list``, ``proset open`` and ``proset export``: studies that the dashboard keeps."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from proset.cli.app import serve
from proset.cli.options import Commands, add_quiet
from proset.cli.paths import check_output
from proset.cli.terminal import complain, say
from proset.common.errors import ProsetError, StorageError
from proset.common.words import count_words, listed, measure, shown

if TYPE_CHECKING:
    from proset.workspace import Card, Workspace

_LONGEST = 200
_KEPT_WHERE = "PROSET_WORKSPACE names the folder where they are kept, PROSET_DATABASE a PostgreSQL database."


def add_to(commands: Commands) -> None:
    """Add the commands to the parser."""
    parser = commands.add_parser(
        "list", help="list the studies that the dashboard keeps", description=f"List kept studies. {_KEPT_WHERE}"
    )
    parser.set_defaults(run=_list)
    parser = commands.add_parser(
        "open", help="start the dashboard with a kept study", description=f"Open a kept study. {_KEPT_WHERE}"
    )
    _add_name(parser)
    parser.add_argument("--port", type=int, metavar="N", help="port (default: the first free one)")
    parser.set_defaults(run=_open)
    parser = commands.add_parser(
        "export",
        help="write the model of a kept study to a file",
        description=f"Write the current model of a kept study, with its table, to a file that 'proset score' and the "
        f"others take. {_KEPT_WHERE}",
    )
    _add_name(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="by habit it ends in .proset")
    add_quiet(parser)
    parser.set_defaults(run=_export)


def _add_name(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names a study."""
    parser.add_argument("name", metavar="NAME", help="its name or its id, as 'proset list' shows them")


def _list(_: argparse.Namespace) -> None:
    """Print one line per study, those touched last first."""
    with _workspace() as workspace:
        cards = workspace.cards()
        if not cards:
            complain(f"nothing is kept in {workspace.address.words}")
        widest = max((len(card.name) for card in cards), default=0)
        for card in cards:
            say(f"{card.id}  {card.name:<{widest}}  {card.touched:%Y-%m-%d %H:%M} UTC  {_facts_words(card)}")


def _open(args: argparse.Namespace) -> None:
    """Start the dashboard at a study."""
    with _workspace() as workspace:
        card = _find(workspace, args.name)
    page = "data" if card.facts.model is None else "map"
    serve(args.port, browser=True, page=f"{page}?open={card.id}")


def _export(args: argparse.Namespace) -> None:
    """Write the current model of a study."""
    from proset.storage import save

    check_output(args.output, [])
    with _workspace() as workspace:
        card = _find(workspace, args.name)
        models = workspace.read(card.id).models
        if not models:
            raise StorageError(f"'{shown(card.name)}' has no model yet.", hint="Fit one: proset open, then Fit.")
        wanted = card.facts.model if card.facts.model in models else models[-1]
        study = workspace.model(card.id, wanted, workspace.table(card.id))
    save(study, args.output)
    if not args.quiet:
        complain(f"the model of '{shown(card.name)}' is written to {args.output}")


@contextmanager
def _workspace() -> Iterator[Workspace]:
    """Open the workspace of this user."""
    if importlib.util.find_spec("sqlalchemy") is None:
        raise ProsetError(
            "Kept studies need SQLAlchemy, which is not installed.",
            hint='Install it with: pip install "proset-dashboard[workspace]"',
        )
    from proset.workspace import Workspace, workspace_address

    address = workspace_address()
    if address is None:
        raise ProsetError("Nothing is kept: PROSET_WORKSPACE is 'none'.", hint="Name a folder in it, or unset it.")
    workspace = Workspace(address)
    try:
        yield workspace
    finally:
        workspace.close()


def _find(workspace: Workspace, name: str) -> Card:
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


def _facts_words(card: Card) -> str:
    """Say how large it is, what it learns and how good its model is."""
    facts = card.facts
    if facts.model is None:
        return f"{facts.table_words}, no model yet"
    worth = "" if facts.log_loss is None else f", log-loss {measure(facts.log_loss)} on held-out rows"
    return f"{facts.table_words}, {count_words(card.n_models, 'model')}{worth}"
