"""One fold of a search for a model of a number: its rows, a model that is fitted inside it, and scores."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from proset.data.scales import Scale
from proset.engine.candidates import smallest_class_size
from proset.engine.density_part import Density
from proset.engine.fit_progress import FitProgress
from proset.engine.fitting import are_long
from proset.engine.mixtures.distribution import PredictedDistribution
from proset.engine.no_features import NoActiveFeatureWarning
from proset.engine.regressor import RegressorModel
from proset.engine.set_manager import FloatArray, IntArray
from proset.engine.steering import NOT_STEERED, Steering
from proset.selection.folds import Fold, make_folds
from proset.selection.number_plan import NumberPlan
from proset.selection.tasks import Steer

Matrices = tuple[NDArray[np.floating], NDArray[np.floating]]


@dataclass(frozen=True, eq=False)
class OneFold:
    """A fold as a model takes it.

    Attributes
    ----------
    rows : Fold
        Positions of its rows.
    learned, left_out : array of shape (n, D)
        Matrices of those to learn from and of those left out.
    columns : ndarray of str, shape (D,)
        The columns behind theirs.
    steering : Steering
        What is asked of its fit.
    """

    rows: Fold
    learned: NDArray[np.floating]
    left_out: NDArray[np.floating]
    columns: NDArray[np.str_]
    steering: Steering = NOT_STEERED

    @property
    def open_columns(self) -> list[str]:
        """Columns of which nobody has said that they must be used, or must not, in the order of the matrix."""
        penalty = self.steering.penalty
        asked = np.zeros(len(self.columns), dtype=bool) if penalty is None else (penalty == 0.0) | np.isinf(penalty)
        return list(dict.fromkeys(map(str, self.columns[~asked])))


@dataclass(frozen=True, eq=False)
class NumberData:
    """Rows that a search for a model of a number looks at.

    Attributes
    ----------
    target, weight : ndarray of float64, shape (n,)
        Targets in any unit, and weights, positive.
    prepare : callable
        Makes the matrices of the rows to learn from and of those left out, given the positions of both.
    groups : ndarray of int64, shape (n,), or None
        Rows with the same value stay in the same fold.
    times : ndarray of float64, shape (n,), or None
        When each row was: folds learn from rows before those that they leave out.
    sources : callable or None
        Names the column of a table behind each column of the matrices, given the positions of the rows to learn from;
        None where each column of the matrices stands for itself.
    scaled : callable or None
        Returns the same rows with numbers on a scale; None where there is no other.
    steer : callable or None
        Tells what is asked of the fit of a fold, given the positions of the rows to learn from; None for nothing.
    """

    target: FloatArray
    weight: FloatArray
    prepare: Callable[[IntArray, IntArray], Matrices]
    groups: IntArray | None = None
    times: FloatArray | None = None
    sources: Callable[[IntArray], Sequence[str]] | None = None
    scaled: Callable[[Scale], NumberData] | None = None
    steer: Steer | None = None

    def on_scale(self, scale: Scale) -> NumberData:
        """Return the same rows with numbers on a scale."""
        return self if self.scaled is None else self.scaled(scale)

    def fold(self, rows: Fold, *, named: bool) -> OneFold:
        """Make the matrices of a fold; the columns behind theirs are looked up where they are to be `named`."""
        learned, left_out = self.prepare(rows.train, rows.test)
        names = self.sources(rows.train) if named and self.sources is not None else map(str, range(learned.shape[1]))
        steering = NOT_STEERED if self.steer is None else self.steer(rows.train)
        return OneFold(rows, learned, left_out, np.array([*names], dtype=np.str_), steering)


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


def fit_inside(
    data: NumberData,
    fold: OneFold,
    parameters: Mapping[str, Any],
    plan: NumberPlan,
    progress: Callable[[FitProgress], None],
    dropped: Sequence[str] = (),
) -> RegressorModel:
    """Fit a model inside a fold, without some columns; it is refined afterwards, if at all.

    Warnings are for whoever searches to ignore: what is ignored belongs to all threads.
    """
    inside = {"solver_factr": plan.cv_factr, "max_samples": _rows_inside(parameters, plan)}
    as_grown = {"correction": 0.0, "thinning": 0.0, "max_prototypes": None}
    model = RegressorModel(**{**parameters, **inside, **as_grown})
    return model.fit(
        fold.learned,
        data.target[fold.rows.train],
        data.weight[fold.rows.train],
        progress=progress,
        **steering_without(fold.steering, fold.columns, dropped).arguments(),
    )


@contextmanager
def without_warnings() -> Iterator[None]:
    """Ignore what is said of single fits inside folds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", NoActiveFeatureWarning)
        yield


def are_long_fits(shape: tuple[int, ...], parameters: Mapping[str, Any], plan: NumberPlan) -> bool:
    """Tell whether fits to a matrix of a shape take so long that folds are worth threads of their own."""
    n_rows = min(filter(None, (shape[0], _rows_inside(parameters, plan))))
    return are_long(Density, n_rows, parameters.get("num_candidates", RegressorModel().num_candidates), shape[1])


def penalty_without(columns: Sequence[str] | NDArray[np.str_], dropped: Sequence[str]) -> FloatArray | None:
    """Return the `feature_penalty` of a fit that does without some columns; None where it does without none.

    Examples
    --------
    >>> penalty_without(["age", "ward", "ward"], ["ward"]).tolist()
    [1.0, inf, inf]
    """
    return np.where(np.isin(columns, dropped), np.inf, 1.0) if dropped else None


def steering_without(steering: Steering, columns: Sequence[str] | NDArray[np.str_], dropped: Sequence[str]) -> Steering:
    """Return what is asked of a fit that also does without some columns."""
    without = penalty_without(columns, dropped)
    if without is None:
        return steering
    # What is not dropped keeps the factor that was asked for: below 1 too, such as 0 for what must be used.
    asked = steering.penalty
    return replace(steering, penalty=without if asked is None else np.where(np.isinf(without), np.inf, asked))


def scores_by_factor(
    data: NumberData, fold: OneFold, answer: PredictedDistribution, model: RegressorModel, plan: NumberPlan
) -> list[float]:
    """Return the mean log score of the rows that a fold leaves out with each spread factor."""
    target, weight = data.target[fold.rows.test], data.weight[fold.rows.test]
    narrow = (narrowed(answer, factor, model) for factor in plan.spread_factors)
    return [float(np.average(one.log_score(target), weights=weight)) for one in narrow]


def narrowed(answer: PredictedDistribution, factor: float, model: RegressorModel) -> PredictedDistribution:
    """Return the distributions of a model with the spreads of all prototypes multiplied, as ``spread_factor`` does."""
    spreads = answer.mixture.spreads.copy()
    spreads[: len(spreads) - len(model.set_manager_.marginal.centers)] *= factor
    return replace(answer, mixture=replace(answer.mixture, spreads=spreads))


def _rows_inside(parameters: Mapping[str, Any], plan: NumberPlan) -> int | None:
    """Return the most rows of a batch inside the folds."""
    return min(filter(None, (parameters.get("max_samples"), plan.max_rows)), default=None)
