"""``proset fit``: from a table file to a saved study."""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proset.cli.fit_number import calibrated, check_calibration, fit_number, report_number
from proset.cli.fit_search import (
    CHOOSE,
    add_search,
    count_jobs,
    draft_of,
    going_on,
    option_names,
    penalty,
    refuse_trials,
    search_plan,
    workers,
)
from proset.cli.fit_target import add_number
from proset.cli.options import Commands, add_quiet, add_reading
from proset.cli.paths import check_output
from proset.cli.problem import add_columns, add_split, add_table, open_problem, stated_split
from proset.cli.quality import report_quality
from proset.cli.terminal import fit_bar, is_watched, note, repeat_bar, say, search_bar, warnings_as_lines
from proset.common.errors import OtherSearchError, ProsetError, StorageError
from proset.common.files import is_same_file
from proset.common.words import count_words, seconds_words

if TYPE_CHECKING:
    from proset.data.roles import Roles
    from proset.data.split import SplitSettings
    from proset.data.table import Table
    from proset.selection.either import AnyRecord, ClassPlan, ClassRecord
    from proset.study import Study
    from proset.study.settings import FitSettings
    from proset.study.time_needed import TimeNeeded

_SETTINGS = (
    "n_iter", "lambda_v", "lambda_w", "alpha_v", "alpha_w", "num_candidates", "max_fraction", "max_samples",
    "max_prototypes", "n_joined", "backend",
)  # fmt: skip
_SCALES = (CHOOSE, "standard", "squashed", "quantile", "evidence")  # those of proset.data.scales
_BACKENDS = ("compiled", "numpy", "tensorflow")  # those of proset.engine.objective, which --help should not import


def add_to(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser("fit", help="fit a model to a table", description="Fit a model and save it.")
    add_table(parser)
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="where to save the study")
    add_columns(parser)
    add_number(parser)
    add_split(parser)
    _add_settings(parser)
    add_search(parser)
    add_reading(parser)
    add_quiet(parser)
    parser.set_defaults(run=run)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    """Add hyperparameters; None stands for the default of the model."""
    group = parser.add_argument_group(
        "hyperparameters (unless one of the first four is stated, a few of them are tried and the best are taken)"
    )
    group.add_argument("--batches", dest="n_iter", type=int, metavar="B", help="batches of prototypes")
    group.add_argument(
        "--lambda-v", type=penalty, metavar="X",
        help="penalty on feature weights; with --search a number or a range LOW,HIGH",
    )  # fmt: skip
    group.add_argument(
        "--lambda-w", type=penalty, metavar="X",
        help="penalty on prototype weights; with --search a number or a range LOW,HIGH",
    )  # fmt: skip
    group.add_argument("--alpha-v", type=float, metavar="X", help="L2 share of the feature penalty")
    group.add_argument("--alpha-w", type=float, metavar="X", help="L2 share of the prototype penalty (default 0.95)")
    group.add_argument("--candidates", dest="num_candidates", type=int, metavar="M", help="per batch (default 1000)")
    group.add_argument("--max-fraction", type=float, metavar="X", help="most candidates of a class (default 0.5)")
    group.add_argument("--max-samples", type=int, metavar="N", help="most rows per batch (default: all)")
    group.add_argument("--max-prototypes", type=int, metavar="N", help="most prototypes in the end (default: no limit)")
    group.add_argument(
        "--scale", choices=_SCALES,
        help="of numbers: standard, squashed (like a logarithm far out), quantile (by rank), evidence (standard, and "
        "beside it what each value says of the classes), or choose: the search compares them (what a joint search, "
        "and that for a number, does unless told otherwise; else standard)",
    )  # fmt: skip
    group.add_argument(
        "--joined",
        dest="n_joined",
        type=int,
        metavar="M",
        help="fits whose votes are joined (default 1; in a search 4 below 500 rows and for a number, else 2)",
    )
    group.add_argument(
        "--backend", choices=_BACKENDS,
        help="what computes: compiled code (the default), numpy, or TensorFlow, on a GPU if there is one",
    )  # fmt: skip


def run(args: argparse.Namespace) -> None:
    """Read, guess and check roles, fit, report, save."""
    from proset.storage import save
    from proset.study.repeats import with_repeats

    split, plan = stated_split(args), search_plan(args)  # before anything is read
    check_output(args.output, [args.table])
    if args.search and is_same_file(draft := draft_of(args.output), args.table):
        raise StorageError(
            f"'{draft}' is where the search keeps what it has done, and also the table.",
            hint="Choose another name for the output.",
        )
    table, roles = open_problem(args, numbers=True)
    check_calibration(args, roles)
    if not roles.number:
        refuse_trials(args)
    begun = going_on(args.output, quiet=args.quiet, take_best=bool(args.take_best)) if args.search else nullcontext()
    with begun as record:
        if roles.number:
            number = fit_number(table, roles, split, record, args)
            number = calibrated(number, quiet=args.quiet) if args.calibrate else number
            save(number, args.output)
        else:
            study = _fit(table, roles, split, plan, _of_classes(record), args)
            with repeat_bar("Checking the verdict", quiet=args.quiet) as progress:
                study = with_repeats(study, progress=progress)
            save(study, args.output)
    if args.quiet:
        return
    if roles.number:
        report_number(number, args.output)
    else:
        _report(study, args.output)


def _of_classes(record: AnyRecord | None) -> ClassRecord | None:
    """Refuse to go on with the search for a number."""
    from proset.selection.number_record import NumberRecord

    if isinstance(record, NumberRecord):
        raise OtherSearchError("The search that was stopped is for a number.")
    return record


def _fit(
    table: Table,
    roles: Roles,
    split: SplitSettings,
    plan: ClassPlan | None,
    record: ClassRecord | None,
    args: argparse.Namespace,
) -> Study:
    """Fit with the settings that were stated, or search those that were not: a few of them quickly without --search."""
    from proset.study import fit_study, search_study

    settings = _settings(table, roles, args)
    jobs = count_jobs(args) if args.search else 1
    needed = _time_needed(table, roles, split, settings, plan, jobs) if is_watched(quiet=args.quiet) else None
    if plan is None:
        with option_names(), warnings_as_lines(), fit_bar(needed, quiet=args.quiet) as progress:
            return fit_study(table, roles, split=split, settings=settings, progress=progress)
    with option_names(), warnings_as_lines(), workers(args), search_bar(plan, needed, quiet=args.quiet) as watch:
        return search_study(
            table, roles, split=split, settings=settings, plan=plan, n_jobs=jobs, progress=watch, record=record
        )


def _time_needed(
    table: Table, roles: Roles, split: SplitSettings, settings: FitSettings, plan: ClassPlan | None, jobs: int | None
) -> TimeNeeded | None:
    """Estimate how long it takes, and say it; None where the work itself will say why it cannot be done."""
    from proset.study.fit import make_problem
    from proset.study.time_needed import seconds_needed

    try:
        needed = seconds_needed(make_problem(table, roles, split), settings, plan, n_jobs=jobs)
    except (ProsetError, ValueError):
        return None
    note(f"this takes about {seconds_words(needed.seconds)}")
    return needed


def _settings(table: Table, roles: Roles, args: argparse.Namespace) -> FitSettings:
    """Return suggested settings with those that were stated; what a search finds belongs to its plan."""
    from proset.data.scales import Scale
    from proset.study.settings import suggest_settings

    names = [name for name in _SETTINGS if not (args.search and name in ("lambda_v", "lambda_w"))]
    stated: dict[str, Any] = {name: value for name in names if (value := getattr(args, name)) is not None}
    stated |= {} if args.seed is None else {"random_state": args.seed}
    stated |= {} if args.scale in (None, CHOOSE) else {"scale": Scale(args.scale)}
    return replace(suggest_settings(len(table.frame), len(roles.features)), **stated)


def _report(study: Study, output: Path) -> None:
    """Print what was fitted and how good it is."""
    _report_table(study.table, study)
    if study.search is not None:
        from proset.selection.words import search_report

        say(f"\n{search_report(study.search).rstrip()}\n")
    from proset.selection.either import is_quick

    results = study.model.batch_results_
    features = len(study.feature_weights)
    searched = study.search is not None and not is_quick(study.search.plan)
    done = "Searched and fitted" if searched else "Fitted"
    say(
        f"{done} in {study.provenance.fit_seconds:.1f} s: {count_words(len(study.prototypes), 'prototype')}, "
        f"{features:,} of {count_words(len(study.design.columns), 'matrix column')} in use."
    )
    for result in results:
        say(f"  {result.message}")
    if hasattr(study.model, "refinement_"):
        say(f"  {study.model.refinement_.message}")
    report_quality(study)
    say(f"Saved to {output}")


def _report_table(table: Table, study: Study) -> None:
    """Print the size of the table and of the classes, and which rows were for what."""
    import pandas as pd

    from proset.study import learned_words

    counts = study.labels.value_counts()
    if study.roles.classes is not None:
        counts = counts.reindex(pd.Index(study.classes))
    rows, columns = table.frame.shape
    say(f"{table.name}: {count_words(rows, 'row')}, {count_words(columns, 'column')}")
    say(f"Classes of '{study.roles.target}': " + ", ".join(f"{name} {count:,}" for name, count in counts.items()))
    say(learned_words(study))
