"""Before the trials of a search for a model of a number: the target as it is and bent, fold by fold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from proset.engine.fit_progress import FitProgress
from proset.engine.mixtures.distribution import PredictedDistribution
from proset.engine.mixtures.units import LEAST_GAIN, gain_of_bend
from proset.engine.set_manager import FloatArray
from proset.selection.folds import Fold
from proset.selection.number_folds import NumberData, fit_inside
from proset.selection.number_plan import SMOOTHER, NumberPlan
from proset.selection.number_scale import short_fit
from proset.selection.scale_choice import ERRORS

_LEVELS = (np.arange(19) + 1.0) / 20.0


@dataclass(frozen=True)
class ChosenBend:
    """Choice of a search between a target as it is and the bent one.

    Attributes
    ----------
    bent : bool
        Whether it was taken.
    lower, error : float
        By how much its mean log score over the folds is lower, and the standard error of this paired difference.
    nearer : float
        By which share of it its mean CRPS is lower.
    """

    bent: bool
    lower: float
    error: float
    nearer: float

    @property
    def words(self) -> str:
        """Sentence that says which was taken and why."""
        by = f"{self.lower:.3f} ± {self.error:.3f} lower log score over the folds"
        if self.bent:
            return (
                f"The target has a long tail and is taken bent, much like a logarithm: with a quick fit it gave {by}."
            )
        if self.lower <= 0.0:
            return (
                "The target has a long tail but is taken as it is: bending it gave no lower log score over the folds."
            )
        if self.nearer < 0.0:
            return f"The target has a long tail but is taken as it is: bent it gave {by}, but a larger CRPS."
        return f"The target has a long tail but is taken as it is: bent it gave {by}, which is not enough to bend it."


def has_long_tail(data: NumberData) -> bool:
    """Tell whether it is worth while to try the target bent."""
    return gain_of_bend(data.target, data.weight) > LEAST_GAIN


def scores_by_bend(
    data: NumberData,
    rows: Fold,
    plan: NumberPlan,
    parameters: Mapping[str, Any],
    progress: Callable[[FitProgress], None],
) -> tuple[float, ...]:
    """Return mean log score and CRPS of the rows that a fold leaves out: the target as it is, then bent.

    The smoother settings of a search are tried, with few batches of few rows; of the batches, the best number counts.
    """
    own, few = short_fit(plan, parameters)
    own |= (
        SMOOTHER  # with the usual ones, a row that surprises decides: on made products they said no two times of three
    )
    target, weight = data.target[rows.test], data.weight[rows.test]
    fold, scores = data.fold(rows, named=False), []
    for bent in (False, True):
        model = fit_inside(data, fold, {**own, "bend_target": bent}, few, progress)
        answers = list(model.staged_predict_distribution(fold.left_out))
        curve = [float(np.average(answer.log_score(target), weights=weight)) for answer in answers]
        best = int(np.argmin(curve))
        scores += [curve[best], float(np.average(_nearly_crps(answers[best], target), weights=weight))]
    return tuple(scores)


def chosen_bend(bends: tuple[tuple[float, ...], ...]) -> ChosenBend:
    """Decide by what :func:`scores_by_bend` has found on all folds.

    The bent target is taken if its log score is clearly lower and its CRPS not higher: the first alone would often
    prefer it for what it says of small numbers, at the price of large ones.

    Examples
    --------
    >>> chosen_bend(((3.0, 1.0, 2.8, 0.9), (3.1, 1.1, 2.9, 1.0))).bent
    True
    >>> chosen_bend(((3.0, 1.0, 2.8, 1.1), (3.1, 1.1, 2.9, 1.2))).words.split(":")[1]
    ' bent it gave 0.200 ± 0.000 lower log score over the folds, but a larger CRPS.'
    """
    table = np.array(bends)
    lower = table[:, 0] - table[:, 2]
    error = float(lower.std(ddof=1) / np.sqrt(len(lower)))
    straight = float(table[:, 1].mean())
    nearer = 1.0 - float(table[:, 3].mean()) / straight if straight > 0.0 else 0.0
    clearly = float(lower.mean()) > ERRORS * error
    return ChosenBend(clearly and nearer >= 0.0, float(lower.mean()), error, nearer)


def _nearly_crps(answer: PredictedDistribution, target: FloatArray) -> FloatArray:
    """Return twice the mean pinball loss at 19 levels, which takes a small part of the time of the score itself."""
    off = target[:, None] - answer.quantile(_LEVELS)
    loss: FloatArray = 2.0 * np.maximum(_LEVELS * off, (_LEVELS - 1.0) * off).mean(axis=1)
    return loss
