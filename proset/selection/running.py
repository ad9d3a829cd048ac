"""Where the tasks of a search run: in this process, or in those that joblib knows of."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Sequence

import joblib
from joblib.parallel import get_active_backend

from proset.selection.tasks import FoldTask, Score, Tick, run_task

# Starting worker processes takes about two seconds of processor time each. Below twice that in work, which is
# evaluations x rows x candidates x features, one process is faster.
SMALL_WORK = 2e10
EVALUATIONS_PER_FIT = 100  # typical count with the loose tolerance
TASKS_PER_WORKER = 3  # so that no worker waits long for the last one


def count_workers(n_jobs: int | None, work: float) -> int:
    """Decide how many processes a search uses.

    Parameters
    ----------
    n_jobs : int or None
        As joblib has it, -1 for all cores; None decides by the amount of work, or leaves it to the caller's
        ``joblib.parallel_config``.
    work : float
        Evaluations times rows times candidates times features.

    Returns
    -------
    int
        1 for this process alone.
    """
    backend, configured = get_active_backend()
    if type(backend).__name__ == "DaskDistributedBackend":
        return max(2, int(joblib.effective_n_jobs()))  # a single worker there is another process as well
    chosen_by_caller = type(backend).__name__ != "LokyBackend" or configured != 1
    if n_jobs is not None or chosen_by_caller:
        return max(1, int(joblib.effective_n_jobs(n_jobs)))
    return 1 if work < SMALL_WORK else max(1, int(joblib.cpu_count()))


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
    found = joblib.Parallel(n_jobs=n_workers, return_as="generator_unordered")(call(task) for task in tasks)
    try:
        for scores in found:
            yield from scores
    finally:
        with warnings.catch_warnings():  # whoever stops listening knows that tasks are dropped
            warnings.filterwarnings("ignore", message=".*tasks which were still being processed", category=UserWarning)
            found.close()
