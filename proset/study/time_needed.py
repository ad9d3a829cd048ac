"""Time of a fit or a search, estimated from small fits that are measured."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from proset.data.design import Design
from proset.engine.candidates import smallest_class_size
from proset.engine.coarse_rows import share_of_time
from proset.engine.fitting import BatchSettings, TrainingData
from proset.engine.growth import Streams, grow, marginal_model
from proset.engine.kernels.threads import n_threads
from proset.engine.objective.problem import OVERHEAD_PER_PAIR
from proset.selection.either import ClassPlan
from proset.selection.joint_plan import JointPlan
from proset.selection.plan import SearchPlan
from proset.selection.scale_choice import MOST_BATCHES, MOST_ROWS
from proset.selection.workers import SECONDS_PER_EVALUATION, SECONDS_PER_UNIT, count_workers
from proset.study.fit import CheckedTable
from proset.study.repeats import N_FOLDS, n_repeats
from proset.study.settings import FitSettings

MEASURED_ROWS, DESIGN_ROWS = 500, 5_000
LONGEST_CURVE = 6.0  # batches that a curve over the number of batches has on average, at most
GOES_ON = 0.6  # share of the pairs kept that are measured on the last folds, too
REFINING = 2.5  # curves that the last look takes as long as, on each fold
LOOKS = 2  # curves that a second look compares on average
TIGHT = 4.0  # evaluations of a fit with the usual tolerance for one with the loose tolerance inside the folds
GROWTH, MOST_GROWTH = 0.15, 2.0  # evaluations of a fit with the usual tolerance grow with the rows, up to a point
LATER = 0.6  # evaluations of a further batch for one of the first
SHARED = 2e7  # pairs of rows and candidates times columns from which all threads work on one evaluation
FOUND_BATCHES = 4.0  # of a model that a search finds, on average
STARTING = 2.0  # seconds until a process works, and for reading and measuring
WORKERS_STARTING = 3.0
SURE = 2.5  # how far off the estimate may be
REPEATS = 3  # of a measurement

Clock = Callable[[], float]

DESIGN_SECONDS = 0.02  # for the matrices of one fold, and for what a fit takes beside evaluations


@dataclass(frozen=True)
class TimeNeeded:
    """About how long a fit or a search takes.

    Attributes
    ----------
    search : float
        Seconds for the folds; 0 for a fit with stated settings.
    refit : float
        Seconds for the model itself.
    checking : float
        Seconds for the repeated cross-validation that a verdict takes where few rows are held out.

    Examples
    --------
    >>> needed = TimeNeeded(30.0, 10.0)
    >>> needed.seconds, needed.low, needed.high
    (40.0, 16.0, 100.0)
    """

    search: float
    refit: float
    checking: float = 0.0

    @property
    def seconds(self) -> float:
        """All of it."""
        return self.search + self.refit + self.checking

    @property
    def low(self) -> float:
        """Lower bound of the estimate in seconds."""
        return self.seconds / SURE

    @property
    def high(self) -> float:
        """Upper bound of the estimate in seconds."""
        return self.seconds * SURE


@dataclass(frozen=True)
class FitPace:
    """Speed of small fits on this machine with these data.

    Attributes
    ----------
    factor : float
        How long an evaluation takes, for what :func:`evaluation_seconds` says.
    loose, tight : float
        Evaluations of a batch with the tolerance inside the folds, and with that of a fit.
    """

    factor: float
    loose: float
    tight: float


def seconds_needed(
    problem: CheckedTable,
    settings: FitSettings,
    plan: ClassPlan | None,
    *,
    n_jobs: int | None = None,
    clock: Clock = time.perf_counter,
) -> TimeNeeded:
    """Estimate how long a fit or a search takes, from small fits that take a fraction of a second.

    Parameters
    ----------
    problem : CheckedTable
        From :func:`proset.study.fit.make_problem`.
    settings : FitSettings
        What is not searched.
    plan : JointPlan, SearchPlan or None
        What is tried; None for one fit with `settings`.
    n_jobs : int or None
        As for :func:`proset.study.search_study`.
    clock : callable
        Tells the time; for tests.

    Returns
    -------
    TimeNeeded
        Right within a factor of about 2.5 on a machine that does nothing else.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.selection import JointPlan
    >>> from proset.study.fit import make_problem
    >>> problem = make_problem(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> quick = seconds_needed(problem, FitSettings(), JointPlan.quick())
    >>> own = seconds_needed(problem, FitSettings(), None)
    >>> own.search, quick.search > 0.0
    (0.0, True)
    """
    base = BatchSettings.of(settings)
    matrix, target = _sample(problem)
    pace = measure_pace(matrix, target, base, plan, clock)
    found = scaled(pace, base, plan, n_rows=len(problem.split.train), n_columns=matrix.shape[1],
                   n_batches=settings.n_iter, n_jobs=n_jobs)  # fmt: skip
    n_joined = 1 if plan is not None and "n_joined" in getattr(plan, "sets", ()) else settings.n_joined
    found = replace(found, refit=n_joined * found.refit)
    fits = N_FOLDS * n_repeats(len(problem.split.held_out), by_time=problem.split.settings.by_time) * n_joined
    if not fits:
        return found
    rows = (len(problem.split.train) + len(problem.split.held_out)) * (1.0 - 1.0 / N_FOLDS)
    each = pace.factor * pace.loose * evaluation_seconds(*_rows_of(rows, base, base.max_samples), matrix.shape[1])
    return replace(found, checking=fits * (each + DESIGN_SECONDS))


def measure_pace(
    matrix: np.ndarray,
    target: np.ndarray,
    base: BatchSettings,
    plan: ClassPlan | None,
    clock: Clock = time.perf_counter,
) -> FitPace:
    """Fit one batch to a few rows, with both tolerances, and see how long an evaluation takes.

    Parameters
    ----------
    matrix, target : ndarray
        At most :data:`MEASURED_ROWS` rows as the model sees them, and their classes from 0.
    base : BatchSettings
        Of the fit.
    plan : JointPlan, SearchPlan or None
        Gives the penalties: those in the middle of what is tried.
    clock : callable
        Tells the time.

    Returns
    -------
    FitPace
        As usual where the rows do not suffice for a fit.
    """
    settings = base
    if plan is not None:
        pairs = plan.pairs()
        lambda_v, lambda_w = pairs[len(pairs) // 2]
        settings = replace(_as_planned(base, plan, matrix.shape[0]), lambda_v=lambda_v, lambda_w=lambda_w)
    if np.unique(target).shape[0] < 2:
        return FitPace(1.0, 100.0, 100.0 * TIGHT)
    loose = replace(settings, solver_factr=1e11 if plan is None else plan.cv_factr)
    _evaluations(matrix[:40], target[:40], loose)  # whatever has to be loaded or compiled first
    counts, seconds, rows = [0.0, 0.0], math.inf, matrix.shape[0]
    for _ in range(REPEATS):  # the shortest: others may have had the processor meanwhile
        began = clock()
        counts = [_evaluations(matrix, target, loose), _evaluations(matrix, target, settings)]
        seconds = min(seconds, clock() - began)
    usual = sum(counts) * evaluation_seconds(rows, _candidates(settings, rows), matrix.shape[1])
    return FitPace(seconds / usual if usual else 1.0, max(counts[0], 1.0), max(counts[1], 1.0))


def scaled(
    pace: FitPace,
    base: BatchSettings,
    plan: ClassPlan | None,
    *,
    n_rows: int,
    n_columns: int,
    n_batches: int,
    n_jobs: int | None = None,
) -> TimeNeeded:
    """Scale a pace to everything that a fit or a search does.

    Parameters
    ----------
    pace : FitPace
        What was measured.
    base : BatchSettings
        Of the fit.
    plan : JointPlan, SearchPlan or None
        What is tried.
    n_rows, n_columns : int
        Training rows and columns of the matrix.
    n_batches : int
        Batches of a fit with stated settings.
    n_jobs : int or None
        Processes at most.

    Examples
    --------
    >>> from proset.selection import JointPlan
    >>> base = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 1000, 0.5, None, 1e7)
    >>> search = [scaled(FitPace(1.0, 100.0, 400.0), base, JointPlan(), n_rows=n, n_columns=20, n_batches=1).search
    ...           for n in (500, 5_000, 500_000)]
    >>> search[0] < search[1] <= search[2]  # rows of a batch are limited inside the folds
    True
    """
    grows = min(MOST_GROWTH, max(1.0, n_rows / MEASURED_ROWS) ** GROWTH)
    inside, base = base.max_samples, _as_planned(base, plan, n_rows)
    count, found, start = 0.0, float(n_batches), STARTING
    rows = float(n_rows)
    if plan is not None:
        inside = min(filter(None, (base.max_samples, getattr(plan, "max_rows", None))), default=None)
        rows *= 1.0 - 1.0 / plan.n_folds
        count, found = _batches_inside(plan, n_rows), min(FOUND_BATCHES, 0.6 * plan.max_batches)
    size = (*_rows_of(rows, base, inside), n_columns)
    search = count * pace.factor * pace.loose * evaluation_seconds(*size) * share_of_time(size[0])
    if isinstance(plan, JointPlan) and plan.scales:
        few = (*_rows_of(rows, base, min(MOST_ROWS, inside or MOST_ROWS)), n_columns)
        curve = 1.0 + LATER * (MOST_BATCHES - 1.0)
        search += plan.n_folds * len(plan.scales) * curve * pace.factor * pace.loose * evaluation_seconds(*few)
    workers = count_workers(n_jobs, search)
    if workers > 1:
        search, start = search / workers, start + WORKERS_STARTING
    else:
        search /= _threads(*size)
    size = (*_rows_of(n_rows, base, base.max_samples), n_columns)
    last = pace.factor * pace.tight * grows * evaluation_seconds(*size) / _threads(*size) * share_of_time(size[0])
    refit = last * (min(found, 1.0) + LATER * max(found - 1.0, 0.0))
    return TimeNeeded(search + (start if plan else 0.0), refit + (0.0 if plan else start))


def evaluation_seconds(n_rows: float, n_candidates: float, n_columns: int) -> float:
    """Return what an evaluation of the objective takes on one core of an ordinary machine.

    Examples
    --------
    >>> evaluation_seconds(100, 50, 2) < 5e-4 < evaluation_seconds(4_000, 1_000, 20)
    True
    """
    return SECONDS_PER_EVALUATION + SECONDS_PER_UNIT * _units(n_rows, n_candidates, n_columns)


def _as_planned(base: BatchSettings, plan: ClassPlan | None, n_rows: int) -> BatchSettings:
    """Return the settings with what the plan keeps fixed beside the penalties."""
    if not isinstance(plan, JointPlan):
        return base
    return replace(base, alpha_v=plan.alpha_v, max_fraction=plan.fraction(n_rows))


def _batches_inside(plan: ClassPlan, n_rows: int) -> float:
    """Count the batches that a search of so many rows fits inside its folds, on average, in units of a first one."""
    if isinstance(plan, SearchPlan):
        curve = 1.0 + LATER * (plan.max_batches - 1.0)
        return float(plan.n_folds * (plan.n_pairs + curve * (LOOKS if plan.second_look else 1)))
    kept = min(plan.n_keep, plan.n_pairs)
    curves = plan.n_pairs * plan.first_folds + kept * (plan.n_folds - plan.first_folds) * GOES_ON
    curves += REFINING * plan.n_folds * plan.joined(n_rows) * plan.refines
    return curves * (1.0 + LATER * (min(LONGEST_CURVE, plan.max_batches) - 1.0))


def _units(n_rows: float, n_candidates: float, n_columns: int) -> float:
    """Return the size of an evaluation."""
    return max(n_rows - n_candidates, 1.0) * n_candidates * (n_columns + OVERHEAD_PER_PAIR)


def _threads(n_rows: float, n_candidates: float, n_columns: int) -> int:
    """Return how many threads share an evaluation in a process that has them for itself."""
    return n_threads() if _units(n_rows, n_candidates, n_columns) >= SHARED else 1


def _rows_of(n_rows: float, base: BatchSettings, most: int | None) -> tuple[float, float]:
    """Return the rows and the candidates of a batch."""
    rows = min(n_rows, most or math.inf)
    return rows, _candidates(base, rows)


def _candidates(settings: BatchSettings, n_rows: float) -> float:
    """Return about how many candidates a batch of so many rows has."""
    return max(1.0, min(settings.num_candidates, settings.max_fraction * n_rows))


def _sample(problem: CheckedTable) -> tuple[np.ndarray, np.ndarray]:
    """Return a few training rows as the model sees them, with their classes; rare classes may be missing."""
    rng = np.random.default_rng(0)
    rows = problem.training_rows
    order = rng.permutation(len(rows))
    design = Design(problem.roles).fit(rows.iloc[order[:DESIGN_ROWS]])
    matrix = design.transform(rows.iloc[order[:MEASURED_ROWS]]).X
    target = problem.target[order[:MEASURED_ROWS]]
    return matrix, np.unique(target, return_inverse=True)[1].astype(np.int64)


def _evaluations(matrix: np.ndarray, target: np.ndarray, settings: BatchSettings) -> float:
    """Fit one batch to the classes that have enough rows, and count the evaluations of its objective."""
    enough = np.flatnonzero(np.bincount(target) >= smallest_class_size(settings.max_fraction))
    if enough.shape[0] < 2:
        return 0.0
    kept = np.isin(target, enough)
    classes = np.unique(target[kept], return_inverse=True)[1].astype(np.int64)
    rows = int(kept.sum())
    data = TrainingData(matrix[kept], classes, np.ones(rows), np.arange(rows))
    counts = [0]

    def count(evaluations: int, _objective: float) -> None:
        counts.append(evaluations)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in grow(marginal_model(data), data, settings, Streams(0), n_batches=1, on_evaluation=count):
            pass
    return float(max(counts))
