"""The joint search from the first fold to the choice; the refit is the caller's."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import groupby

from proset.engine.fitting import BatchSettings
from proset.selection import scale_choice
from proset.selection.early_stops import EarlyStops
from proset.selection.ground import SearchGround
from proset.selection.joint_plan import JointPlan
from proset.selection.joint_record import JointRecord, Todo
from proset.selection.joint_rules import PATIENCE
from proset.selection.plan import PENALTIES
from proset.selection.refine_task import RefineTask
from proset.selection.scale_choice import ScaleTask
from proset.selection.search_progress import CurveClock, ProgressCallback, keeping
from proset.selection.tasks import CurveTask, FoldTask, Score, SearchData
from proset.selection.workers import count_parts, run_tasks

SET_BY_PLAN = frozenset({*PENALTIES, "solver_factr", "alpha_v", "max_fraction", "max_samples"})
USUAL_LENGTH = 6  # batches of a curve, as long as none is known


def run_joint(
    data: SearchData,
    base: BatchSettings,
    plan: JointPlan,
    *,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
    record: JointRecord | None = None,
) -> JointRecord:
    """Find penalties and number of batches together.

    Parameters
    ----------
    data, n_jobs, progress
        As for :func:`proset.selection.run_search`.
    base : BatchSettings
        Everything but what the plan sets: penalties, ``alpha_v``, rows of a batch, tolerance.
    record : JointRecord or None
        A record to go on from, of the same data, settings and plan.

    Raises
    ------
    StudyError, Cancelled, Interrupted
        As for :func:`proset.selection.run_search`.

    Warns
    -----
    ConvergenceWarning
        Once, at the end, if the solver stopped early in a fit of this run.

    Examples
    --------
    >>> import numpy as np
    >>> from proset.selection.matrices import MatrixPreparer
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> data = SearchData((X[:, 0] > 0).astype(np.int64), np.ones(60), None, MatrixPreparer(X))
    >>> base = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 1000, 0.5, None, 1e7)
    >>> plan = JointPlan(lambda_w=1e-4, n_lambda_v=2, n_folds=3, max_batches=2)
    >>> record = run_joint(data, base, plan)
    >>> record.complete, record.tried, int(record.points["n_batches"].max())
    (True, (0, 1), 2)
    """
    run = _Run(data, base, plan, n_jobs, progress)
    found = run.finish(record)
    run.early_stops.warn()
    return found


def settings_inside(base: BatchSettings, plan: JointPlan, n_rows: int) -> BatchSettings:
    """Return the settings that hold inside the folds of so many rows, but for the penalties."""
    bounds = [bound for bound in (base.max_samples, plan.max_rows) if bound is not None]
    return replace(
        base,
        solver_factr=plan.cv_factr,
        alpha_v=plan.alpha_v,
        max_fraction=plan.fraction(n_rows),
        max_samples=min(bounds) if bounds else None,
    )


class _Run:
    """One call of :func:`run_joint`."""

    def __init__(
        self,
        data: SearchData,
        base: BatchSettings,
        plan: JointPlan,
        n_jobs: int | None,
        progress: ProgressCallback | None,
    ) -> None:
        self.data, self.plan = data, plan
        self.settings = settings_inside(base, plan, data.target.shape[0])
        n_curves = plan.n_pairs * plan.first_folds + plan.n_keep * (plan.n_folds - plan.first_folds)
        n_curves += plan.n_folds * plan.joined(data.target.shape[0]) * plan.refines
        n_curves += plan.n_folds * len(plan.scales) * (data.scaled is not None)
        self.ground = SearchGround(
            data, self.settings, plan, set_by_plan=SET_BY_PLAN, n_fits=n_curves * USUAL_LENGTH, n_jobs=n_jobs
        )
        self.clock = CurveClock(progress)
        self.early_stops = EarlyStops()

    def finish(self, record: JointRecord | None) -> JointRecord:
        """Do what is left, round by round."""
        if record is None:
            record = JointRecord(self.plan, self.ground.fingerprint, self.data.target.shape[0])
        self.ground.check_record(record.plan, record.fingerprint)
        record = self._choose_scale(record)
        while todo := record.to_do():
            record = self._round(record, todo)
        while folds := record.to_refine():
            record = self._refine(record, folds)
        return record

    def _choose_scale(self, record: JointRecord) -> JointRecord:
        """Try the scales that are left, and go on with the one that is chosen."""
        if (left := record.to_scale()) and self.data.scaled is not None:
            record = self._look(record, self._scale_tasks(left), _scale_and_fold, JointRecord.with_scaled)
        if record.scale is not None:
            self.data = self.data.on_scale(record.scale.scale)
        return record

    def _scale_tasks(self, left: Sequence[tuple[int, int]]) -> list[ScaleTask]:
        """Make the tasks that compare scales: one pair of penalties with few batches, on the same folds."""
        rows = min(self.settings.max_samples or scale_choice.MOST_ROWS, scale_choice.MOST_ROWS)
        settings = replace(self.settings, max_samples=rows)
        pairs = ((0, (scale_choice.LAMBDA_V, scale_choice.LAMBDA_W), scale_choice.MOST_BATCHES),)
        data = [self.data.on_scale(scale) for scale in self.plan.scales]
        seed, factors = self.plan.random_state, self.plan.weight_factors
        return [
            ScaleTask(data[n], self.ground.folds[fold], fold, seed, settings, pairs, factors, PATIENCE, n)
            for n, fold in left
        ]

    def _refine(self, record: JointRecord, folds: Sequence[int]) -> JointRecord:
        """Try the chosen model with every refinement, and joined with others like it, on all folds that are left."""
        lambda_v, lambda_w = record.chosen_penalties
        settings = replace(self.settings, lambda_v=lambda_v, lambda_w=lambda_w)
        tasks = [
            RefineTask(
                self.data,
                self.ground.folds[fold],
                fold,
                self.plan.random_state,
                settings,
                record.chosen_batches,
                self.plan.corrections,
                self.plan.thinnings,
                record.chosen_factor,
                self.settings.max_prototypes,
                record.n_joined,
            )
            for fold in folds
        ]
        return self._look(record, tasks, _fold, JointRecord.with_refined)

    def _look(
        self,
        record: JointRecord,
        tasks: Sequence[FoldTask],
        task_of: Callable[[Score], Hashable],
        add: Callable[[JointRecord, Sequence[Score]], JointRecord],
    ) -> JointRecord:
        """Add to the record what each task finds, as soon as it has all its scores."""
        current = record

        def finished() -> JointRecord:
            return current

        with keeping(finished):
            self.clock.begin(record.reached(), finished)
            with closing(run_tasks(tasks, self.ground.n_workers, self.clock.tick)) as found:
                for _, scores in groupby(found, key=task_of):
                    current = add(current, list(scores))
                    self.clock.count(current.reached())
        return current

    def _round(self, record: JointRecord, todo: Sequence[Todo]) -> JointRecord:
        """Do what is left of one round."""
        pairs, current = self.plan.pairs(), record

        def finished() -> JointRecord:
            return current

        number, done, total = record.reached()  # counted on below: asking the record takes as long as a small fit
        curve: list[Score] = []
        with keeping(finished):
            self.clock.begin((number, done, total), finished)
            with closing(run_tasks(self._tasks(todo), self.ground.n_workers, self.clock.tick)) as found:
                for score in found:
                    if curve and (curve[0].pair, curve[0].fold) != (score.pair, score.fold):
                        current, done = _with_curve(current, curve), done + 1
                        self.clock.count((number, done, total))
                        curve = []
                    curve.append(score)
                    self.early_stops.add(score, pairs[score.pair])
            if curve:
                current = _with_curve(current, curve)
            self.clock.count(current.reached())
        return current

    def _tasks(self, todo: Sequence[Todo]) -> list[FoldTask]:
        """Make the tasks of a round, several pairs of one fold in one task, for what they share."""
        tasks: list[FoldTask] = []
        folds = sorted({fold for fold, _, _ in todo})
        pairs = self.plan.pairs()
        for fold in folds:
            left = [
                (pair, pairs[pair], self.plan.max_batches if most is None else most)
                for at, pair, most in todo
                if at == fold
            ]
            seconds = self.ground.fit_seconds * USUAL_LENGTH * len(left)
            n_parts = min(len(left), count_parts(self.ground.n_workers, len(folds), seconds))
            patience = PATIENCE if fold < self.plan.first_folds else None
            tasks += [
                CurveTask(
                    self.data,
                    self.ground.folds[fold],
                    fold,
                    self.plan.random_state,
                    self.settings,
                    tuple(left[part::n_parts]),
                    self.plan.weight_factors,
                    patience,
                )
                for part in range(n_parts)
            ]
        return tasks


def _scale_and_fold(score: Score) -> Hashable:
    """Name the task of a score of :class:`ScaleTask`."""
    return score.row, score.fold


def _fold(score: Score) -> Hashable:
    """Name the task of a score of :class:`RefineTask`."""
    return score.fold


def _with_curve(record: JointRecord, curve: Sequence[Score]) -> JointRecord:
    """Return the record with one curve more; what was begun of it before and left counts for nothing."""
    pair = curve[0].pair
    scores = record.curves.get(pair) or record.empty_scores()
    return record.with_scores(
        pair,
        tuple(
            of_factor.with_fold([replace(score, log_loss=score.by_factor[number]) for score in curve])
            for number, of_factor in enumerate(scores)
        ),
    )
