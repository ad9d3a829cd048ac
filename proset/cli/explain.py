"""``proset explain``: the verdict on one row in words, and the report behind it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from proset.cli.explain_number import explain_number
from proset.cli.options import Commands, add_reading, open_case
from proset.cli.paths import check_output, check_stdout, open_model
from proset.cli.terminal import complain, say
from proset.common.errors import ProsetError
from proset.common.files import replacing
from proset.common.words import count_words, percent

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.evidence import Evidence

_SHOWN_PROTOTYPES = 10
_ENDINGS = (".csv", ".xlsx")


def add_to(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "explain",
        help="explain the estimate for one row",
        description="Say in words what the model makes of one row, and list the prototypes behind the estimate.",
    )
    parser.add_argument("model", type=Path, metavar="MODEL", help="file that 'proset fit' wrote")
    parser.add_argument(
        "table", type=Path, nargs="?", metavar="DATA", help="table with the row (default: the one of the model)"
    )
    parser.add_argument(
        "--row",
        required=True,
        metavar="ID",
        help="row number or identifier; 'row 12' or 'id 12' if unclear",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the whole report to a .xlsx or .csv file"
    )
    parser.add_argument("--all", action="store_true", help="list every prototype, not the most influential ones only")
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Load, find the row, explain it, print and write."""
    from proset.explain import Evidence
    from proset.study import NumberStudy, search_words

    inputs = [args.model, *([] if args.table is None else [args.table])]
    if args.output is None:
        check_stdout(inputs)
    else:
        if args.output.suffix.lower() not in _ENDINGS:
            raise ProsetError(f"'{args.output}' has no known ending.", hint="Use .xlsx or .csv.")
        check_output(args.output, inputs)
    study = open_model(args.model)
    if isinstance(study, NumberStudy):
        explain_number(study, open_case(study, args), args.output, everything=args.all)
        return
    evidence = Evidence(open_case(study, args))
    _print(evidence, everything=args.all)
    if study.search is not None:
        say(f"\nThe model\n  {search_words(study.search)}")
    if args.output is not None:
        _write(evidence, args.output)
        complain(f"report written to {args.output}")


def _print(evidence: Evidence, *, everything: bool) -> None:
    """Print the words, what contradicts, the probabilities and the report."""
    case = evidence.report
    say(case.name)
    for sentence in case.words:
        say(f"  {sentence}")
    against = evidence.contradictions.words
    if against:
        say("\nWhat contradicts")
    for sentence in against:
        say(f"  {sentence}")
    say("\nProbabilities")
    for name, probability in case.probabilities.items():
        say(f"  {percent(probability):>12}  {name}")
    prototypes = len(case.prototypes)
    shown = prototypes if everything else min(prototypes, _SHOWN_PROTOTYPES)
    start = 1 + len(case.classes)  # after the case itself and the marginals
    say("\nWhat the estimate is made of")
    say(_as_text(case.report.iloc[1 : start + shown], case.classes))
    if shown < prototypes:
        rest = case.report.iloc[start + shown :]
        share = float(rest[[f"p class {name}" for name in case.classes]].to_numpy(dtype="float64").sum())
        more = count_words(prototypes - shown, "more prototype")
        say(f"... and {more}, together {percent(share)} of the estimate (--all lists them)")


def _as_text(report: pd.DataFrame, classes: tuple[str, ...]) -> str:
    """Return the leading columns of the report, aligned; features stay in the written report."""
    from proset.engine.evidence.tables import class_column

    columns = ["sample name", "target", "prototype weight", "similarity", "impact", "dominant set"]
    shares = [class_column(name) for name in classes]
    table = report[columns].assign(**{name: report[name].map(percent) for name in shares})
    return table.to_string(index=False, na_rep="", float_format=lambda value: f"{value:.3f}")


def _write(evidence: Evidence, output: Path) -> None:
    """Write the report as a workbook or as CSV."""
    from proset.common.cells import write_csv
    from proset.explain.sheets.case_sheets import report_sheets
    from proset.explain.sheets.workbook import write_workbook

    with replacing(output) as draft:
        if output.suffix.lower() == ".csv":
            with draft.open("w", encoding="utf-8", newline="") as stream:
                write_csv(evidence.report.report, stream)
        else:
            write_workbook(report_sheets(evidence, everything=False), draft)
