"""Search for a model of a number: trial after trial, each on all folds, and what is finished is kept."""

from __future__ import annotations

import hashlib
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from proset.common.errors import OtherSearchError
from proset.engine.candidates import smallest_class_size
from proset.engine.density_part import Density
from proset.engine.fit_progress import FitProgress
from proset.engine.mixtures.distribution import PredictedDistribution
from proset.engine.no_features import NoActiveFeatureWarning
from proset.engine.regressor import RegressorModel
from proset.engine.set_manager import FloatArray, IntArray
from proset.selection.folds import Fold, make_folds
from proset.selection.number_plan import NumberPlan
from proset.selection.number_record import NumberRecord, NumberRefined, NumberTrial
from proset.selection.search_progress import REFIT_SHARE, SECONDS_BETWEEN_TICKS, SearchProgress, keeping

Matrices = tuple[NDArray[np.floating], NDArray[np.floating]]


@dataclass(frozen=True, eq=False)
class NumberData:
    """Rows that a search for a model of a number looks at.

    Attributes
    ----------
    target, weight : ndarray of float64, shape (n,)
        Targets in any unit, and weights, positive.
    prepare : callable
        Makes the matrices of the rows to learn from and of those left out, given the positions of both.
    groups : ndarray of int64 or None
        Rows with the same value stay in the same fold.
    times : ndarray of float64 or None
        When each row was: folds learn from rows before those that they leave out.
    """

    target: FloatArray
    weight: FloatArray
    prepare: Callable[[IntArray, IntArray], Matrices]
    groups: IntArray | None = None
    times: FloatArray | None = None


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
    plan : NumberPlan
        What to try.
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
    folds = number_folds(data, plan)
    first = data.prepare(folds[0].train, folds[0].test)
    fingerprint = _fingerprint(data, parameters, first)
    if record is not None and (record.plan, record.fingerprint) != (plan, fingerprint):
        told = "The search to go on from has another plan, or was made with other data or settings."
        raise OtherSearchError(told, hint="Start the search anew.")
    record = record or NumberRecord(plan, fingerprint)
    if record.complete:
        return record
    matrices = [first, *(data.prepare(fold.train, fold.test) for fold in folds[1:])]
    clock = _TrialClock(record, progress, len(record.trials), len(record.refined) * plan.n_joined)
    with keeping(lambda: clock.record):
        for settings in list(plan.settings())[len(record.trials) :]:
            scores = [
                _fold_scores(data, fold, both, {**parameters, **settings}, plan, clock)
                for fold, both in zip(folds, matrices, strict=True)
            ]
            clock.finish(NumberTrial(settings, np.array(scores)))
        for at in range(plan.n_folds - clock.record.to_refine, plan.n_folds):
            clock.refined(_refined(data, folds[at], matrices[at], parameters, clock))
    return clock.record


def number_folds(data: NumberData, plan: NumberPlan) -> tuple[Fold, ...]:
    """Cut the rows into folds, by thirds of the range of the target.

    Raises
    ------
    StudyError
        If the rows, groups or times do not suffice.
    """
    smallest = smallest_class_size(RegressorModel().max_fraction)
    parts = Density(data.target, data.weight, np.arange(len(data.target))).parts(plan.n_folds * smallest)
    return make_folds(parts, plan, data.groups, data.times, smallest=smallest)


def _fold_scores(
    data: NumberData, fold: Fold, both: Matrices, parameters: dict[str, Any], plan: NumberPlan, clock: _TrialClock
) -> FloatArray:
    """Return the mean log score of the rows that a fold leaves out, by number of batches and spread factor."""
    model = _fit(data, fold, both, {**parameters, "n_iter": plan.max_batches, "n_joined": 1}, plan, clock)
    stages = model.staged_predict_distribution(both[1])
    scores = [_by_factor(data, fold, answer, model, plan) for answer in stages]
    clock.count()
    return np.array(scores)


def _refined(
    data: NumberData, fold: Fold, both: Matrices, parameters: Mapping[str, Any], clock: _TrialClock
) -> NumberRefined:
    """Fit the best of the trials on a fold as the final model will be, and score it with each refinement."""
    record, plan = clock.record, clock.record.plan
    trial, batches, _ = record.best
    own = {"n_iter": batches, "n_joined": plan.n_joined, **record.trials[trial].settings}
    model = _fit(data, fold, both, {**parameters, **own}, plan, clock)
    scores, sizes = [], []
    for one in model.staged_refine(
        both[0],
        data.target[fold.train],
        data.weight[fold.train],
        corrections=plan.corrections,
        thinnings=plan.thinnings,
        max_prototypes=parameters.get("max_prototypes"),
        on_evaluation=clock.within,
    ):
        scores.append(_by_factor(data, fold, one.predict_distribution(both[1]), one, plan))
        sizes.append(float(one.set_manager_.get_num_prototypes()))
    clock.count(plan.n_joined)
    return NumberRefined(np.array(scores), np.array(sizes))


def _fit(
    data: NumberData, fold: Fold, both: Matrices, parameters: Mapping[str, Any], plan: NumberPlan, clock: _TrialClock
) -> RegressorModel:
    """Fit a model inside a fold; it is refined afterwards, if at all."""
    inside = {"solver_factr": plan.cv_factr, "max_samples": _rows_inside(parameters, plan)}
    as_grown = {"correction": 0.0, "thinning": 0.0, "max_prototypes": None}
    model = RegressorModel(**{**parameters, **inside, **as_grown})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", NoActiveFeatureWarning)
        return model.fit(both[0], data.target[fold.train], data.weight[fold.train], progress=clock.tick)


def _by_factor(
    data: NumberData, fold: Fold, answer: PredictedDistribution, model: RegressorModel, plan: NumberPlan
) -> list[float]:
    """Return the mean log score of the rows that a fold leaves out with each spread factor."""
    target, weight = data.target[fold.test], data.weight[fold.test]
    n_marginal = len(model.set_manager_.marginal.centers)
    narrowed = (_narrowed(answer, factor, n_marginal) for factor in plan.spread_factors)
    return [float(np.average(one.log_score(target), weights=weight)) for one in narrowed]


def _narrowed(answer: PredictedDistribution, factor: float, n_marginal: int) -> PredictedDistribution:
    """Return the distributions with the spreads of all prototypes multiplied, as ``spread_factor`` does."""
    spreads = answer.mixture.spreads.copy()
    spreads[: len(spreads) - n_marginal] *= factor
    return replace(answer, mixture=replace(answer.mixture, spreads=spreads))


def _rows_inside(parameters: Mapping[str, Any], plan: NumberPlan) -> int | None:
    """Return the most rows of a batch inside the folds."""
    return min(filter(None, (parameters.get("max_samples"), plan.max_rows)), default=None)


def _fingerprint(data: NumberData, parameters: Mapping[str, Any], first: Matrices) -> str:
    """Return a hash of everything that results depend on but the plan."""
    known = {name: value for name, value in parameters.items() if name != "n_jobs"}
    digest = hashlib.blake2b(repr(sorted(known.items())).encode(), digest_size=16)
    for part in (data.target, data.weight, data.groups, data.times, *first):
        array = np.zeros(0) if part is None else np.ascontiguousarray(part)
        digest.update(repr((array.dtype.str, array.shape)).encode())
        digest.update(array.data)
    return digest.hexdigest()


@dataclass(eq=False)
class _TrialClock:
    """Turns folds done into progress."""

    record: NumberRecord  # what is finished
    callback: Callable[[SearchProgress], None] | None
    before: int  # trials that a former run has finished
    refined_before: int  # fits of the last look that it has
    _start: float = field(default_factory=time.perf_counter)
    _last: float = 0.0
    _done: int = 0
    _share: float = 0.0
    _within: float = 0.0

    def finish(self, trial: NumberTrial) -> None:
        """Keep a trial, and report it."""
        self.record = replace(self.record, trials=(*self.record.trials, trial))
        self._report()

    def refined(self, fold: NumberRefined) -> None:
        """Keep what refinements come to on a fold, and report it."""
        self.record = replace(self.record, refined=(*self.record.refined, fold))
        self._report()

    def tick(self, now: FitProgress) -> None:
        """Report now and then while a fit is under way, so that it can be stopped."""
        self._within = now.share
        self.within()

    def within(self, *_: object) -> None:
        """Report now and then without news, while a model is refined."""
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
        plan = self.record.plan
        look = plan.n_folds * plan.n_joined if plan.looks else 0
        total, before = plan.n_trials * plan.n_folds + look, self.before * plan.n_folds + self.refined_before
        whole = total / (1.0 - REFIT_SHARE)
        self._share = max(self._share, (before + fresh) / whole)
        left = (whole - before - fresh) * seconds / fresh if fresh else float("inf")
        finished = len(self.record.trials)
        told = SearchProgress(1, finished, plan.n_trials, seconds, left, self._share, lambda: self.record)
        self.callback(told)
