"""``proset list``, ``proset open`` and ``proset export``: studies that the dashboard keeps."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from proset.cli.app import serve
from proset.cli.options import Commands, add_quiet
from proset.cli.paths import check_output
from proset.cli.studies import KEPT_WHERE, add_name, find_study, open_workspace
from proset.cli.terminal import complain, say
from proset.common.errors import StorageError
from proset.common.words import count_words, measure, rough, shown

if TYPE_CHECKING:
    from proset.workspace import Card


def add_to(commands: Commands) -> None:
    """Add the commands to the parser."""
    parser = commands.add_parser(
        "list", help="list the studies that the dashboard keeps", description=f"List kept studies. {KEPT_WHERE}"
    )
    parser.set_defaults(run=_list)
    parser = commands.add_parser(
        "open", help="start the dashboard with a kept study", description=f"Open a kept study. {KEPT_WHERE}"
    )
    add_name(parser)
    parser.add_argument("--port", type=int, metavar="N", help="port (default: the first free one)")
    parser.set_defaults(run=_open)
    parser = commands.add_parser(
        "export",
        help="write the model of a kept study to a file",
        description=f"Write the current model of a kept study, with its table, to a file that 'proset score' and the "
        f"others take. {KEPT_WHERE}",
    )
    add_name(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="by habit it ends in .proset")
    add_quiet(parser)
    parser.set_defaults(run=_export)


def _list(_: argparse.Namespace) -> None:
    """Print one line per study, those touched last first."""
    with open_workspace() as workspace:
        cards = workspace.cards()
        if not cards:
            complain(f"nothing is kept in {workspace.address.words}")
        widest = max((len(card.name) for card in cards), default=0)
        for card in cards:
            say(f"{card.id}  {card.name:<{widest}}  {card.touched:%Y-%m-%d %H:%M} UTC  {_facts_words(card)}")


def _open(args: argparse.Namespace) -> None:
    """Start the dashboard at a study."""
    with open_workspace() as workspace:
        card = find_study(workspace, args.name)
    # A model of a number has no log-loss, and no map of classes either.
    of_number = bool(card.facts.n_held_out) and card.facts.log_loss is None
    page = "data" if card.facts.model is None else "quality" if of_number else "map"
    serve(args.port, browser=True, page=f"{page}?open={card.id}")


def _export(args: argparse.Namespace) -> None:
    """Write the current model of a study."""
    from proset.storage import save

    check_output(args.output, [])
    with open_workspace() as workspace:
        card = find_study(workspace, args.name)
        models = workspace.read(card.id).models
        if not models:
            raise StorageError(f"'{shown(card.name)}' has no model yet.", hint="Fit one: proset open, then Fit.")
        wanted = card.facts.model if card.facts.model in models else models[-1]
        study = workspace.model(card.id, wanted, workspace.table(card.id))
    save(study, args.output)
    if not args.quiet:
        complain(f"the model of '{shown(card.name)}' is written to {args.output}")


def _facts_words(card: Card) -> str:
    """Say how large it is, what it learns and how good its model is."""
    facts = card.facts
    reviewed = f", {count_words(card.n_reviewed, 'row')} reviewed" if card.n_reviewed else ""
    if facts.model is None:
        return f"{facts.table_words}, no model yet{reviewed}"
    worth = "" if facts.log_loss is None else f", log-loss {measure(facts.log_loss)} on held-out rows"
    if facts.error is not None and facts.naive_error is not None:
        worth = f", off by {rough(facts.error)} on average on held-out rows, as everybody {rough(facts.naive_error)}"
    return f"{facts.table_words}, {count_words(card.n_models, 'model')}{worth}{reviewed}"
