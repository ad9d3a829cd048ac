"""The arguments of every command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from proset.cli import app, compare, compile, explain, fit, kept, report, review, score

_EXAMPLES = """examples:
  proset fit patients.csv --target outcome --id patient -o patients.proset
  proset fit patients.csv --target outcome --search -o patients.proset
  proset score patients.proset new.csv -o scored.csv
  proset explain patients.proset --row 17 -o case.xlsx
  proset report patients.proset -o report.html
  proset compare patients.csv --target outcome
  proset app
  proset list
  proset export patients.csv -o patients.proset
  proset review export patients.csv -o verdicts.xlsx
"""


def parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    """Parse a command line; a table may stand behind options, which argparse takes for too much where it is optional.

    Examples
    --------
    >>> str(parsed(["explain", "a.proset", "--row", "3", "new.csv"]).table)
    'new.csv'
    """
    parser = build_parser()
    args, left = parser.parse_known_args(argv)
    if len(left) == 1 and not left[0].startswith("-") and getattr(args, "table", "") is None:
        args.table = Path(left[0])
    elif left:
        parser.error(f"unrecognized arguments: {' '.join(left)}")
    return args


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line; ``args.run`` of what it parses is the command to run.

    Examples
    --------
    >>> build_parser().parse_args(["app", "--port", "8600"]).port
    8600
    """
    parser = argparse.ArgumentParser(
        prog="proset",
        description="A classifier whose every estimate is a sum of known cases.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"proset {version('proset-dashboard')}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in (fit, score, explain, report, compare, app, kept, review, compile):
        command.add_to(commands)
    return parser
