"""Shapley values of one answer: how far each column moves it between a reference and a case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.notebook import Displayed
from proset.common.words import number
from proset.explain.numbers.number_case import NumberCase, NumberExplained, number_case
from proset.study import NumberStudy

Functional = Literal["median", "mean", "quantile", "above"]
EXACT_UP_TO = 10
_ROWS_AT_ONCE = 1_024
Value = Callable[[NDArray[np.bool_]], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class NumberShap(Displayed):
    """Shapley values of one answer beside a reference, in units of the target.

    Attributes
    ----------
    columns : tuple of str
        Columns in use whose values differ, those that move most first.
    values : ndarray of shape (m,)
        What each adds; they sum to `answer` less `base`.
    errors : ndarray of shape (m,)
        Standard errors; 0 where every combination was asked.
    base, answer : float
        The answer for the reference, and for the case.
    functional : {"median", "mean", "quantile", "above"}
        Which answer; of "above" all values are probabilities.
    at : float or None
        Level of the quantile, or the number that may be exceeded.
    exact : bool
        Whether every combination of columns was asked.
    evaluations : int
        Answers that were asked for.
    cells : DataFrame
        Index `columns`; columns ``here`` and ``reference``: plain values of both.
    """

    columns: tuple[str, ...]
    values: NDArray[np.float64]
    errors: NDArray[np.float64]
    base: float
    answer: float
    functional: Functional
    exact: bool
    evaluations: int
    cells: pd.DataFrame
    at: float | None = None

    @property
    def what(self) -> str:
        """The answer in words, such as "median" or "chance of more than 310"."""
        if self.at is None:
            return self.functional
        return (
            f"chance of more than {number(self.at)}" if self.functional == "above" else f"{100 * self.at:g} % quantile"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row per column: ``column``, ``here``, ``reference``, ``adds``, ``standard error``."""
        cells = self.cells.reset_index(names="column")
        return cells.assign(adds=self.values, **{"standard error": self.errors})


def number_shap(
    explained: NumberExplained,
    case: Any,
    reference: Any = None,
    *,
    functional: Functional = "median",
    at: float | None = None,
    exact_up_to: int = EXACT_UP_TO,
    n_orders: int = 64,
    random_state: int = 0,
) -> NumberShap:
    """Divide the difference between the answers for a case and for a reference among the columns.

    A column's value is taken from the case or from the reference; what it adds is averaged over all orders in which the
    columns may change.

    Parameters
    ----------
    explained : RegressorModel or NumberStudy
        Fitted.
    case, reference : Case, int, DataFrame or array-like
        As for :func:`number_answer`; no reference is the training row with the number nearest to the median, which only
        a study knows.
    functional : {"median", "mean", "quantile", "above"}, default="median"
        Which answer: "above" is the probability of a number above `at`.
    at : float or None
        Level of the quantile, in (0, 1), or the number that may be exceeded; None for the other two.
    exact_up_to : int, default=10
        Columns up to which every combination is asked; beyond, orders are drawn.
    n_orders : int, default=64
        Orders that are drawn, each with its reverse; at least 2.
    random_state : int, default=0
        Of the draws.

    Raises
    ------
    ValueError
        If a model gets no reference, or an option is out of its range.

    Examples
    --------
    >>> from proset import RegressorModel
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = RegressorModel(random_state=0, n_iter=1).fit(X, 100.0 + 10.0 * X[:, 0] + 5.0 * X[:, 1])
    >>> found = number_shap(model, [1.0, 1.0], [0.0, 0.0])
    >>> round(float(found.values.sum() - (found.answer - found.base)), 9) + 0.0, found.columns
    (0.0, ('x0', 'x1'))
    """
    _check(functional, at, n_orders)
    if reference is None:
        if not isinstance(explained, NumberStudy):
            raise ValueError("A model alone knows no row to compare with: pass a reference.")
        reference = median_row(explained)
    here, there = number_case(explained, case), number_case(explained, reference)
    players = _differing(here, there)
    ask = _asker(here, there, players, functional, at)
    exact = len(players) <= exact_up_to
    if exact:
        found, errors, base, answer, asked = _every(ask, len(players))
    else:
        found, errors, base, answer, asked = _drawn(ask, len(players), n_orders, random_state)
    order = np.argsort(-np.abs(found), kind="stable")
    names = [here.features[players[place]] for place in order]
    cells = pd.DataFrame({"here": _cells(here, names), "reference": _cells(there, names)}, dtype=object)
    cells.index = pd.Index(names, dtype="str", name="column")
    return NumberShap(tuple(names), found[order], errors[order], base, answer, functional, exact, asked, cells, at)


def _check(functional: str, at: float | None, n_orders: int) -> None:
    """Refuse options that are out of their range."""
    if functional not in get_args(Functional) or n_orders < 2:
        raise ValueError(f"functional has to be one of {', '.join(get_args(Functional))}, and n_orders at least 2.")
    if (functional in ("quantile", "above")) != (at is not None):
        raise ValueError("at goes with functional 'quantile' or 'above', and only with these.")
    if at is not None and not (np.isfinite(at) and (functional == "above" or 0.0 < at < 1.0)):
        raise ValueError(f"at is {at}; of a quantile it has to be between 0 and 1, else a number.")


def median_row(explained: NumberStudy) -> int:
    """Return the training row whose number is nearest to the median of all training rows.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> float(study.targets[median_row(study)])
    23.0
    """
    rows = np.sort(explained.split.train)
    known = explained.targets.reindex(rows).to_numpy(dtype=np.float64)
    return int(rows[np.argmin(np.abs(known - np.median(known)))])


def _differing(here: NumberCase, there: NumberCase) -> list[int]:
    """Return the places of the features in use in which two cases differ."""
    active = set(here.model.set_manager_.get_active_features().tolist())
    differ = set(np.flatnonzero(here.x != there.x).tolist()) & active
    return [place for place, group in enumerate(here.groups) if differ.intersection(group.tolist())]


def _asker(here: NumberCase, there: NumberCase, players: list[int], functional: Functional, at: float | None) -> Value:
    """Return what answers for cases with some values of the one and the others of the other."""
    model, owner = here.model, np.full(len(here.x), -1)
    for player, place in enumerate(players):
        owner[here.groups[place]] = player

    def ask(chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
        found = []
        for part in np.array_split(chosen, 1 + len(chosen) // _ROWS_AT_ONCE):
            # What belongs to no player is the same in both, or is not looked at.
            taken = np.column_stack([part, np.zeros(len(part), dtype=bool)])[:, owner]
            said = model._distribution(np.where(taken, here.x, there.x))
            if functional == "mean":
                found.append(said.mean)
            elif functional == "above":
                found.append(said.sf(np.full(len(part), at)))
            else:
                found.append(said.quantile(0.5 if at is None else at))
        return np.concatenate(found)

    return ask


Found = tuple[NDArray[np.float64], NDArray[np.float64], float, float, int]


def _every(ask: Value, m: int) -> Found:
    """Return exact values, from all combinations."""
    codes = np.arange(2**m)
    chosen = (codes[:, None] >> np.arange(m)) & 1 > 0
    said, sizes = ask(chosen), chosen.sum(axis=1)
    weights = np.array([1.0 / (m * comb(m - 1, size)) for size in range(m)])
    found = np.zeros(m)
    for player in range(m):
        without = codes[~chosen[:, player]]
        found[player] = float(weights[sizes[without]] @ (said[without | (1 << player)] - said[without]))
    return found, np.zeros(m), float(said[0]), float(said[-1]), len(codes)


def _drawn(ask: Value, m: int, n_orders: int, random_state: int) -> Found:
    """Return values from drawn orders, each with its reverse: their sum is exact."""
    rng = np.random.default_rng(random_state)
    orders = np.array([way for _ in range(n_orders) for way in _both(rng.permutation(m))])
    ranks = np.argsort(orders, axis=1)
    chosen = ranks[:, None, :] < np.arange(m + 1)[None, :, None]
    said = ask(chosen.reshape(-1, m)).reshape(len(orders), m + 1)
    adds = np.take_along_axis(np.diff(said, axis=1), ranks, axis=1)
    pairs = adds.reshape(n_orders, 2, m).mean(axis=1)
    errors = pairs.std(axis=0, ddof=1) / np.sqrt(n_orders)
    return pairs.mean(axis=0), errors, float(said[0, 0]), float(said[0, -1]), said.size


def _both(order: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an order and its reverse."""
    return order, order[::-1]


def _cells(given: NumberCase, names: list[str]) -> list[Any]:
    """Return plain values of a case."""
    own, _ = given.cells(np.zeros(0, dtype=np.int64), np.zeros((0, len(given.x))))
    return [own[name].iloc[0] for name in names]
