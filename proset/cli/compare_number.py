"""``proset compare`` where the target is a number."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from proset.cli.fit_search import option_names
from proset.cli.quality import wrapped
from proset.cli.terminal import compare_bar, complain, is_watched, note, say, warnings_as_lines
from proset.common.words import count_words, percent, rough, shown

if TYPE_CHECKING:
    from pathlib import Path

    from proset.compare import ComparePlan, NumberComparison, NumberTable
    from proset.data.roles import Roles
    from proset.data.split import SplitSettings
    from proset.data.table import Table
    from proset.study import NumberStudy

_WIDTH, _NARROWEST = 26, 14
_SHOWN: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("CRPS", "crps", rough),
    ("RMSE", "rmse", rough),
    ("MAE", "mae", rough),
    ("held by 90 %", "covered", percent),
    ("width of 90 %", "width", rough),
)


def compare_number(
    table: Table,
    roles: Roles,
    split: SplitSettings,
    plan: ComparePlan,
    args: argparse.Namespace,
    shorter: Callable[[ComparePlan, ComparePlan | None], str],
) -> None:
    """Fit, compare, print, and write what was asked for."""
    from proset.compare import NUMBER_SYSTEMS, compare_numbers, estimate
    from proset.compare.numbers.number_contenders import number_contenders

    if args.systems is None:
        plan = replace(plan, systems=NUMBER_SYSTEMS)
    with warnings_as_lines():
        study = _fit(table, roles, split, args)
    with option_names({"systems": "--systems"}):
        number_contenders(plan, study)
    expected = estimate(study, plan) if is_watched(quiet=args.quiet) else None
    for sentence in () if expected is None else (*expected.words, shorter(plan, expected.smaller)):
        if sentence:
            note(sentence)
    with option_names({"n_folds": "--folds"}), compare_bar(quiet=args.quiet) as progress:
        comparison = compare_numbers(study, plan, progress=progress, expected=expected)
    _report(study, comparison)
    if args.output is not None:
        _write(study, comparison, args.output)
        if not args.quiet:
            complain(f"comparison written to {args.output}")


def _fit(table: Table, roles: Roles, split: SplitSettings, args: argparse.Namespace) -> NumberStudy:
    """Fit proset: with settings that a few trials find, unless every system will find its own."""
    from proset.selection.number_plan import NumberPlan
    from proset.study import fit_number_study, search_number_study

    if args.tuned:
        return fit_number_study(table, roles, split=split)
    plan = NumberPlan.quick() if args.seed is None else NumberPlan.quick(args.seed)
    return search_number_study(table, roles, split=split, plan=plan)


def _report(study: NumberStudy, comparison: NumberComparison) -> None:
    """Print the measures over the folds and on the held-out rows."""
    from proset.compare import fold_words, number_table
    from proset.compare.verdict import beside_rule, verdict

    table = number_table(comparison)
    means, held_out = _cells(table, "mean"), _cells(table, "held_out")
    widths = [max(_NARROWEST, *(len(line[j]) for line in [*means, *held_out])) for j in range(len(_SHOWN))]
    folds, rows = count_words(table.n_folds, "fold"), count_words(table.n_rows, "training row")
    say(f"Over {folds} of {rows}, mean ± sd (* equivalent)")
    _lines(table, means, widths, marked=True)
    say(f"\nOn {table.n_measured:,} {table.which}")
    _lines(table, held_out, widths, marked=False)
    say(f"\nCRPS, errors and widths are in units of '{shown(study.roles.target)}'.\n")
    said = (verdict(comparison), *table.words, beside_rule(comparison), table.promise_words, fold_words(study))
    for sentence in filter(None, said):
        say(wrapped(sentence))
    for entry in comparison.systems:
        for words in filter(None, (entry.failed, *entry.notes)):
            say(wrapped(f"{entry.title}: {shown(words, 300)}"))


def _lines(table: NumberTable, cells: list[list[str]], widths: list[int], *, marked: bool) -> None:
    """Print one block of measures; beside means, equivalent systems have a mark."""
    equivalent = table.frame["equivalent"].fillna(False).astype(bool)
    titles = [f"{title} *" if marked and found else str(title)
              for title, found in zip(table.frame["title"], equivalent, strict=True)]  # fmt: skip
    headings = [heading for heading, _, _ in _SHOWN]
    for title, line in zip(["", *titles], [headings, *cells], strict=True):
        say(f"  {title:<{_WIDTH}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(line, widths, strict=True)))


def _cells(table: NumberTable, what: str) -> list[list[str]]:
    """Return the measures of each system as text."""
    found = []
    for _, line in table.frame.iterrows():
        values = [(float(line[f"{name}_{what}"]), float(line[f"{name}_sd"]), write) for _, name, write in _SHOWN]
        found.append(
            [
                "-" if math.isnan(value) else f"{write(value)} ± {write(sd)}" if what == "mean" else write(value)
                for value, sd, write in values
            ]
        )
    return found


def _write(study: NumberStudy, comparison: NumberComparison, output: Path) -> None:
    """Write the comparison in the form that the ending says."""
    from proset.common.cells import write_csv
    from proset.common.files import replacing
    from proset.compare import number_comparison_json, number_comparison_sheets, number_summary
    from proset.explain.sheets.workbook import write_workbook

    ending = output.suffix.lower()
    with replacing(output) as draft:
        if ending == ".json":
            draft.write_bytes(number_comparison_json(study, comparison))
        elif ending == ".xlsx":
            write_workbook(number_comparison_sheets(comparison), draft)
        else:
            with draft.open("w", encoding="utf-8", newline="") as stream:
                write_csv(number_summary(comparison).reset_index(), stream)
