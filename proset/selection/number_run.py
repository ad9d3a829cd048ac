"""Search for a model of a number: trial after trial, each on all folds, and what is finished is kept."""

from __future__ import annotations

import copy
import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from proset.common.errors import OtherSearchError
from proset.engine.fit_progress import FitProgress
from proset.engine.kernels.threads import Tell, limited, side_by_side
from proset.engine.regressor import RegressorModel
from proset.selection.folds import Fold
from proset.selection.number_bend import has_long_tail, scores_by_bend
from proset.selection.number_columns import weigh_columns
from proset.selection.number_folds import (
    NumberData,
    OneFold,
    are_long_fits,
    fit_inside,
    number_folds,
    scores_by_factor,
    without_warnings,
)
from proset.selection.number_plan import NumberPlan
from proset.selection.number_record import NumberRecord
from proset.selection.number_scale import scores_by_scale
from proset.selection.number_scores import NumberRefined, NumberTrial
from proset.selection.search_progress import REFIT_SHARE, SECONDS_BETWEEN_TICKS, SearchProgress, keeping

T = TypeVar("T")


def search_number(
    data: NumberData,
    plan: NumberPlan,
    parameters: Mapping[str, Any],
    *,
    progress: Callable[[SearchProgress], None] | None = None,
    record: NumberRecord | None = None,
) -> NumberRecord:
    """Score the settings of a plan on folds.

    Parameters
    ----------
    data : NumberData
        The rows.
    parameters : mapping
        Other parameters of ``RegressorModel``, the same in every trial.
    progress : callable or None
        Called often with a :class:`SearchProgress` of stage 1; may raise ``Cancelled``.
    record : NumberRecord or None
        A record to go on from.

    Returns
    -------
    NumberRecord
        Complete.

    Raises
    ------
    OtherSearchError
        If the record is of another search.
    StudyError
        If the rows do not suffice for the folds.
    Cancelled, Interrupted
        If `progress` raised the former, or at Ctrl-C; ``record`` is what was finished.
    """
    cut = number_folds(data, plan)
    first = data.fold(cut[0], named=False)
    fingerprint = _fingerprint(data, parameters, first)
    if record is not None and (record.plan, record.fingerprint) != (plan, fingerprint):
        told = "The search to go on from has another plan, or was made with other data or settings."
        raise OtherSearchError(told, hint="Start the search anew.")
    record = record or NumberRecord(plan, fingerprint)
    if record.complete:
        return record
    tries_bend, at_once = plan.bend_target and has_long_tail(data), are_long_fits(first.learned.shape, parameters, plan)
    clock = _TrialClock(record, progress, _fits_done(record), tries_bend, at_once)
    # The limit is that of the whole search: fits side by side share it.
    parameters, n_jobs = {**parameters, "n_jobs": None}, parameters.get("n_jobs")
    with keeping(lambda: clock.record), without_warnings(), limited(n_jobs):
        _choose_scale(data, cut, parameters, clock)
        chosen = clock.record.scale
        data = data if chosen is None else data.on_scale(chosen.scale)
        parameters = _choose_bend(data, cut, parameters, clock)
        folds = tuple(data.fold(fold, named=plan.drop_columns) for fold in cut)
        _Run(data, parameters, folds, clock).finish()
    return clock.record


def _choose_scale(data: NumberData, cut: tuple[Fold, ...], parameters: Mapping[str, Any], clock: _TrialClock) -> None:
    """Try the scales on the folds that are left."""
    plan = clock.record.plan
    todo = cut[plan.n_folds - clock.record.to_scale :]
    for scores in clock.each(partial(scores_by_scale, data, rows, plan, parameters) for rows in todo):
        clock.count(len(plan.scales))
        clock.keep(scaled=(*clock.record.scaled, scores))


def _choose_bend(
    data: NumberData, cut: tuple[Fold, ...], parameters: Mapping[str, Any], clock: _TrialClock
) -> Mapping[str, Any]:
    """Try the bent target on the folds that are left; return the parameters with what is taken."""
    plan = clock.record.plan
    if clock.tries_bend:
        todo = cut[plan.n_folds - clock.record.to_bend :]
        for scores in clock.each(partial(scores_by_bend, data, rows, plan, parameters) for rows in todo):
            clock.count(2)
            clock.keep(bends=(*clock.record.bends, scores))
    found = clock.record.bend
    return {**parameters, "bend_target": found.bent} if found else parameters


@dataclass(eq=False)
class _Run:
    """Rest of a search that is to be done."""

    data: NumberData
    parameters: Mapping[str, Any]
    folds: tuple[OneFold, ...]
    clock: _TrialClock
    _best: tuple[int, list[RegressorModel]] = (-1, [])  # a trial, and its models of all folds

    def finish(self) -> None:
        """Do it."""
        record, plan = self.clock.record, self.clock.record.plan
        for settings in list(plan.settings())[len(record.trials) :]:
            self._try(settings)
        if self.clock.record.to_weigh_columns:
            self._weigh_columns()
        todo = self.folds[plan.n_folds - self.clock.record.to_refine :]
        for found in self.clock.each(partial(self._refined, fold) for fold in todo):
            self.clock.count(plan.n_joined)
            self.clock.keep(refined=(*self.clock.record.refined, found))

    def _fits(self, settings: Mapping[str, Any], dropped: tuple[str, ...] = ()) -> Iterator[RegressorModel]:
        """Fit a model inside each fold."""
        return self.clock.each(partial(self._fit, fold, settings, dropped) for fold in self.folds)

    def _fit(self, fold: OneFold, settings: Mapping[str, Any], dropped: tuple[str, ...], tell: Tell) -> RegressorModel:
        """Fit a model inside a fold."""
        return fit_inside(self.data, fold, {**self.parameters, **settings}, self.clock.record.plan, tell, dropped)

    def _try(self, settings: Mapping[str, float]) -> None:
        """Score settings on all folds, with each number of batches and spread factor."""
        plan, scores, models = self.clock.record.plan, [], []
        # Own slopes are those of a whole model: its first batches alone would have others.
        whole = {**settings, "n_iter": plan.max_batches, "n_joined": 1, "own_slopes": 0.0}
        for fold, model in zip(self.folds, self._fits(whole), strict=True):
            stages = model.staged_predict_distribution(fold.left_out)
            scores.append([scores_by_factor(self.data, fold, answer, model, plan) for answer in stages])
            models.append(model)
            self.clock.count()
        self.clock.keep(trials=(*self.clock.record.trials, NumberTrial(settings, np.array(scores))))
        if self.clock.record.best[0] == len(self.clock.record.trials) - 1:
            self._best = self.clock.record.best[0], models

    def _weigh_columns(self) -> None:
        """Find out what columns are worth to the best of the trials, and whether it can do without the idle ones."""
        record, plan = self.clock.record, self.clock.record.plan
        trial, batches, factor = record.best
        settings = {**record.trials[trial].settings, "n_iter": batches, "n_joined": 1, "own_slopes": 0.0}
        if self._best[0] == trial:
            models = [_with_first(model, batches) for model in self._best[1]]
        else:  # the trial is from a search that was stopped
            models = list(self._fits(settings))
        narrower, seed = plan.spread_factors[factor], plan.random_state
        found = weigh_columns(self.data, self.folds, models, narrower, seed, self.clock.tick)
        if 0 < len(found.idle) < len(found.names):
            without = []
            for fold, model in zip(self.folds, self._fits(settings, found.idle), strict=True):
                answer = model.predict_distribution(fold.left_out)
                without.append(scores_by_factor(self.data, fold, answer, model, plan)[factor])
            found = replace(found, without=float(np.mean(without)))
        self.clock.count(plan.n_folds)
        self.clock.keep(columns=found)

    def _refined(self, fold: OneFold, tell: Tell) -> NumberRefined:
        """Fit the best of the trials on a fold as the final model will be, and score it with each refinement."""
        record, plan = self.clock.record, self.clock.record.plan
        trial, batches, _ = record.best
        settings = {**record.trials[trial].settings, "n_iter": batches, "n_joined": plan.n_joined}
        model, scores, sizes = self._fit(fold, settings, record.dropped, tell), [], []
        for one in model.staged_refine(
            fold.learned,
            self.data.target[fold.rows.train],
            self.data.weight[fold.rows.train],
            corrections=plan.corrections,
            thinnings=plan.thinnings,
            max_prototypes=self.parameters.get("max_prototypes"),
            on_evaluation=lambda *_: tell(),
        ):
            answer = one.predict_distribution(fold.left_out)
            scores.append(scores_by_factor(self.data, fold, answer, one, plan))
            sizes.append(float(one.set_manager_.get_num_prototypes()))
        return NumberRefined(np.array(scores), np.array(sizes))


def _with_first(model: RegressorModel, n_batches: int) -> RegressorModel:
    """Return a model with its first batches alone."""
    first = copy.copy(model)
    first.set_manager_ = model.set_manager_.with_batches(model.set_manager_.batches[:n_batches])
    return first


def _fits_done(record: NumberRecord) -> int:
    """Count the fits of one model each that a record has the scores of."""
    plan = record.plan
    done = len(record.trials) * plan.n_folds + len(record.refined) * plan.n_joined
    return (
        done
        + (plan.n_folds if record.columns is not None else 0)
        + len(record.scaled) * len(plan.scales)
        + 2 * len(record.bends)
    )


def _fingerprint(data: NumberData, parameters: Mapping[str, Any], first: OneFold) -> str:
    """Return a hash of everything that results depend on but the plan."""
    # What is not bent is as it was before it could be.
    unsaid = ("n_jobs",) if parameters.get("bend_target") else ("n_jobs", "bend_target")
    known = {name: value for name, value in parameters.items() if name not in unsaid}
    digest = hashlib.blake2b(repr(sorted(known.items())).encode(), digest_size=16)
    for part in (data.target, data.weight, data.groups, data.times, first.learned, first.left_out):
        array = np.zeros(0) if part is None else np.ascontiguousarray(part)
        digest.update(repr((array.dtype.str, array.shape)).encode())
        digest.update(array.data)
    if data.steer is not None:
        digest.update(data.steer.key.encode())
    return digest.hexdigest()


@dataclass(eq=False)
class _TrialClock:
    """Turns folds done into progress."""

    record: NumberRecord  # what is finished
    callback: Callable[[SearchProgress], None] | None
    before: int  # fits that a former run has done
    tries_bend: bool = False
    at_once: bool = False  # whether folds have threads of their own
    _start: float = field(default_factory=time.perf_counter)
    _last: float = 0.0
    _done: int = 0
    _share: float = 0.0
    _within: float = 0.0

    def keep(self, **found: Any) -> None:
        """Take into the record what is found, and report it."""
        self.record = replace(self.record, **found)
        self._report()

    def each(self, works: Iterable[Callable[[Tell], T]]) -> Iterator[T]:
        """Do what is to be done on each of several folds, and yield what comes of it in their order."""
        todo = list(works)
        return side_by_side(todo, self.tick) if self.at_once else (work(self.tick) for work in todo)

    def tick(self, now: FitProgress | None = None) -> None:
        """Report now and then while a fit is under way, or, without news, refined, so that it can be stopped."""
        self._within = self._within if now is None else now.share
        if time.perf_counter() - self._last > SECONDS_BETWEEN_TICKS:
            self._report()

    def count(self, n_fits: int = 1) -> None:
        """Take in that another fold is done, which took so many fits."""
        self._done, self._within = self._done + n_fits, 0.0

    def _report(self) -> None:
        """Call back."""
        if self.callback is None:
            return
        self._last = time.perf_counter()
        seconds, fresh = self._last - self._start, self._done + self._within
        plan, before = self.record.plan, self.before
        look = plan.n_folds * plan.n_joined if plan.looks else 0
        total = (plan.n_trials + plan.drop_columns + len(plan.scales) + 2 * self.tries_bend) * plan.n_folds + look
        whole = total / (1.0 - REFIT_SHARE)
        self._share = max(self._share, (before + fresh) / whole)
        left = (whole - before - fresh) * seconds / fresh if fresh else float("inf")
        finished = len(self.record.trials)
        told = SearchProgress(1, finished, plan.n_trials, seconds, left, self._share, lambda: self.record)
        self.callback(told)
