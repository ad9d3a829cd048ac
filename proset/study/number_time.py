"""Time of a fit or a search for a model of a number, estimated from a small fit that is measured."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from proset.data.design import Design
from proset.engine.candidates import smallest_class_size
from proset.engine.mixtures.units import LEAST_GAIN, gain_of_bend
from proset.engine.regressor import RegressorModel
from proset.selection.number_plan import NumberPlan
from proset.selection.number_scale import MOST_BATCHES
from proset.selection.scale_choice import MOST_ROWS
from proset.study.number_fit import NumberProblem
from proset.study.settings import NumberSettings
from proset.study.time_needed import TimeNeeded

MEASURED_ROWS = 400
# Measured on concrete, abalone and California housing, on two busy cores.
GROWTH = 0.85  # time of a batch grows with its rows to this power: its candidates do not become more
LATER = 0.6  # of the time of a first batch, for each one after it
LOOSE = 0.4  # of the time of a fit, with the tolerance inside the folds
REFINING = 0.3  # of the time of the fits that are refined, in all ways that a plan tries
FOUND_BATCHES = 0.6  # of those that a search tries, which the chosen model has on average


def number_seconds_needed(
    problem: NumberProblem,
    settings: NumberSettings,
    plan: NumberPlan | None,
    clock: Callable[[], float] = time.perf_counter,
) -> TimeNeeded:
    r"""Estimate how long a fit or a search takes, by fitting one batch to a few rows.

    Parameters
    ----------
    problem : NumberProblem
        What is to be fitted.
    settings : NumberSettings
        Of the fit.
    plan : NumberPlan or None
        What is tried; None for one fit with `settings`.
    clock : callable
        Tells the time.

    Examples
    --------
    >>> from proset.data.role_guess import guess_roles
    >>> from proset.data.table import read_table
    >>> from proset.study.number_fit import number_problem
    >>> lines = ["size,price"] + [f"{value},{3 * value + value % 7}" for value in range(60)]
    >>> table = read_table("\n".join(lines).encode(), name="prices.csv")
    >>> problem = number_problem(table, guess_roles(table, target="price").roles.as_number())
    >>> short, long = (number_seconds_needed(problem, NumberSettings(), plan) for plan in (None, NumberPlan()))
    >>> short.search, bool(long.search > long.refit > 0.0)
    (0.0, True)
    """
    rows = problem.training_rows
    few = np.random.default_rng(0).permutation(len(rows))[:MEASURED_ROWS]
    matrix = Design(problem.roles, settings.scale).fit(rows.iloc[few]).transform(rows.iloc[few]).X
    target, n_rows = problem.target[few], len(rows)
    if len(few) < 3 * smallest_class_size(settings.max_fraction) or np.ptp(target) == 0.0:
        return TimeNeeded(0.0, 1.0)
    small = replace(settings, n_iter=1, n_joined=1, max_samples=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RegressorModel(**small.for_model)
        _load()
        began = clock()
        model.fit(matrix, target)
    one = clock() - began

    def batch(n: float, most: int | None) -> float:
        return one * (min(n, most or math.inf) / len(few)) ** GROWTH

    def batches(n: float) -> float:
        return min(n, 1.0) + LATER * max(n - 1.0, 0.0)

    last = batches(settings.n_iter) * settings.n_joined * batch(n_rows, settings.max_samples)
    if plan is None:
        return TimeNeeded(0.0, last)
    inside = min(filter(None, (settings.max_samples, plan.max_rows)), default=None)
    learned = n_rows * (1.0 - 1.0 / plan.n_folds)
    search = LOOSE * plan.n_trials * plan.n_folds * batches(plan.max_batches) * batch(learned, inside)
    bends = plan.bend_target and gain_of_bend(target, np.ones(len(target))) > LEAST_GAIN
    if short := len(plan.scales) + 2 * bends:
        most = min(inside or MOST_ROWS, MOST_ROWS)
        search += LOOSE * short * plan.n_folds * batches(MOST_BATCHES) * batch(learned, most)
    alone = batches(FOUND_BATCHES * plan.max_batches)
    found = alone * plan.n_joined
    if plan.drop_columns:  # at most: nothing is fitted again where every column tells something
        search += plan.n_folds * alone * batch(learned, inside) * LOOSE
    if plan.looks:
        search += plan.n_folds * found * batch(learned, inside) * (LOOSE + REFINING)
    last = found * batch(n_rows, settings.max_samples)
    return TimeNeeded(search, last)


@cache
def _load() -> None:
    """Load the compiled code, which the first fit of a process would wait for."""
    RegressorModel(n_iter=1, random_state=0).fit(np.linspace(-1.0, 1.0, 30)[:, None], np.linspace(0.0, 1.0, 30))
