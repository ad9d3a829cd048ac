"""``proset compare`` where the target is a number."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from proset.cli.compare_output import Measures, say_measures, say_words, write_comparison
from proset.cli.fit_search import option_names
from proset.cli.terminal import compare_bar, complain, is_watched, note, say, warnings_as_lines
from proset.common.words import percent, rough, shown

if TYPE_CHECKING:
    from proset.compare import ComparePlan, NumberComparison
    from proset.data.roles import Roles
    from proset.data.split import SplitSettings
    from proset.data.table import Table
    from proset.study import NumberStudy

_MEASURES: Measures = (
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
    from proset.compare import (
        NUMBER_SYSTEMS,
        compare_numbers,
        estimate,
        number_comparison_json,
        number_comparison_sheets,
        number_summary,
    )
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
        write_comparison(
            args.output,
            json=lambda: number_comparison_json(study, comparison),
            sheets=lambda: number_comparison_sheets(comparison),
            summary=lambda: number_summary(comparison),
        )
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
    say_measures(table, _MEASURES)
    say(f"\nCRPS, errors and widths are in units of '{shown(study.roles.target)}'.\n")
    said = (verdict(comparison), *table.words, beside_rule(comparison), table.promise_words, fold_words(study))
    say_words(said, comparison.systems)
