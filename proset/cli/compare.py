"""``proset compare``: several systems on one table, measured on the same rows."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from proset.cli.compare_number import compare_number
from proset.cli.compare_output import CSV, JSON, XLSX, Measures, say_measures, say_words, write_comparison
from proset.cli.fit_search import option_names
from proset.cli.fit_target import add_number
from proset.cli.options import Commands, add_quiet, add_reading
from proset.cli.paths import check_output, check_stdout
from proset.cli.problem import add_columns, add_split, add_table, open_problem, stated_split
from proset.cli.terminal import compare_bar, complain, is_watched, note, say, warnings_as_lines
from proset.common.errors import ProsetError, StudyError
from proset.common.words import measure, percent, shown

if TYPE_CHECKING:
    from proset.compare import ComparePlan, Comparison
    from proset.data.roles import Roles
    from proset.data.split import SplitSettings
    from proset.data.table import Table
    from proset.study import Study

_KEYS = ("proset", "pvm", "smp", "gbmap", "knn", "xgboost")  # proset.compare.SYSTEMS, which --help need not import
_OPTIONS = {"n_folds": "--folds", "max_rows": "--max-rows", "random_state": "--seed"}
_MEASURES: Measures = (
    ("log-loss", "log_loss", measure),
    ("balanced acc.", "balanced_accuracy", percent),
    ("ROC-AUC", "roc_auc", measure),
    ("calib. error", "calibration_error", percent),
)


def add_to(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "compare", help="compare proset with other methods on a table",
        description="Fit several systems to the same rows of a table and print how good they are.",
    )  # fmt: skip
    add_table(parser)
    add_columns(parser)
    add_split(parser)
    add_number(parser)
    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--systems",
        metavar="A,B",
        help=f"which systems: any of {', '.join(_KEYS)}; of a number any but pvm and smp (default: all)",
    )
    group.add_argument(
        "--tuned", action="store_true",
        help="let each system choose its settings by cross-validation within the rows it learns from; takes a while",
    )  # fmt: skip
    group.add_argument("--folds", dest="n_folds", type=int, metavar="N", default=5, help="folds (default 5)")
    group.add_argument("--max-rows", type=int, metavar="N", help="learn from a draw of about N training rows")
    group.add_argument(
        "-o", "--output", type=Path, metavar="FILE",
        help="also write it to a file: .csv (measures, sizes and times), .xlsx (folds, features, estimates and the "
        "rows on which systems disagree as well) or .json (all numbers)",
    )  # fmt: skip
    add_reading(parser)
    add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Read, fit, compare, print."""
    from proset.compare import compare, comparison_json, comparison_sheets, estimate, summary_table

    split, plan = stated_split(args), _plan(args)  # before anything is read
    check_stdout([args.table], needed=args.output is None)
    _check_file(args)
    table, roles = open_problem(args, numbers=True)
    if roles.number:
        compare_number(table, roles, split, plan, args, _shorter)
        return
    with warnings_as_lines():
        study = _fit(table, roles, split, args)
    expected = estimate(study, plan) if is_watched(quiet=args.quiet) else None
    if expected is not None:
        for sentence in (*expected.words, _shorter(plan, expected.smaller)):
            if sentence:
                note(sentence)
    with option_names(_OPTIONS), compare_bar(quiet=args.quiet) as progress:
        comparison = compare(study, plan, progress=progress, expected=expected)
    _report(study, comparison)
    if args.output is not None:
        write_comparison(
            args.output,
            json=lambda: comparison_json(study, comparison),
            sheets=lambda: comparison_sheets(study, comparison),
            summary=lambda: summary_table(comparison),
        )
        if not args.quiet:
            complain(f"comparison written to {args.output}")


def _shorter(plan: ComparePlan, smaller: ComparePlan | None) -> str:
    """Say which options make the smaller version that is offered; empty without one."""
    if smaller is None:
        return ""
    options = [f"with --max-rows {smaller.max_rows}"] if smaller.max_rows != plan.max_rows else []
    options += ["without --tuned"] if smaller.tuned != plan.tuned else []
    return f"For that, stop with Ctrl-C and start {' and '.join(options)}."


def _check_file(args: argparse.Namespace) -> None:
    """Refuse an output that could not be written, before the work is done."""
    if args.output is None:
        return
    if args.output.suffix.lower() not in (CSV, XLSX, JSON):
        raise ProsetError(
            f"'{shown(args.output, 200)}' has no known ending.", hint=f"Use {CSV}, {XLSX} or {JSON} for the --output."
        )
    check_output(args.output, [args.table])


def _plan(args: argparse.Namespace) -> ComparePlan:
    """Return what is compared; messages name the options."""
    from proset.compare import ComparePlan

    named = ",".join(_KEYS) if args.systems is None else args.systems
    keys = tuple(key.strip() for key in named.split(",") if key.strip())
    drawn = {} if args.seed is None else {"random_state": args.seed}
    with option_names(_OPTIONS):
        return ComparePlan(
            keys, tuned=args.tuned, n_folds=args.n_folds, max_rows=args.max_rows, sizes=False, drift=False, **drawn
        )


def _fit(table: Table, roles: Roles, split: SplitSettings, args: argparse.Namespace) -> Study:
    """Fit proset: with settings that a few trials find, unless every system will find its own."""
    from proset.selection.joint_plan import JointPlan
    from proset.study import fit_study, search_study

    if args.tuned:
        return fit_study(table, roles, split=split)
    quick = JointPlan.quick() if args.seed is None else JointPlan.quick(args.seed)
    try:
        return search_study(table, roles, split=split, plan=quick, n_jobs=1)
    except StudyError as error:
        if error.parameter != "n_folds":
            raise
        rest = error.message.removeprefix(f"n_folds is {quick.n_folds}")  # these are not the folds of --folds
        raise StudyError(
            f"proset chooses its settings by {quick.n_folds} folds{rest}",
            hint="Split by another column, or use more rows.",
        ) from None


def _report(study: Study, comparison: Comparison) -> None:
    """Print the measures over the folds and on the held-out rows."""
    from proset.compare import fold_words, metric_table
    from proset.compare.verdict import beside_rule, verdict

    table = metric_table(comparison)
    say_measures(table, _MEASURES, table.naive)
    say()
    said = (verdict(comparison), *table.words, beside_rule(comparison), fold_words(study, comparison.unmeasured))
    say_words(said, comparison.systems)
