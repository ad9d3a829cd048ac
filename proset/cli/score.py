"""``proset score``: estimates for every row of a file of any size, in bounded memory."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from proset.cli.options import Commands, add_quiet, add_reading, reading_options
from proset.cli.terminal import complain, row_counter
from proset.errors import ProsetError

if TYPE_CHECKING:
    import pandas as pd

    from proset.study import Study

CELLS_AT_ONCE = 500_000
"""Cells of the input that are in memory at once; decides how many rows make a chunk."""

FEWEST_ROWS, MOST_ROWS = 500, 20_000


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
    from proset.cli.sinks import open_sink
    from proset.storage import load

    study = load(args.model)
    written = 0
    with (
        open_sink(args.output, neutral=not args.raw, inputs=(args.model, args.table)) as sink,
        row_counter(quiet=args.quiet) as count,
    ):
        for scores in _scored(study, args):
            sink.write(scores)
            written += len(scores)
            count(len(scores))
        if written == 0:
            raise ProsetError(f"'{args.table}' holds no row to score.", hint="It has a header only.")
    if not args.quiet and args.output != "-":
        complain(f"{written:,} rows written to {args.output}")


def _scored(study: Study, args: argparse.Namespace) -> Iterator[pd.DataFrame]:
    """The scored chunks of the table."""
    from proset.data.chunks import read_chunks
    from proset.data.reading.dialect import Dialect

    size = min(MOST_ROWS, max(FEWEST_ROWS, CELLS_AT_ONCE // max(1, len(study.table.frame.columns))))
    for frame in read_chunks(args.table, Dialect(**reading_options(args)), chunk_rows=size):
        yield output_rows(study, frame)


def output_rows(study: Study, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the scores of a chunk as they are written: row number and identifier in front.

    Parameters
    ----------
    study : Study
        A fitted study.
    frame : DataFrame
        New rows; the index holds row numbers.

    Returns
    -------
    DataFrame
        Columns ``row``, the identifier if the chunk has it, and those of :meth:`proset.study.Study.score`.
    """
    from proset.rows import identifier_text

    scores = study.score(frame).rename(columns={"quantile": "familiarity_quantile"})
    identifier = study.roles.identifier
    if identifier is not None and identifier in frame.columns:
        name = identifier if identifier not in {*scores.columns, "row"} else f"{identifier} (identifier)"
        scores.insert(0, name, identifier_text(frame[identifier]))
    scores.insert(0, "row", scores.index)
    return scores
