"""Algorithm 2.2 from the first fold to the number of batches; the refit is the caller's."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np

from proset.engine.fitting import BatchSettings
from proset.selection.early_stops import EarlyStops
from proset.selection.ground import SearchGround
from proset.selection.plan import PENALTIES, SearchPlan
from proset.selection.record import SearchRecord
from proset.selection.scores import FoldScores
from proset.selection.search_progress import ProgressCallback, SearchClock, keeping
from proset.selection.tasks import BatchTask, FoldTask, PenaltyTask, SearchData
from proset.selection.workers import count_parts, run_tasks

SET_BY_PLAN = frozenset({*PENALTIES, "solver_factr"})


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
    n_jobs : int or None, default=None
        Processes, -1 for one per core. None uses this process for small problems, else one per core, or what the
        caller's ``joblib.parallel_config`` says. The result does not depend on it.
    progress : callable or None
        Called with a :class:`SearchProgress` after every fit, and while one lasts; may raise :class:`Cancelled`. With
        several processes it is called when a task ends: some fits of stage 1, or a fold of stage 2.
    record : SearchRecord or None
        A record to go on from, of the same data, settings and plan.
    choice : (float, float) or None
        A pair of ``plan.pairs()`` for stage 2 instead of the one that the rule finds.

    Raises
    ------
    StudyError
        If folds cannot be made, the record is of another search, or the plan does not hold the choice.
    Cancelled, Interrupted
        If `progress` raised the former, or at Ctrl-C; ``record`` is what was finished.

    Warns
    -----
    ConvergenceWarning
        Once, at the end, if the solver stopped early in a fit of this run: in how many, why, with which penalties.

    Examples
    --------
    >>> from proset.selection.matrices import MatrixPreparer
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> data = SearchData((X[:, 0] > 0).astype(np.int64), np.ones(60), None, MatrixPreparer(X))
    >>> base = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 1000, 0.5, None, 1e7)
    >>> record = run_search(data, base, SearchPlan(n_trials=2, n_folds=3, max_batches=1))
    >>> record.complete, record.stage_1.shape, record.stage_2.shape
    (True, (2, 10), (2, 9))
    """
    run = _Run(data, base, plan, n_jobs, progress)
    found = run.finish(record, choice)
    run.early_stops.warn()
    return found


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
        n_fits = plan.n_folds * (plan.n_pairs + plan.max_batches)
        self.ground = SearchGround(data, self.settings, plan, set_by_plan=SET_BY_PLAN, n_fits=n_fits, n_jobs=n_jobs)
        self.folds, self.n_workers, self.fit_seconds = self.ground.folds, self.ground.n_workers, self.ground.fit_seconds
        self.clock = SearchClock(plan, progress)
        self.early_stops = EarlyStops()

    def finish(self, record: SearchRecord | None, choice: tuple[float, float] | None) -> SearchRecord:
        """Do what is left of both stages."""
        if record is None:
            empty = FoldScores.empty(self.plan.n_pairs, self.plan.n_folds)
            record = SearchRecord(self.plan, self.ground.fingerprint, empty)
        self.ground.check_record(record.plan, record.fingerprint)
        if choice is not None:
            record = record.with_choice(lambda_v=choice[0], lambda_w=choice[1])
        if not record.scores_1.complete:
            record = self._fill(record, None, self._stage_1(record.scores_1))
        while (row := record.to_do()) is not None:
            if row not in record.curves:
                record = record.with_scores(row, FoldScores.empty(self.plan.max_batches + 1, self.plan.n_folds))
            tasks = self._stage_2(record.curves[row], self.plan.pairs()[row])
            before = sum(curve.log_loss.size for other, curve in record.compared.items() if other != row)
            record = self._fill(record, row, tasks, before)
        return record

    def _fill(self, record: SearchRecord, row: int | None, tasks: Sequence[FoldTask], before: int = 0) -> SearchRecord:
        """Run tasks of stage 1, or of stage 2 for one row of it; `before` fits of the stage belong to other pairs."""
        scores, pairs = record.scores_1 if row is None else record.curves[row], self.plan.pairs()

        def finished() -> SearchRecord:
            return record.with_scores(row, scores)

        begun = before + int(scores.done.sum())
        self.clock.begin(1 if row is None else 2, before + scores.log_loss.size, begun, finished)
        with keeping(finished):
            self.clock.report()
            with closing(run_tasks(tasks, self.n_workers, self.clock.tick)) as found:
                for score in found:
                    scores = scores.with_score(score)
                    self.early_stops.add(score, pairs[score.row if row is None else row])
                    self.clock.count(before + int(scores.done.sum()))
        return finished()

    def _stage_1(self, scores: FoldScores) -> list[FoldTask]:
        """Make the tasks for all fits that are not done."""
        pairs = self.plan.pairs()
        tasks: list[FoldTask] = []
        n_parts = count_parts(self.n_workers, self.plan.n_folds, self.fit_seconds * self.plan.n_pairs)
        for fold, split in enumerate(self.folds):
            left = [(row, pairs[row]) for row in np.flatnonzero(~scores.done[:, fold]).tolist()]
            # Every n-th, because fits with small penalties take longer.
            parts = [tuple(left[part::n_parts]) for part in range(min(n_parts, len(left)))]
            tasks += [
                PenaltyTask(self.data, split, fold, self.plan.random_state, self.settings, part) for part in parts
            ]
        return tasks

    def _stage_2(self, scores: FoldScores, penalties: tuple[float, float]) -> list[FoldTask]:
        """Make the tasks for the folds that are not done."""
        settings = replace(self.settings, lambda_v=penalties[0], lambda_w=penalties[1])
        return [
            BatchTask(self.data, split, fold, self.plan.random_state, settings, self.plan.max_batches)
            for fold, split in enumerate(self.folds)
            if not scores.done[:, fold].all()
        ]
