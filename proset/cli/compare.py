"""``proset compare``: several systems on one table, measured on the same rows."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from proset.cli.options import Commands, add_quiet, add_reading
from proset.cli.problem import add_columns, add_split, add_table, open_problem, stated_split
from proset.cli.quality import wrapped
from proset.cli.terminal import compare_bar, is_watched, need_stdout, note, say, warnings_as_lines
from proset.common.errors import StudyError
from proset.common.words import count_words, measure, percent, shown

if TYPE_CHECKING:
    import pandas as pd

    from proset.compare import ComparePlan, Comparison, MetricTable
    from proset.data.roles import Roles
    from proset.data.split import SplitSettings
    from proset.data.table import Table
    from proset.study import Study

_KEYS = ("proset", "pvm", "smp", "gbmap", "knn", "xgboost")  # proset.compare.SYSTEMS, which --help need not import
_WIDTH = 26
_COLUMNS: tuple[tuple[str, str, int, Callable[[float], str]], ...] = (
    ("log-loss", "log_loss", 16, measure),
    ("balanced acc.", "balanced_accuracy", 18, percent),
    ("ROC-AUC", "roc_auc", 17, measure),
    ("calib. error", "calibration_error", 18, percent),
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
    group = parser.add_argument_group("comparison")
    group.add_argument(
        "--systems", metavar="A,B", default=",".join(_KEYS), help=f"which systems: any of {', '.join(_KEYS)}"
    )
    group.add_argument(
        "--tuned", action="store_true",
        help="let each system choose its settings by cross-validation within the rows it learns from; takes a while",
    )  # fmt: skip
    group.add_argument("--folds", dest="n_folds", type=int, metavar="N", default=5, help="folds (default 5)")
    group.add_argument("--max-rows", type=int, metavar="N", help="learn from a draw of at most N training rows")
    add_reading(parser)
    add_quiet(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Read, fit, compare, print."""
    from proset.compare import compare, estimate

    need_stdout()
    split, plan = stated_split(args), _plan(args)  # before anything is read
    table, roles = open_problem(args)
    with warnings_as_lines():
        study = _fit(table, roles, split, args)
    expected = estimate(study, plan) if is_watched(quiet=args.quiet) else None
    for sentence in () if expected is None else expected.words:
        note(sentence)
    with compare_bar(quiet=args.quiet) as progress:
        comparison = compare(study, plan, progress=progress, expected=expected)
    _report(comparison)


def _plan(args: argparse.Namespace) -> ComparePlan:
    """Return what is compared; messages name the options."""
    from proset.compare import ComparePlan

    keys = tuple(key.strip() for key in args.systems.split(",") if key.strip())
    seed = {} if args.seed is None else {"seed": args.seed}
    try:
        return ComparePlan(
            keys, tuned=args.tuned, n_folds=args.n_folds, max_rows=args.max_rows, sizes=False, drift=False, **seed
        )
    except StudyError as error:
        message = error.message
        for name, option in (("n_folds", "--folds"), ("max_rows", "--max-rows"), ("seed", "--seed")):
            message = message.replace(f"{name} is", f"{option} is")
        raise StudyError(message, hint=error.hint) from None


def _fit(table: Table, roles: Roles, split: SplitSettings, args: argparse.Namespace) -> Study:
    """Fit proset: with settings that a few trials find, unless every system will find its own."""
    from proset.selection.joint_plan import JointPlan
    from proset.study import fit_study, search_study

    if args.tuned:
        return fit_study(table, roles, split=split)
    quick = JointPlan.quick() if args.seed is None else JointPlan.quick(args.seed)
    return search_study(table, roles, split=split, plan=quick, n_jobs=1)


def _report(comparison: Comparison) -> None:
    """Print the measures over the folds and on the held-out rows."""
    from proset.compare import metric_table

    table = metric_table(comparison)
    folds, rows = count_words(table.n_folds, "fold"), count_words(table.n_rows, "training row")
    say(f"Over {folds} of {rows}, mean ± sd (* equivalent)")
    _lines(table, "mean")
    say(f"\nOn {table.n_measured:,} {table.which}")
    _lines(table, "held_out")
    say()
    for sentence in table.words:
        say(wrapped(sentence))
    for entry in comparison.systems:
        for words in filter(None, (entry.failed, *entry.notes)):
            say(wrapped(f"{entry.title}: {shown(words, 300)}"))


def _lines(table: MetricTable, what: str) -> None:
    """Print one block of measures; beside means, equivalent systems have a mark."""
    say(f"  {'':<{_WIDTH}}" + "".join(f"{name:>{width}}" for name, _, width, _ in _COLUMNS))
    marked = table.frame["equivalent"].fillna(False).astype(bool).tolist()
    for i in range(len(table.frame)):
        line = table.frame.iloc[i]
        mark = " *" if what == "mean" and marked[i] else ""
        _line(line["title"] + mark, line, what)
    _line("class shares alone", table.naive, what)


def _line(title: str, line: pd.Series, what: str) -> None:
    """Print the measures of one system."""
    cells = [_cell(line, name, what, words).rjust(width) for _, name, width, words in _COLUMNS]
    say(f"  {title:<{_WIDTH}}{''.join(cells)}")


def _cell(line: pd.Series, name: str, what: str, words: Callable[[float], str]) -> str:
    """Return a measure as text, with its standard deviation over the folds if it is a mean."""
    value = float(line[f"{name}_{what}"])
    if math.isnan(value):
        return "-"
    return f"{words(value)} ± {words(float(line[f'{name}_sd']))}" if what == "mean" else words(value)
