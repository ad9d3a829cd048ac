"""``proset fit --search``: what is searched, and where the work is done."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proset.cli.terminal import note
from proset.common.checked_json import load_json
from proset.common.errors import OtherSearchError, ParameterError, StorageError, StudyError
from proset.common.files import replacing

if TYPE_CHECKING:
    from proset.selection.either import AnyRecord, ClassPlan

Penalty = float | tuple[float, float]

RULES = ("sd", "se", "best")
_PLAN = {
    "n_folds": "--folds",
    "n_trials": "--trials",
    "max_batches": "--max-batches",
    "rule": "--rule",
    "take_joined": "--take-joined",
}
_ONLY_JOINT = ("take_joined",)
_ONLY_SEARCH = _PLAN | {
    "method": "--method",
    "take_best": "--take-best",
    "jobs": "--jobs",
    "scheduler": "--scheduler",
}
_FIXED = ("alpha_v", "max_fraction", "n_joined")
JOINT, REPORT = "joint", "report"
CHOOSE = "choose"
_COUNTS = {
    "n_iter": ("--batches", 0),
    "num_candidates": ("--candidates", 1),
    "max_samples": ("--max-samples", 1),
    "max_prototypes": ("--max-prototypes", 2),
    "n_joined": ("--joined", 1),
    "seed": ("--seed", 0),
}
_SETTINGS = {"seed": "random_state"}
_OTHERS = {
    "test_fraction": "--test-fraction",
    "alpha_v": "--alpha-v",
    "alpha_w": "--alpha-w",
    "max_fraction": "--max-fraction",
}
JOBS_PER_CORE = 4
LARGEST_PENALTY = 1e6
"""Far beyond what leaves a feature or a prototype; larger ones overflow."""
_PENALTIES = {"lambda_v": "--lambda-v", "lambda_w": "--lambda-w"}


def add_search(parser: argparse.ArgumentParser) -> None:
    """Add the options of a search; None stands for the default of the plan."""
    group = parser.add_argument_group("search (penalties and number of batches are chosen by cross-validation)")
    group.add_argument(
        "--search", action="store_true", help="choose --lambda-v, --lambda-w and --batches among many; takes a while"
    )
    group.add_argument(
        "--method", choices=(JOINT, REPORT), default=None,
        help="compare penalties and numbers of batches together (joint, the default), or one after the other by "
        "algorithm 2.2 of the report",
    )  # fmt: skip
    group.add_argument(
        "--take-best", action="store_true", default=None,
        help="do not go on with the search that was stopped, but fit with the best that it had found",
    )  # fmt: skip
    group.add_argument("--folds", dest="n_folds", type=int, metavar="N", help="folds (default 5, of a number 4)")
    group.add_argument(
        "--trials", dest="n_trials", type=int, metavar="N",
        help="of a number: sets of settings tried (default 12); with --method report: values or pairs tried (default: "
        "11 if one penalty is a range, 50 if both are)",
    )  # fmt: skip
    group.add_argument("--max-batches", type=int, metavar="B", help="most batches tried (default 10, of a number 6)")
    group.add_argument(
        "--rule", choices=RULES,
        help="take the sparsest within one standard deviation (sd) or standard error (se) of the best, or the best "
        "(default se; with --method report sd)",
    )  # fmt: skip
    group.add_argument(
        "--take-joined", action=argparse.BooleanOptionalAction, default=None,
        help="take the joined votes of several fits (--joined, default 2) unless they are clearly worse on the "
        "folds (the default); with --no-take-joined they are tried and reported only",
    )  # fmt: skip
    group.add_argument("--jobs", type=int, metavar="N", help="most processes (default: by the size of the problem)")
    group.add_argument("--scheduler", metavar="ADDRESS", help="search on a Dask scheduler, such as tcp://host:8786")


def penalty(text: str) -> Penalty:
    """Read a number, or a range LOW,HIGH."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if any(number > LARGEST_PENALTY for number in numbers):
        raise argparse.ArgumentTypeError(f"'{text}' is too large; {LARGEST_PENALTY:g} leaves no model at all")
    if len(numbers) == 1:
        return numbers[0]
    if len(numbers) == 2:
        return numbers[0], numbers[1]
    raise argparse.ArgumentTypeError(f"'{text}' is neither a number nor LOW,HIGH; write it like 0.001 or 1e-6,1e-1")


def search_plan(args: argparse.Namespace) -> ClassPlan | None:
    """Return the plan that the options ask for; refuse options that contradict each other.

    Without --search it is that of a quick fit, or None where a setting is stated that it would find.
    """
    from proset.selection.joint_plan import JointPlan

    plan = _asked_plan(args)
    if args.scale == CHOOSE and not (isinstance(plan, JointPlan) and plan.scales):
        raise StudyError("--scale choose needs a quick fit or a joint search.", hint="Name a scale.")
    return plan


def _asked_plan(args: argparse.Namespace) -> ClassPlan | None:
    """Return the plan but for what --scale says against it."""
    if not args.search:
        for name, option in _PENALTIES.items():
            if isinstance(getattr(args, name), tuple):
                raise StudyError(f"{option} is a range.", hint="Add --search to search it, or give one number.")
        for name, option in _ONLY_SEARCH.items():
            if getattr(args, name) is not None:
                raise StudyError(f"{option} is an option of the search.", hint="Add --search, or leave it out.")
        return _quick_plan(args)
    if args.n_iter is not None:
        raise StudyError(
            "--batches states the number that the search is to find.",
            hint="Limit the search with --max-batches instead.",
        )
    if args.method == REPORT and args.take_best:
        raise StudyError(
            "--take-best needs a joint search: algorithm 2.2 has nothing to take before it is finished.",
            hint="Leave out --method report, or --take-best.",
        )
    for name in _ONLY_JOINT:
        if args.method == REPORT and getattr(args, name) is not None:
            raise StudyError(f"{_PLAN[name]} is an option of a joint search.", hint="Leave out --method report, or it.")
    if args.jobs is not None and args.scheduler is not None:
        raise StudyError(
            "--jobs counts processes of this machine, and --scheduler uses others.", hint="Leave one of them out."
        )
    if args.jobs is not None and args.jobs < 1:
        raise StudyError(f"--jobs is {args.jobs:,}.", hint="Give the number of processes, at least 1.")
    with option_names():
        return _plan(args)


def refuse_trials(args: argparse.Namespace) -> None:
    """Refuse a number of trials for a joint search, which has its own; a search for a number takes it."""
    if args.n_trials is not None and args.method != REPORT:
        raise StudyError("--trials is an option of algorithm 2.2.", hint="Add --method report, or leave it out.")


def count_jobs(args: argparse.Namespace) -> int | None:
    """Return how many processes a search may use: what was asked for, but not more than help this machine."""
    most = JOBS_PER_CORE * (os.cpu_count() or 1)
    if args.jobs is None or args.jobs <= most:
        return args.jobs
    if not args.quiet:
        note(f"--jobs is {args.jobs:,}; more than {most} processes, {JOBS_PER_CORE} per core, only get in each other's "
             f"way here, so {most} are used")  # fmt: skip
    return most


def check_counts(args: argparse.Namespace) -> None:
    """Refuse counts that a machine could spend years on; they are bounded as on the Fit page."""
    from proset.study.settings import BOUNDS

    for name, (option, least) in _COUNTS.items():
        value, most = getattr(args, name, None), int(BOUNDS[_SETTINGS.get(name, name)].high)
        if value is not None and not least <= value <= most:
            raise StudyError(f"{option} is {value:,}.", hint=f"Give a whole number from {least:,} to {most:,}.")


def _plan(args: argparse.Namespace) -> ClassPlan:
    """Return the plan with what was stated."""
    from proset.selection.joint_plan import JointPlan
    from proset.selection.plan import SearchPlan

    stated: dict[str, Any] = {
        name: value for name in (*_PENALTIES, *_PLAN) if (value := getattr(args, name)) is not None
    }
    if args.seed is not None:
        stated["random_state"] = args.seed
    if args.method == REPORT:
        return SearchPlan.report(**stated)
    own = {field.name for field in fields(JointPlan)}  # settings that it keeps fixed, beside penalties
    stated = {name: value for name, value in stated.items() if name in own}  # what it lacks is refused with the table
    stated |= {name: value for name in _FIXED if name in own and (value := getattr(args, name)) is not None}
    if args.scale not in (None, CHOOSE):
        stated["scales"] = ()
    if args.n_folds is not None:
        stated["first_folds"] = max(1, min(JointPlan().first_folds, args.n_folds))
    return JointPlan(**stated)


def _quick_plan(args: argparse.Namespace) -> ClassPlan | None:
    """Return the plan of a quick fit, None where a setting is stated that it would find."""
    from proset.selection.joint_plan import JointPlan

    plan = JointPlan.quick() if args.seed is None else JointPlan.quick(args.seed)
    on_one_scale = replace(plan, scales=())
    if any(getattr(args, name, None) is not None for name in (*_PENALTIES, *on_one_scale.sets)):
        return None
    return plan if args.scale in (None, CHOOSE) else on_one_scale


@contextmanager
def option_names(options: Mapping[str, str] = _PENALTIES | _PLAN | _OTHERS) -> Iterator[None]:
    """Let messages about parameters, by default those of a fit or a search, speak of options."""
    try:
        yield
    except StudyError as error:
        refused = error.__cause__ if isinstance(error.__cause__, ParameterError) else error  # by the model itself
        option = options.get(refused.parameter or "")
        if option is None:
            raise
        raise StudyError(refused.said_of(option), hint=error.hint if refused is error else None) from None


@contextmanager
def workers(args: argparse.Namespace) -> Iterator[None]:
    """Send the search to the workers of a scheduler if one is named."""
    if args.scheduler is None:
        yield
        return
    from proset.bulk import connected

    with connected(args.scheduler):
        yield


def draft_of(output: Path) -> Path:
    """Return the file beside an output that keeps a search that was stopped."""
    return output.with_name(f"{output.name}.search")


@contextmanager
def going_on(output: Path, *, quiet: bool, take_best: bool = False) -> Iterator[AnyRecord | None]:
    """Yield what a search for the same file had finished when Ctrl-C ended it; keep it again if that ends this one.

    It lies beside the output until the study is saved. With `take_best` nothing of it is left to do.
    """
    from proset.selection.either import has_begun
    from proset.selection.search_progress import Interrupted

    draft = draft_of(output)
    begun = _read(draft) if draft.exists() else None
    if begun is not None and not quiet:
        what = "taking the best of" if take_best else "going on with"
        note(f"{what} the search that was stopped, {_count(begun)} done ('{draft}')")
    try:
        yield _best_of(begun, output) if take_best else begun
    except OtherSearchError:
        raise OtherSearchError(
            f"'{draft}' holds a search that was begun with other data, settings or options, and stopped.",
            hint="Repeat the command it was begun with, or delete the file to start anew.",
        ) from None
    except KeyboardInterrupt as stop:
        record = stop.record if isinstance(stop, Interrupted) else begun
        record = begun if take_best else record
        if record is None or not has_begun(record):
            raise KeyboardInterrupt(f"{stop}; nothing was saved.") from None
        with replacing(draft) as part:
            part.write_text(json.dumps(record.to_state()), encoding="utf-8")
        raise KeyboardInterrupt(f"{stop}; the same command goes on from there ('{draft}').") from None
    draft.unlink(missing_ok=True)


def _best_of(begun: AnyRecord | None, output: Path) -> AnyRecord:
    """Return a search that was stopped with its best so far as the choice."""
    from proset.selection.joint_record import JointRecord
    from proset.selection.number_record import NumberRecord

    if isinstance(begun, JointRecord | NumberRecord) and (begun.complete or begun.can_be_taken):
        return begun if begun.complete else begun.take_best_so_far()
    if begun is None:
        why = f"no search for '{output}' was stopped"
    else:
        trials = isinstance(begun, JointRecord | NumberRecord)
        why = "it has not finished a trial yet" if trials else "it is one by algorithm 2.2"
    raise StudyError(
        f"--take-best has nothing to take: {why}.", hint="Leave --take-best out to search, or to go on with the search."
    )


def _read(draft: Path) -> AnyRecord:
    """Read what was kept."""
    from proset.selection.either import read_record

    try:
        return read_record(load_json(draft, f"The search in '{draft}'"))
    except StorageError as error:
        raise StorageError(
            f"'{draft}' should hold a search that was stopped, but is damaged or something else.",
            hint="Delete or move it to start the search anew.",
        ) from error


def _count(record: AnyRecord) -> str:
    """Say how many fits of the stage that was under way are done, or trials of a joint search or that for a number."""
    from proset.selection.joint_record import JointRecord
    from proset.selection.number_record import NumberRecord

    if isinstance(record, NumberRecord):
        return f"{len(record.trials):,} of {record.plan.n_trials:,} trials"
    stage, done, total = record.reached()
    if isinstance(record, JointRecord):
        return f"{done:,} of about {total:,} trials"
    return f"stage {stage}, {done:,} of {total:,} fits"
