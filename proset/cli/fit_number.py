"""``proset fit`` where the target is a number: what is asked for, the fit, and what is printed of it."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proset.cli.fit_search import CHOOSE, option_names
from proset.cli.quality import wrapped
from proset.cli.terminal import fit_bar, is_watched, note, repeat_bar, say, search_bar, warnings_as_lines
from proset.common.errors import OtherSearchError, ProsetError, StudyError
from proset.common.words import count_words, percent, seconds_words, shown

if TYPE_CHECKING:
    from proset.data.roles import Roles
    from proset.data.split import SplitSettings
    from proset.data.table import Table
    from proset.selection.either import AnyRecord
    from proset.selection.number_plan import NumberPlan
    from proset.selection.number_record import NumberRecord
    from proset.study import NumberSettings, NumberStudy
    from proset.study.time_needed import TimeNeeded

_SETTINGS = (
    "n_iter", "lambda_v", "lambda_w", "alpha_v", "alpha_w", "num_candidates", "max_fraction", "max_samples", "n_joined",
    "max_prototypes", "backend",
)  # fmt: skip
_PLAN = ("n_trials", "n_folds", "max_batches", "n_joined")
_QUICK = {"lambda_v": "--lambda-v", "lambda_w": "--lambda-w", "n_iter": "--batches", "n_joined": "--joined"}
_OF_CLASSES = {
    "method": "--method",
    "rule": "--rule",
    "take_joined": "--take-joined",
    "jobs": "--jobs",
    "scheduler": "--scheduler",
}
_EVIDENCE = "evidence"
_MOST_COLUMNS = 10


def fit_number(
    table: Table, roles: Roles, split: SplitSettings, record: AnyRecord | None, args: argparse.Namespace
) -> NumberStudy:
    """Fit with the settings that were stated, or search those that were not: two of them quickly without --search."""
    from proset.selection.number_record import NumberRecord
    from proset.study import fit_number_study, search_number_study

    if not args.quiet:
        target = shown(args.target)
        note(f"'{target}' is taken as a number: the model states a distribution; --cuts makes ranges of it instead")
    _refuse_options_of_classes(args)
    if record is not None and not isinstance(record, NumberRecord):
        raise OtherSearchError("The search that was stopped is for classes.")
    plan, settings = _plan(args, record), _settings(table, args)
    needed = _time_needed(table, roles, split, settings, plan) if is_watched(quiet=args.quiet) else None
    if plan is None:
        with option_names(), warnings_as_lines(), fit_bar(needed, quiet=args.quiet) as progress:
            return fit_number_study(table, roles, split=split, settings=settings, progress=progress)
    with option_names(), warnings_as_lines(), search_bar(plan, needed, quiet=args.quiet) as watch:
        return search_number_study(
            table, roles, split=split, settings=settings, plan=plan, progress=watch, record=record
        )


def check_calibration(args: argparse.Namespace, roles: Roles) -> None:
    """Refuse a calibration that cannot be, before anything is fitted."""
    if not args.calibrate:
        return
    if not roles.number:
        raise StudyError(
            f"--calibrate is for models of a number, and '{shown(args.target)}' is taken as classes.",
            hint="Leave it out, or take the target as a number with --number.",
        )


def calibrated(study: NumberStudy, *, quiet: bool) -> NumberStudy:
    """Return the study with intervals that hold what they promise of rows that models have not seen."""
    from proset.study.calibration import calibrate_intervals
    from proset.study.number_unseen import judge_numbers_unseen

    with repeat_bar("Calibrating the intervals", quiet=quiet) as count:
        unseen = judge_numbers_unseen(study, progress=lambda now: count(now.fit - 1, now.n_fits))
    return calibrate_intervals(study, unseen)


def report_number(study: NumberStudy, output: Path) -> None:
    """Print what was fitted and how good it is."""
    from proset.explain.numbers.number_facts import range_words
    from proset.selection.either import is_quick
    from proset.selection.number_words import number_search_report
    from proset.study import learned_words

    rows, columns = study.table.frame.shape
    say(f"{study.table.name}: {count_words(rows, 'row')}, {count_words(columns, 'column')}")
    say(wrapped(range_words(study)))
    say(learned_words(study))
    if study.search is not None:
        say(f"\n{number_search_report(study.search)}\n")
    searched = study.search is not None and not is_quick(study.search.plan)
    used, all_of = len(study.feature_weights), count_words(len(study.design.columns), "matrix column")
    say(
        f"{'Searched and fitted' if searched else 'Fitted'} in {study.provenance.fit_seconds:.1f} s: "
        f"{count_words(len(study.prototypes), 'prototype')}, {used:,} of {all_of} in use."
    )
    for result in study.model.batch_results_:
        say(f"  {result.message}")
    if hasattr(study.model, "refinement_"):
        say(f"  {study.model.refinement_.message}")
    say()
    _report_quality(study, searched=searched)
    _report_columns(study)
    say(f"Saved to {output}")


def _report_quality(study: NumberStudy, *, searched: bool) -> None:
    """Print what the model is worth, and what may make it better."""
    from proset.explain.numbers.number_facts import calibration_words, measures_frame, number_advice, rough, worth_words

    advice = number_advice(study, searched=searched)
    for sentence in filter(None, (*worth_words(study), calibration_words(study), advice)):
        say(wrapped(sentence))
    what = "held-out row" if len(study.split.held_out) else "training row"
    say(f"\nOn {count_words(study.metrics.n_rows, what):<28}{'model':>12}{'as everybody':>14}")
    for line in measures_frame(study).itertuples(index=False):
        write = percent if line[0].startswith("inside") else rough
        everybody = "" if math.isnan(line[2]) else write(line[2])
        say(f"  {line[0]:<29}{write(line[1]):>12}{everybody:>14}")
    say("As everybody states the numbers of all training rows, smoothed to a distribution, for each case. Errors and "
        f"widths are in units of '{shown(study.roles.target)}'.\n")  # fmt: skip


def _report_columns(study: NumberStudy) -> None:
    """Name the columns that the model looks at, and those that it does without."""
    from proset.explain.numbers.number_facts import column_weights

    weights = column_weights(study)
    if weights.empty:
        say("The model looks at no column.\n")
        return
    heaviest = weights.max(axis=1)
    names = [shown(name) for name in heaviest.index[:_MOST_COLUMNS]]
    rest = len(heaviest) - len(names)
    more = f" and {count_words(rest, 'more column')}" if rest else ""
    unused = len(study.roles.features) - len(study.used_columns)
    without = f" It does without {count_words(unused, 'other')}." if unused else ""
    say(wrapped(f"It looks at {', '.join(names)}{more}, the heaviest first.{without}"))
    say()


def _refuse_options_of_classes(args: argparse.Namespace) -> None:
    """Refuse what only models of classes have, and name the way out."""
    target = shown(args.target)
    for name, option in _OF_CLASSES.items():
        if getattr(args, name) is not None:
            raise StudyError(
                f"{option} is for models of classes, and '{target}' is taken as a number.",
                hint="Leave it out, or make classes of the target with --cuts.",
            )
    if args.scale == _EVIDENCE:
        raise StudyError(
            f"--scale {args.scale} is for models of classes, and '{target}' is taken as a number.",
            hint="Name standard, squashed or quantile, or leave it out.",
        )
    if args.scale == CHOOSE and not args.search:
        raise StudyError(f"--scale {CHOOSE} is for a search.", hint="Add --search, or name a scale.")
    for name in ("lambda_v", "lambda_w") if args.search else ():
        if getattr(args, name) is not None:
            raise StudyError(
                f"{_QUICK[name]} is found by the search for a number, within bounds of its own.",
                hint="Leave it out, or leave out --search.",
            )


def _plan(args: argparse.Namespace, record: NumberRecord | None) -> NumberPlan | None:
    """Return the plan of a search, that of a quick fit, or None where a setting is stated that it would find."""
    from proset.selection.number_plan import NumberPlan

    if not args.search:
        if any(getattr(args, name) is not None for name in _QUICK):
            return None
        return NumberPlan.quick() if args.seed is None else NumberPlan.quick(args.seed)
    stated = {name: value for name in _PLAN if (value := getattr(args, name)) is not None}
    stated |= {} if args.seed is None else {"random_state": args.seed}
    stated |= {} if args.scale in (None, CHOOSE) else {"scales": ()}
    if record is not None and record.by_hand and args.take_best:
        return record.plan
    with option_names():
        return NumberPlan(**stated)


def _settings(table: Table, args: argparse.Namespace) -> NumberSettings:
    """Return suggested settings with those that were stated; what a search finds belongs to its plan."""
    from proset.data.scales import Scale
    from proset.study.settings import suggest_number_settings

    stated: dict[str, Any] = {name: value for name in _SETTINGS if (value := getattr(args, name)) is not None}
    stated |= {} if args.seed is None else {"random_state": args.seed}
    stated |= {} if args.scale in (None, CHOOSE) else {"scale": Scale(args.scale)}
    return replace(suggest_number_settings(len(table.frame)), **stated)


def _time_needed(
    table: Table, roles: Roles, split: SplitSettings, settings: NumberSettings, plan: NumberPlan | None
) -> TimeNeeded | None:
    """Estimate how long it takes, and say it; None where the work itself will say why it cannot be done."""
    from proset.study.number_fit import number_problem
    from proset.study.number_time import number_seconds_needed

    try:
        needed = number_seconds_needed(number_problem(table, roles, split), settings, plan)
    except (ProsetError, ValueError):
        return None
    note(f"this takes about {seconds_words(needed.seconds)}")
    return needed
