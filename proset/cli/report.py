"""``proset report``: a model, or one case, as an HTML file or a workbook."""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from proset.cli.options import Commands, add_reading, open_case
from proset.cli.paths import check_output, open_model
from proset.cli.terminal import complain
from proset.common.errors import ProsetError
from proset.common.files import replacing
from proset.common.words import listed

if TYPE_CHECKING:
    from proset.explain.study_only.stability_result import Stability
    from proset.report.document import Document
    from proset.study import NumberStudy, Study
    from proset.study.case import Case

HTML, XLSX = ".html", ".xlsx"


def add_to(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "report",
        help="write a report on a model or on one row",
        description="Write a report on a model, or on one row: an HTML file that needs no network, or a workbook.",
    )
    parser.add_argument("model", type=Path, metavar="MODEL", help="file that 'proset fit' wrote")
    parser.add_argument(
        "table", type=Path, nargs="?", metavar="DATA", help="table with the row (default: the one of the model)"
    )
    parser.add_argument("--row", metavar="ID", help="row number or identifier; without it the report is on the model")
    parser.add_argument(
        "-o", "--output", "--out", type=Path, required=True, metavar="FILE", help="the report: .html or .xlsx"
    )
    parser.add_argument(
        "--parts", metavar="NAMES", help="parts of an HTML report, separated by commas (default: all of them)"
    )
    parser.add_argument(
        "--refits",
        type=int,
        metavar="N",
        help="also fit the model N more times with other seeds and splits, and report what stays (2 to 100)",
    )
    add_reading(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Load, make the report, write it."""
    from proset.study import NumberStudy

    ending = args.output.suffix.lower()
    if ending not in (HTML, XLSX):
        raise ProsetError(f"'{args.output}' has no known ending.", hint="Use .html or .xlsx.")
    if args.table is not None and args.row is None:
        raise ProsetError("A table is given, but no row of it.", hint="Name one with --row.")
    if args.parts is not None and ending == XLSX:
        raise ProsetError("A workbook always has all of its sheets.", hint="Leave out --parts, or write .html.")
    if ending == HTML and importlib.util.find_spec("plotly") is None:
        raise ProsetError(
            "An HTML report needs plotly, which is not installed.",
            hint='Install it with: pip install "proset-dashboard[dashboard]", or write .xlsx.',
        )
    check_output(args.output, [args.model, *([] if args.table is None else [args.table])])
    found = open_model(args.model)
    if isinstance(found, NumberStudy):
        _report_number(found, args)
        complain(f"report written to {args.output}")
        return
    study = found
    case = None if args.row is None else open_case(study, args)
    wanted = _wanted(args)
    if ending == HTML:
        _check_parts(wanted, case=case is not None)
    refits = _refits(study, case, args.refits)
    if ending == HTML:
        _write_html(_html(study, case, wanted, refits), args.output)
    else:
        _write_workbook(study, case, args.output, refits)
    complain(f"report written to {args.output}")


def _wanted(args: argparse.Namespace) -> list[str] | None:
    """Return the parts that are asked for; None for all."""
    return None if args.parts is None else [name.strip() for name in args.parts.split(",") if name.strip()]


def _report_number(study: NumberStudy, args: argparse.Namespace) -> None:
    """Write the report on a model of a number; refuse what only models of classes have."""
    from proset.report import number_case_report, number_report, to_html

    if args.output.suffix.lower() != HTML:
        raise ProsetError("The report on a model of a number is an HTML file.", hint="Use .html.")
    if args.refits is not None:
        raise ProsetError("--refits is for models of classes, and this one is of a number.", hint="Leave it out.")
    case, wanted = None if args.row is None else open_case(study, args), _wanted(args)
    _check_parts(wanted, case=case is not None, number=True)
    document = number_report(study, parts=wanted) if case is None else number_case_report(study, case, parts=wanted)
    _write_html(to_html(document), args.output)


def _write_html(text: str, output: Path) -> None:
    """Write a report, completely or not at all."""
    with replacing(output) as draft:
        draft.write_bytes(text.encode("utf-8"))


def _check_parts(wanted: list[str] | None, *, case: bool, number: bool = False) -> None:
    """Refuse parts that there are not, before refits are made for them."""
    from proset.report import part_titles

    known = part_titles(case=case, number=number)
    unknown = [name for name in wanted or [] if name not in known]
    if unknown:
        raise ProsetError(f"There is no part {listed(unknown)} in this report.", hint=f"Parts: {', '.join(known)}.")


def _refits(study: Study, case: Case | None, count: int | None) -> Stability | None:
    """Fit again as often as is asked for, and compare."""
    if count is None:
        return None
    from proset.explain.study_only.stability_refits import stability

    return stability(study, n_repeats=count, cases=[] if case is None or case.row is None else [case.row])


def _html(study: Study, case: Case | None, parts: list[str] | None, refits: Stability | None) -> str:
    """Return the report as HTML."""
    from proset.explain import Evidence
    from proset.report import case_report, model_report, to_html

    made: Document = (
        model_report(study, parts=parts, stability=refits)
        if case is None
        else case_report(Evidence(case), parts=parts, stability=refits)
    )
    return to_html(made)


def _write_workbook(study: Study, case: Case | None, output: Path, refits: Stability | None) -> None:
    """Write the report as a workbook."""
    from proset.explain import Evidence
    from proset.explain.sheets.case_sheets import report_sheets
    from proset.explain.sheets.model_sheets import model_sheets
    from proset.explain.sheets.workbook import write_workbook

    sheets = model_sheets(study, stability=refits) if case is None else report_sheets(Evidence(case))
    with replacing(output) as draft:
        write_workbook(sheets, draft)
