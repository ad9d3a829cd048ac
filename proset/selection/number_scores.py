"""Measurements of a search for a model of a number: trials, columns, refinements; as JSON types and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from proset.common.checked_json import StateReader
from proset.engine.set_manager import FloatArray
from proset.selection.number_plan import NumberPlan

CHANCE = 2.0  # standard errors: of columns of noise one in forty is taken for more


@dataclass(frozen=True, eq=False)
class NumberTrial:
    """Settings that were tried.

    Attributes
    ----------
    settings : mapping of str to float
        Parameters of ``RegressorModel``.
    log_scores : ndarray of shape (n_folds, max_batches + 1, n_factors)
        Mean log score on the rows that each fold leaves out, with 0, 1, ... batches and each spread factor; in nats per
        unit of the target.
    """

    settings: Mapping[str, float]
    log_scores: FloatArray

    @property
    def means(self) -> FloatArray:
        """Mean over the folds for each number of batches and spread factor, shape (max_batches + 1, n_factors)."""
        return np.asarray(self.log_scores.mean(axis=0))


@dataclass(frozen=True, eq=False)
class NumberRefined:
    """The best of the trials on one fold with each refinement of the plan.

    Attributes
    ----------
    log_scores : ndarray of shape (V, n_factors)
        Mean log score on the rows that the fold leaves out, by refinement and spread factor.
    prototypes : ndarray of shape (V,)
        Prototypes that are left.
    """

    log_scores: FloatArray
    prototypes: FloatArray


@dataclass(frozen=True, eq=False)
class NumberColumns:
    """Worth of each column on rows that the best of the trials has not seen.

    Attributes
    ----------
    names : tuple of str
        Columns: of a table, or by their position in a matrix.
    rises : ndarray of shape (D,)
        By how much the mean log score of the rows that the folds leave out rises when a column is shuffled among them.
    errors : ndarray of shape (D,)
        Standard errors of the same.
    without : float or None
        Mean log score over the folds of models that do without the columns whose rise may be chance; None where there
        are none, or nothing else.
    """

    names: tuple[str, ...]
    rises: FloatArray
    errors: FloatArray
    without: float | None = None

    @property
    def idle(self) -> tuple[str, ...]:
        """Columns whose rise is less than twice its standard error."""
        return tuple(name for name, idle in zip(self.names, self.rises <= CHANCE * self.errors, strict=True) if idle)


@dataclass(frozen=True)
class NumberRefinement:
    """The refinement that a search has chosen.

    Attributes
    ----------
    correction, thinning : float
        See ``RegressorModel``.
    factor : int
        Place of the spread factor that goes with it.
    log_score : float
        Mean log score over the folds.
    prototypes : float
        Mean number of prototypes over the folds.
    """

    correction: float
    thinning: float
    factor: int
    log_score: float
    prototypes: float


def refined_state(fold: NumberRefined) -> dict[str, Any]:
    """Return what is known of one fold as plain JSON types."""
    return {"log_scores": fold.log_scores.tolist(), "prototypes": fold.prototypes.tolist()}


def columns_state(columns: NumberColumns) -> dict[str, Any]:
    """Return what columns are worth as plain JSON types."""
    arrays = {"rises": columns.rises.tolist(), "errors": columns.errors.tolist()}
    return {"names": list(columns.names), **arrays, "without": columns.without}


def read_columns(state: object) -> NumberColumns:
    """Return what columns are worth."""
    own = StateReader(state, "search.columns")
    names, without = own.texts("names"), own.take("without")
    rises, errors = (np.array(own.numbers(key, fewest=len(names), most=len(names))) for key in ("rises", "errors"))
    own.close()
    if without is not None:
        (without,) = own.numbers_of("without", [without], fewest=1, most=1)
    return NumberColumns(names, rises, errors, without)


def read_refined(reader: StateReader, state: object, plan: NumberPlan) -> NumberRefined:
    """Return the refinements of one fold."""
    own, n, n_factors = StateReader(state, "search.refined"), len(plan.refinements()), len(plan.spread_factors)
    scores, prototypes = own.take("log_scores"), own.numbers("prototypes", fewest=n, most=n)
    own.close()
    if not isinstance(scores, list) or len(scores) != n:
        raise reader.refuse("refined", f"has to hold {n} refinements of each fold")
    rows = [own.numbers_of("log_scores", row, fewest=n_factors, most=n_factors) for row in scores]
    return NumberRefined(np.array(rows), np.array(prototypes))


def read_scaled(reader: StateReader, state: object, plan: NumberPlan) -> tuple[tuple[float, ...], ...]:
    """Return what each scale came to on the folds that are done."""
    if not isinstance(state, list) or len(state) > (plan.n_folds if plan.scales else 0):
        raise reader.refuse("scaled", f"has to hold at most {plan.n_folds} folds, where scales are compared")
    n = 1 + len(plan.scales)
    return tuple(reader.numbers_of("scaled", fold, fewest=n, most=n) for fold in state)


def read_bends(reader: StateReader, state: object, plan: NumberPlan) -> tuple[tuple[float, ...], ...]:
    """Return what the target as it is and the bent one came to on the folds that are done."""
    if not isinstance(state, list) or len(state) > (plan.n_folds if plan.bend_target else 0):
        raise reader.refuse("bends", f"has to hold at most {plan.n_folds} folds, where the target is tried bent")
    return tuple(reader.numbers_of("bends", fold, fewest=4, most=4) for fold in state)


def read_fold(reader: StateReader, fold: object, plan: NumberPlan) -> list[tuple[float, ...]]:
    """Return the scores of one fold, by number of batches and spread factor."""
    n, n_factors = plan.max_batches + 1, len(plan.spread_factors)
    if not isinstance(fold, list) or len(fold) != n:
        raise reader.refuse("log_scores", f"has to hold {n} numbers of batches of each fold")
    return [reader.numbers_of("log_scores", row, fewest=n_factors, most=n_factors) for row in fold]
