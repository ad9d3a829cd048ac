"""Round zero of a search for a model of a number: the usual settings on each scale of numbers, fold by fold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from proset.engine.fit_progress import FitProgress
from proset.selection.folds import Fold
from proset.selection.number_folds import NumberData, fit_inside
from proset.selection.number_plan import NumberPlan
from proset.selection.scale_choice import MOST_ROWS, ChosenScale, choose_scale

MOST_BATCHES = 3


def short_fit(plan: NumberPlan, parameters: Mapping[str, Any]) -> tuple[dict[str, Any], NumberPlan]:
    """Return parameters and plan of a fit by which a search decides before all else: few batches of few rows."""
    own = {**parameters, **next(plan.settings()), "n_iter": MOST_BATCHES, "n_joined": 1}
    return own, replace(plan, max_rows=min(plan.max_rows or MOST_ROWS, MOST_ROWS))


def scores_by_scale(
    data: NumberData,
    rows: Fold,
    plan: NumberPlan,
    parameters: Mapping[str, Any],
    progress: Callable[[FitProgress], None],
) -> tuple[float, ...]:
    """Return the mean log score of the rows that a fold leaves out: without prototypes, then with each scale.

    The usual settings are tried with up to three batches of up to 1,000 rows, of which the best number counts.

    Parameters
    ----------
    data : NumberData
        Rows, which know their other scales.
    rows : Fold
        Which to learn from.
    plan : NumberPlan
        Names the scales.
    parameters : mapping
        Other parameters of ``RegressorModel``.
    progress : callable
        As for a fit.
    """
    own, few = short_fit(plan, parameters)
    target, weight = data.target[rows.test], data.weight[rows.test]
    scores, everybody = [], 0.0
    for scale in plan.scales:
        fold = data.on_scale(scale).fold(rows, named=False)
        answers = fit_inside(data, fold, own, few, progress).staged_predict_distribution(fold.left_out)
        curve = [float(np.average(answer.log_score(target), weights=weight)) for answer in answers]
        everybody = curve[0]
        scores.append(min(curve))
    return (everybody, *scores)


def chosen_scale(plan: NumberPlan, scaled: tuple[tuple[float, ...], ...]) -> ChosenScale:
    """Take a scale by what :func:`scores_by_scale` has found on all folds.

    Examples
    --------
    >>> found = ((4.0, 3.0, 2.8, 2.7), (4.1, 3.1, 2.9, 2.9))
    >>> chosen_scale(NumberPlan(n_folds=2), found).words.split(":")[0]
    'Numbers are taken on a quantile scale'
    """
    table = np.array(scaled).T
    gain = float((table[0] - table[1]).mean())
    return choose_scale(plan.scales, table[1:], gain=gain, measure="log score")
