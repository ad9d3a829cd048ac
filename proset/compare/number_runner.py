"""Fits and measures systems that answer with a number on the same rows and folds."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from proset.compare.at_work import Matrix
from proset.compare.numbers.levels import LEVELS, FloatArray, number_scores
from proset.compare.numbers.number_bench import NumberBench
from proset.compare.numbers.number_contenders import NUMBER_SYSTEMS, number_contenders
from proset.compare.numbers.number_ground import NumberGround, number_ground
from proset.compare.numbers.number_result import NumberComparison, NumberSystemResult
from proset.compare.plan import ComparePlan
from proset.compare.runner import Tell, Work
from proset.engine.everybody import Everybody
from proset.explain.numbers.straight_line import StraightLine
from proset.selection.folds import left_out_ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from proset.compare.budget import TimeEstimate
    from proset.compare.contenders import Contender
    from proset.study.number_study import NumberStudy


def compare_numbers(
    study: NumberStudy,
    plan: ComparePlan | None = None,
    *,
    progress: Tell | None = None,
    contenders: Sequence[Contender] | None = None,
    expected: TimeEstimate | None = None,
) -> NumberComparison:
    """Fit and measure several systems on the rows of a study of a number.

    Within each fold of the training rows the design is learned anew, and every system sees the same matrices. Then each
    system is fitted to all training rows once and measured on the held-out rows. All are measured by the quantiles that
    they state at 19 levels. A system that fails says so in its result, and the others go on.

    Parameters
    ----------
    plan : ComparePlan or None
        What is compared; None for all systems that answer with a number. Sizes and drift play no part.
    progress, contenders, expected
        As for :func:`proset.compare.compare`.

    Raises
    ------
    StudyError
        If the rows do not suffice for the folds, or a system of the plan knows classes only.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = compare_numbers(study, ComparePlan(("knn", "gbmap"), n_folds=2))
    >>> found.system("knn").quantiles.shape, found.which
    ((120, 19), 'held-out rows')
    """
    plan = number_plan(plan)
    began = time.perf_counter()
    ground = number_ground(study, plan)
    systems = number_contenders(plan, study) if contenders is None else contenders
    benches = [NumberBench(system, ground) for system in systems]
    work = Work(plan, ground, benches, progress)
    if expected is not None:
        work.expect({entry.key: entry.seconds for entry in expected.systems})
    work.run()
    return NumberComparison(
        study_id=study.id,
        plan=plan,
        target=str(study.roles.target),
        rows=ground.rows,
        measured=ground.measured,
        actual=ground.actual,
        which=ground.which,
        systems=tuple(bench.number_result() for bench in benches),
        everybody=_measured(ground, "everybody", "as everybody", _everybody),
        line=_measured(ground, "line", "a straight line", _straight),
        seconds=time.perf_counter() - began,
        left_out_ratio=left_out_ratio(ground.folds),
    )


def number_plan(plan: ComparePlan | None) -> ComparePlan:
    """Return a plan without what only classes have."""
    return replace(plan or ComparePlan(NUMBER_SYSTEMS), sizes=False, drift=False)


Said = tuple[FloatArray, FloatArray]


def _measured(
    ground: NumberGround, key: str, title: str, say: Callable[[NumberGround, np.ndarray, Matrix, Matrix], Said]
) -> NumberSystemResult:
    """Measure what systems have to be better than on the same rows."""
    scores = []
    for fold in ground.folds:
        X, X_test = ground.matrices(fold)
        scores.append(number_scores(*say(ground, fold.train, X, X_test), ground.target[fold.test]))
    X, X_test = (ground.study.encode(rows).X for rows in (ground.rows, ground.measured))
    quantiles, means = say(ground, np.arange(len(ground.rows)), X, X_test)
    return NumberSystemResult(
        key=key,
        title=title,
        about="",
        failed="",
        notes=(),
        settings="",
        fold_scores=np.array(scores),
        held_out_scores=number_scores(quantiles, means, ground.actual),
        quantiles=quantiles,
        means=means,
        n_prototypes=None,
        n_features=None,
        fit_seconds=float("nan"),
        predict_seconds=float("nan"),
    )


def _everybody(ground: NumberGround, train: np.ndarray, X: Matrix, X_test: Matrix) -> Said:
    """State the distribution of the rows learned from for every case."""
    one = Everybody.of(ground.target[train]).distribution(1)
    return np.tile(one.quantile(LEVELS), (len(X_test), 1)), np.full(len(X_test), one.mean[0])


def _straight(ground: NumberGround, train: np.ndarray, X: Matrix, X_test: Matrix) -> Said:
    """State what a straight line says."""
    said = StraightLine.fit(X, ground.target[train], ground.known.at(train)).distribution(X_test)
    return said.quantile(LEVELS), said.mean
