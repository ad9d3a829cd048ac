"""Algorithm 2.2 from the first fold to the number of batches; the refit is the caller's."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace

import numpy as np

from proset.candidates import smallest_class_size
from proset.errors import StudyError
from proset.fitting import BatchSettings, FitProgress
from proset.selection.plan import Fold, SearchPlan, make_folds
from proset.selection.result import FoldScores, SearchRecord
from proset.selection.running import EVALUATIONS_PER_FIT, TASKS_PER_WORKER, count_workers, run_tasks
from proset.selection.tasks import BatchTask, FoldTask, PenaltyTask, SearchData

__all__ = ["Cancelled", "SearchData", "SearchProgress", "run_search"]

SET_BY_PLAN = frozenset({"lambda_v", "lambda_w", "solver_factr"})
REFIT_FITS = 5  # fits with the loose tolerance that take about as long as the refit
SECONDS_BETWEEN_TICKS = 0.2  # while one fit is under way


class Cancelled(Exception):  # noqa: N818  # a wish, not an error
    """Raised by a progress callback to stop a search.

    Attributes
    ----------
    record : SearchRecord or None
        What was finished; set when the search hands the exception on.
    """

    record: SearchRecord | None = None


@dataclass(frozen=True)
class SearchProgress:
    """How far a search has come.

    Attributes
    ----------
    stage : int
        1 for the penalties, 2 for the number of batches, 3 for the refit.
    done, total : int
        Fits done in this stage, and all of them.
    seconds : float
        Time since this run began.
    seconds_left : float
        Estimated time left, the refit included; infinite until a fit is done.
    share : float
        Estimated share of the whole that is done, in [0, 1]; never falls within a run.

    Examples
    --------
    >>> SearchProgress(stage=1, done=11, total=55, seconds=2.0, seconds_left=20.0, share=0.1).done
    11
    """

    stage: int
    done: int
    total: int
    seconds: float
    seconds_left: float
    share: float


ProgressCallback = Callable[[SearchProgress], None]


def run_search(
    data: SearchData,
    base: BatchSettings,
    plan: SearchPlan,
    *,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
    record: SearchRecord | None = None,
    choice: tuple[float, float] | None = None,
) -> SearchRecord:
    """Find penalties (stage 1) and the number of batches (stage 2) by cross-validation.

    Parameters
    ----------
    data : SearchData
        Rows, weights and how to make matrices of them.
    base : BatchSettings
        Everything but penalties and tolerance, which the plan sets.
    plan : SearchPlan
        What to try.
    n_jobs : int or None, default=None
        Processes, -1 for one per core. None uses this process for small problems, else one per core, or what the
        caller's ``joblib.parallel_config`` says. The result does not depend on it.
    progress : callable or None
        Called with a :class:`SearchProgress` after every fit, and while one lasts; may raise :class:`Cancelled`.
    record : SearchRecord or None
        A record to go on from, of the same data, settings and plan.
    choice : (float, float) or None
        A pair of ``plan.pairs()`` for stage 2 instead of the one that the rule finds.

    Returns
    -------
    SearchRecord
        Complete.

    Raises
    ------
    StudyError
        If folds cannot be made, the record is of another search, or the plan does not hold the choice.
    Cancelled
        If `progress` raised it; its ``record`` is what was finished.

    Examples
    --------
    >>> from proset.selection.select import MatrixPreparer
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> data = SearchData((X[:, 0] > 0).astype(np.int64), np.ones(60), None, MatrixPreparer(X))
    >>> base = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 1000, 0.5, None, 1e7)
    >>> record = run_search(data, base, SearchPlan(n_trials=2, n_folds=3, max_batches=1))
    >>> record.complete, record.stage_1.shape, record.stage_2.shape
    (True, (2, 9), (2, 8))
    """
    return _Run(data, base, plan, n_jobs, progress).finish(record, choice)


class _Run:
    """One call of :func:`run_search`."""

    def __init__(
        self,
        data: SearchData,
        base: BatchSettings,
        plan: SearchPlan,
        n_jobs: int | None,
        progress: ProgressCallback | None,
    ) -> None:
        self.data, self.plan = data, plan
        self.settings = replace(base, solver_factr=plan.cv_factr)
        self.folds = make_folds(
            data.target,
            plan,
            data.groups,
            smallest=smallest_class_size(base.max_fraction),
            classes=data.classes or None,
        )
        self.fingerprint, work = _look_at_data(data, self.settings, self.folds[0])
        n_fits = plan.n_folds * (plan.n_pairs + plan.max_batches)
        self.n_workers = count_workers(n_jobs, work * n_fits * EVALUATIONS_PER_FIT)
        self.clock = _Clock(plan, progress)

    def finish(self, record: SearchRecord | None, choice: tuple[float, float] | None) -> SearchRecord:
        """Do what is left of both stages."""
        if record is None:
            record = SearchRecord(self.plan, self.fingerprint, FoldScores.empty(self.plan.n_pairs, self.plan.n_folds))
        elif (record.plan, record.fingerprint) != (self.plan, self.fingerprint):
            raise StudyError(
                "The search to go on from has another plan, or was made with other data or settings.",
                hint="Start the search anew.",
            )
        if choice is not None:
            record = record.with_choice(lambda_v=choice[0], lambda_w=choice[1])
        if not record.scores_1.complete:
            scores = record.scores_1.copy()
            record = replace(record, scores_1=scores)
            self._fill(record, 1, scores, self._stage_1(scores))
            record = replace(record, scores_1=scores.copy())  # without tables that were made on the way
        if record.scores_2 is None or not record.scores_2.complete:
            empty = FoldScores.empty(self.plan.max_batches + 1, self.plan.n_folds)
            scores = empty if record.scores_2 is None else record.scores_2.copy()
            record = replace(record, scores_2=scores)
            self._fill(record, 2, scores, self._stage_2(scores, record.chosen_penalties))
            record = replace(record, scores_2=scores.copy())
        return record

    def _fill(self, record: SearchRecord, stage: int, scores: FoldScores, tasks: Sequence[FoldTask]) -> None:
        """Run the tasks of one stage and write down their scores."""
        self.clock.begin(stage, scores.log_loss.size, int(scores.done.sum()))
        try:
            self.clock.report()
            with closing(run_tasks(tasks, self.n_workers, self.clock.tick)) as found:
                for score in found:
                    at = score.row, score.fold
                    scores.log_loss[at] = score.log_loss
                    scores.n_features[at] = score.n_features
                    scores.n_prototypes[at] = score.n_prototypes
                    self.clock.count(int(scores.done.sum()))
        except Cancelled as stop:
            stop.record = replace(record)
            raise

    def _stage_1(self, scores: FoldScores) -> list[FoldTask]:
        """Tasks for all fits that are not done."""
        pairs = self.plan.pairs()
        tasks: list[FoldTask] = []
        n_parts = 1 if self.n_workers == 1 else -(-TASKS_PER_WORKER * self.n_workers // self.plan.n_folds)
        for fold, split in enumerate(self.folds):
            left = [(row, pairs[row]) for row in np.flatnonzero(~scores.done[:, fold]).tolist()]
            # Every n-th, because fits with small penalties take longer.
            parts = [tuple(left[part::n_parts]) for part in range(min(n_parts, len(left)))]
            tasks += [
                PenaltyTask(self.data, split, fold, self.plan.random_state, self.settings, part) for part in parts
            ]
        return tasks

    def _stage_2(self, scores: FoldScores, penalties: tuple[float, float]) -> list[FoldTask]:
        """Tasks for the folds that are not done."""
        settings = replace(self.settings, lambda_v=penalties[0], lambda_w=penalties[1])
        return [
            BatchTask(self.data, split, fold, self.plan.random_state, settings, self.plan.max_batches)
            for fold, split in enumerate(self.folds)
            if not scores.done[:, fold].all()
        ]


class _Clock:
    """Turns fits done into progress."""

    def __init__(self, plan: SearchPlan, callback: ProgressCallback | None) -> None:
        self._callback = callback
        self._fits = {1: plan.n_pairs * plan.n_folds, 2: (plan.max_batches + 1) * plan.n_folds, 3: REFIT_FITS}
        self._start = self._last = time.perf_counter()
        self._stage = self._done = self._total = 0
        self._at_start: int | None = None  # fits that a former run had done

    def begin(self, stage: int, total: int, done: int) -> None:
        """Enter a stage of which some is done already."""
        self._stage, self._total, self._done = stage, total, done
        if self._at_start is None:
            self._at_start = self._all_done()
        elif stage == 2:
            self._at_start += done

    def count(self, done: int) -> None:
        """Report that so many fits of this stage are done."""
        self._done = done
        self.report()

    def tick(self, _evaluations: int, _objective: float) -> None:
        """Report now and then while a fit is under way, so that it can be stopped."""
        if time.perf_counter() - self._last > SECONDS_BETWEEN_TICKS:
            self.report()

    def report(self) -> None:
        """Call back."""
        if self._callback is None:
            return
        self._last = time.perf_counter()
        seconds = self._last - self._start
        done, whole = self._all_done(), sum(self._fits.values())
        fresh = done - (self._at_start or 0)
        left = (whole - done) * seconds / fresh if fresh else float("inf")
        self._callback(SearchProgress(self._stage, self._done, self._total, seconds, left, done / whole))

    def _all_done(self) -> int:
        """Fits done in all stages."""
        return sum(self._fits[stage] for stage in range(1, self._stage)) + self._done


def refit_progress(
    progress: ProgressCallback | None, seconds: float, plan: SearchPlan
) -> Callable[[FitProgress], None] | None:
    """Make a callback for the refit out of one for the search.

    Parameters
    ----------
    progress : callable or None
        Receives :class:`SearchProgress` of stage 3.
    seconds : float
        Time that the first two stages took.
    plan : SearchPlan
        The plan of the search.

    Returns
    -------
    callable or None
        For ``ClassifierModel.fit(progress=...)``.
    """
    if progress is None:
        return None
    begin = time.perf_counter()
    before = plan.n_folds * (plan.n_pairs + plan.max_batches + 1)

    def report(fit: FitProgress) -> None:
        passed = time.perf_counter() - begin
        left = passed * (1.0 - fit.share) / fit.share if fit.share > 0.0 else float("inf")
        share = (before + REFIT_FITS * fit.share) / (before + REFIT_FITS)
        progress(SearchProgress(3, fit.batch - 1, fit.n_batches, seconds + passed, left, share))

    return report


def _look_at_data(data: SearchData, settings: BatchSettings, fold: Fold) -> tuple[str, float]:
    """A hash of everything that results depend on but the plan, and the work of one evaluation."""
    matrix, left_out = data.prepare(fold.train, fold.test)
    own = {
        name: value for name, value in asdict(settings).items() if name not in ("lambda_v", "lambda_w", "solver_factr")
    }
    digest = hashlib.blake2b(repr(sorted(own.items())).encode(), digest_size=16)
    groups = np.zeros(0, dtype=np.int64) if data.groups is None else data.groups
    for part in (data.target, data.weight, groups, matrix, left_out):
        digest.update(repr((part.dtype.str, part.shape)).encode())
        digest.update(np.ascontiguousarray(part).data)
    n_rows = min(matrix.shape[0], settings.max_samples or matrix.shape[0])
    n_candidates = min(settings.num_candidates, settings.max_fraction * n_rows)
    return digest.hexdigest(), (n_rows - n_candidates) * n_candidates * (matrix.shape[1] + 16)
