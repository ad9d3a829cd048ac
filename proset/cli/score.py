"""``proset score``: estimates for every row of a file of any size, or of a folder of files, in bounded memory."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from proset.cli.options import Commands, add_quiet, add_reading, declared, named_options, reading_options
from proset.cli.paths import check_output, check_stdout, open_model, table_file
from proset.cli.terminal import complain, part_counter, row_counter, say
from proset.common.errors import ProsetError
from proset.common.words import count_words

if TYPE_CHECKING:
    from proset.bulk import FileOptions
    from proset.study.any_study import AnyStudy

STDOUT = "-"


def add_to(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "score",
        help="estimate classes or numbers for new rows",
        description="Estimate classes for new rows: row number and identifier, class, probabilities, familiarity, its "
        "quantile among held-out rows, and a note on whatever had to be assumed; of a number, median, mean and both "
        "ends of the interval of 90 % take the place of class and probabilities. The rows need the columns that the "
        "model uses (--columns lists them); others may be missing. Files of any size need little memory. "
        "A folder of files becomes a folder of scores; if it was stopped, run it again and finished files are kept.",
    )
    parser.add_argument("model", type=Path, metavar="MODEL", help="file that 'proset fit' wrote")
    parser.add_argument(
        "table", type=Path, nargs="?", metavar="DATA",
        help="CSV, TSV, Excel, OpenDocument or Parquet file, may be gzipped; or - for standard input; or a folder of "
        "files; or a pattern such as 'data/*.csv'",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", default=STDOUT, metavar="FILE",
        help="ends in .csv, .csv.gz or .parquet (default: CSV on stdout); for several files: the folder for them",
    )  # fmt: skip
    parser.add_argument(
        "--format", choices=["parquet", "csv", "csv.gz"], help="how each file in a folder is written (default: parquet)"
    )
    parser.add_argument(
        "--columns", action="store_true", help="list the columns that the rows have to have, one a line, and stop"
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="score the files of a folder on a Dask scheduler, such as tcp://host:8786",
    )
    parser.add_argument(
        "--raw", action="store_true",
        help="write text exactly as it is; else text that a spreadsheet would run as a formula (= + - @ at the start, "
        "unless it is a number) gets an apostrophe in front in a CSV",
    )  # fmt: skip
    parser.add_argument(
        "--novelty", action="store_true",
        help="add how near each row is to the nearest case that the model was fitted to: its row, its similarity and "
        "the quantile among held-out rows, in the columns that the model uses and in all columns; a row that agrees "
        "with one of these cases in every feature, class and identifier is taken for it and compared with the others",
    )  # fmt: skip
    add_reading(parser)
    add_quiet(parser)
    parser.set_defaults(run=run, usage_error=parser.error)


def run(args: argparse.Namespace) -> None:
    """Score one file, or the files of a folder; or say what they have to hold."""
    if args.columns:
        _list_columns(args)
        return
    if args.table is None:
        args.usage_error("the following arguments are required: DATA")
    from proset.bulk import FileOptions, is_partitioned
    from proset.data.reading.dialect import Dialect

    options = FileOptions(Dialect(**reading_options(args)), neutral=not args.raw, novelty=args.novelty)
    if is_partitioned(args.table):
        with named_options(args):
            _score_files(args, options)
        return
    for option in ("scheduler", "format"):
        if getattr(args, option) is not None:
            raise ProsetError(
                f"--{option} is for a folder of files or a pattern, and '{args.table}' is neither.",
                hint=f"Leave out --{option}.",
            )
    with named_options(args):
        _score_file(args, options)


def _list_columns(args: argparse.Namespace) -> None:
    """Print what a table has to hold to be scored."""
    columns = open_model(args.model).used_columns
    if not columns:
        complain("note: the model uses no column, so every row gets the same estimate")
    for name in columns:
        say(name)


def _score_file(args: argparse.Namespace, options: FileOptions) -> None:
    """Load, then read, score and write chunk by chunk."""
    from proset.bulk import score_file

    if args.output == STDOUT:
        check_stdout([args.model, args.table])
    else:
        check_output(Path(args.output), [args.model, args.table])
    study = open_model(args.model)
    options = _with_missing(options, args, study)
    with table_file(args.table) as table, row_counter(quiet=args.quiet) as count:
        rows = score_file(study, table, args.output, options, protected=[args.model], on_rows=count)
    if not args.quiet and args.output != STDOUT:
        complain(f"{count_words(rows, 'row')} written to {args.output}")


def _score_files(args: argparse.Namespace, options: FileOptions) -> None:
    """Score file by file, here or on a scheduler, and name those that failed."""
    from proset.bulk import score_partitions

    if args.output == STDOUT:
        raise ProsetError("The scores of several files need a folder.", hint="Name one with --output.")
    study = open_model(args.model)
    with part_counter(quiet=args.quiet) as count:
        results = score_partitions(
            study,
            args.table,
            args.output,
            _with_missing(options, args, study),
            ending=f".{args.format or 'parquet'}",
            scheduler=args.scheduler,
            progress=count,
        )
    failed = [result for result in results if result.error is not None]
    for result in failed:
        complain(f"{result.part.name}: {result.error}")
    if not args.quiet:
        kept = sum(result.kept for result in results)
        rows = sum(result.rows for result in results)
        complain(
            f"{len(results) - kept - len(failed)} of {count_words(len(results), 'file')} scored, "
            f"{count_words(rows, 'row')}, to {args.output}"
            + (f"; {kept:,} finished before {'was' if kept == 1 else 'were'} kept" if kept else "")
        )
    if failed:
        have = "has" if len(failed) == 1 else "have"
        raise ProsetError(
            f"{len(failed)} of {count_words(len(results), 'file')} {have} no scores.",
            hint="Mend them and run the same command again.",
        )


def _with_missing(options: FileOptions, args: argparse.Namespace, study: AnyStudy) -> FileOptions:
    """Add units and words that mean missing, in columns of the model; those that it knows need not be given."""
    from proset.data.missing_words import with_words

    return replace(options, dialect=with_words(options.dialect, *declared(args, study.table.frame.columns)))
