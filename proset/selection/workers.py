"""Run the tasks of a search in this process, or in those that joblib knows of."""

from __future__ import annotations

import math
import signal
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager

import joblib
from joblib.parallel import get_active_backend

from proset.engine.objective.problem import OVERHEAD_PER_PAIR
from proset.selection.tasks import FoldTask, Score, Tick, run_task

# One core of the machine that this was written on: what an evaluation of the objective takes whatever its size, and
# beyond that for each reference row, candidate and feature. The number of evaluations is that of a loose tolerance.
SECONDS_PER_EVALUATION = 2e-4
SECONDS_PER_UNIT = 8e-11
EVALUATIONS_PER_FIT = 50
# A worker imports the libraries for two to three seconds before it does anything. Processes have to save twice that.
SECONDS_WORTH_PROCESSES = 6.0
TASKS_PER_WORKER = 3  # so that no worker waits long for the last one
SECONDS_PER_TASK = 10.0  # at most, if it can be; progress comes and cancelling works between tasks


def fit_seconds(n_rows: int, n_candidates: float, n_features: int) -> float:
    """Estimate what one fit of one batch takes on one core.

    An estimate and not a measurement, so that the same search always runs in the same way.

    Parameters
    ----------
    n_rows, n_candidates, n_features : number
        Reference rows, candidates and features of the batch.

    Returns
    -------
    float
        Seconds, right within a factor of a few.

    Examples
    --------
    >>> fit_seconds(42, 42, 2) < 0.02 < fit_seconds(500, 500, 64) < 0.2
    True
    """
    units = n_rows * n_candidates * (n_features + OVERHEAD_PER_PAIR)
    return EVALUATIONS_PER_FIT * (SECONDS_PER_EVALUATION + SECONDS_PER_UNIT * units)


def count_workers(n_jobs: int | None, seconds: float) -> int:
    """Decide how many processes a search uses.

    Parameters
    ----------
    n_jobs : int or None
        As joblib has it, -1 for all cores; None decides by the amount of work, or leaves it to the caller's
        ``joblib.parallel_config``.
    seconds : float
        Estimated time on one core.

    Returns
    -------
    int
        1 for this process alone.

    Examples
    --------
    >>> count_workers(None, 1.0), count_workers(3, 1.0)
    (1, 3)
    """
    backend, configured = get_active_backend()
    if type(backend).__name__ == "DaskDistributedBackend":
        return max(2, int(joblib.effective_n_jobs()))  # a single worker there is another process as well
    chosen_by_caller = type(backend).__name__ != "LokyBackend" or configured != 1
    if n_jobs is not None or chosen_by_caller:
        return max(1, int(joblib.effective_n_jobs(n_jobs)))
    cores = max(1, int(joblib.cpu_count()))
    return cores if seconds * (1.0 - 1.0 / cores) > SECONDS_WORTH_PROCESSES else 1


def count_parts(n_workers: int, n_folds: int, seconds: float) -> int:
    """Decide into how many tasks one fold is cut.

    Parameters
    ----------
    n_workers : int
        Processes.
    n_folds : int
        Folds to share out.
    seconds : float
        Estimated time that one fold takes.

    Returns
    -------
    int
        1 in a single process, which reports and can stop at any time.

    Examples
    --------
    >>> count_parts(1, 5, 100.0), count_parts(2, 5, 1.0), count_parts(2, 5, 100.0)
    (1, 2, 10)
    """
    if n_workers == 1:
        return 1
    return math.ceil(max(TASKS_PER_WORKER * n_workers / n_folds, seconds / SECONDS_PER_TASK))


def run_tasks(tasks: Sequence[FoldTask], n_workers: int, tick: Tick) -> Generator[Score]:
    """Run tasks and yield their scores as they come in, in any order.

    Parameters
    ----------
    tasks : sequence of FoldTask
        What to do.
    n_workers : int
        1 for this process; then `tick` is called at every evaluation and may raise to stop.
    tick : callable
        Receives the number of evaluations of a fit and its objective.

    Yields
    ------
    Score
    """
    if n_workers == 1:
        for task in tasks:
            yield from task.scores(tick)
        return
    call: Callable[[FoldTask], list[Score]] = joblib.delayed(run_task)
    with _ctrl_c_ignored():
        found = joblib.Parallel(n_jobs=n_workers, return_as="generator_unordered")(call(task) for task in tasks)
    try:
        for scores in found:
            yield from scores
    finally:
        with warnings.catch_warnings():  # whoever stops listening knows that tasks are dropped
            warnings.filterwarnings("ignore", message=".*tasks which were still being processed", category=UserWarning)
            found.close()


@contextmanager
def _ctrl_c_ignored() -> Iterator[None]:
    """Make processes that start meanwhile deaf to Ctrl-C; this one ends them, and they would print tracebacks.

    A terminal sends Ctrl-C to all of its processes, and being deaf to it is inherited. The other way, a mask, is undone
    by the resource tracker of the standard library. This process is deaf for about a tenth of a second.
    """
    former = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or former is None:
        yield  # only the main thread may set this, and only where Python set it before
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
