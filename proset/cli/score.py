"""``proset score``: estimates for every row of a file of any size, in bounded memory."""

from __future__ import annotations

import argparse
from pathlib import Path

from proset.cli.options import Commands, add_quiet, add_reading, reading_options
from proset.cli.terminal import complain, row_counter


def add_to(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "score",
        help="estimate classes for new rows",
        description="Estimate classes for new rows: row number and identifier, class, probabilities, familiarity, its "
        "quantile among held-out rows, and a note on whatever had to be assumed. Files of any size need little memory.",
    )
    parser.add_argument("model", type=Path, metavar="MODEL", help="file that 'proset fit' wrote")
    parser.add_argument("table", type=Path, metavar="DATA", help="CSV, TSV, Excel or Parquet file; may be gzipped")
    parser.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="ends in .csv, .csv.gz or .parquet (default: CSV on stdout)"
    )
    parser.add_argument(
        "--raw", action="store_true",
        help="write text exactly as it is; else text that a spreadsheet would run as a formula (= + - @ at the start, "
        "unless it is a number) gets an apostrophe in front in a CSV",
    )  # fmt: skip
    add_reading(parser)
    add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Load, then read, score and write chunk by chunk."""
    from proset.bulk import score_file
    from proset.data.reading.dialect import Dialect
    from proset.storage import load

    study = load(args.model)
    with row_counter(quiet=args.quiet) as count:
        rows = score_file(
            study,
            args.table,
            args.output,
            dialect=Dialect(**reading_options(args)),
            neutral=not args.raw,
            protected=[args.model],
            on_rows=count,
        )
    if not args.quiet and args.output != "-":
        complain(f"{rows:,} rows written to {args.output}")
