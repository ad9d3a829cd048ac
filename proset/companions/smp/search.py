"""The sparse multi-prototype classifier that finds its settings by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral
from time import perf_counter
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from proset.common.allowed import Allowed, OneOf, Rules, check_values
from proset.common.errors import ProsetError
from proset.common.words import shown
from proset.companions.shared import fitted_at_once
from proset.companions.smp.base import SMPBase
from proset.companions.smp.fitting import CheckedRows, Fitted, fit_path
from proset.companions.smp.grid import SETTINGS, SettingGrid, measure
from proset.companions.smp.settings import check_settings
from proset.engine.kernels.similarity import IntArray
from proset.selection.folds import make_folds
from proset.selection.inner_folds import FoldCount, GroupsAndTimes, inner_folds

RULES: Rules = MappingProxyType({"n_repeats": Allowed(1, whole=True), "criterion": OneOf(("log_loss", "accuracy"))})
FOLDS: Rules = MappingProxyType({"cv": Allowed(2, whole=True)})


class SMPClassifierCV(SMPBase):
    """Sparse multi-prototype classifier with numbers of prototypes and penalties chosen by cross-validation.

    Parameters
    ----------
    n_prototypes : sequence of int, default=(1, 2, 5)
        Numbers of prototypes per class to try.
    lam : sequence of float, default=(0.0, 0.01, 0.1)
        Fusion penalties to try.
    mu : sequence of float, default=(0.1, 0.03, 0.01, 0.003, 0.001, 0.0001)
        Penalties on the coordinates to try, from the largest down, each from where the last one ended.
    eta : float, default=1.0
        As for :class:`~proset.companions.smp.model.SMPClassifier`, and so are all that follow up to `standardize`.
    loss, step, max_iter, tol, fit_intercept, fusion_graph, init, stopping, solver, standardize
        As there; all training rows, those that a fold leaves out too, are standardised alike.
    cv : int or sequence of pairs of int arrays, default=5
        Number of folds, stratified by class, or the rows to fit to and the rows left out of each.
    n_repeats : int, default=1
        How often the folds are drawn; more than once makes the choice steadier on small tables, and takes as many times
        as long.
    criterion : {"log_loss", "accuracy"}, default="log_loss"
        What is compared, as a mean over the folds. Of settings with the same accuracy the one with the lower log-loss
        is taken, of those that agree in both the simpler one.
    random_state : int, RandomState instance or None, default=0
        Draws the folds, and the starts of ``init="kmeans++"``.

    Attributes
    ----------
    cv_table_ : DataFrame
        One row per setting, see :func:`proset.companions.smp.grid.measure`.
    best_params_ : dict
        The chosen setting.
    search_seconds_ : float
        Time of the search; `fit_seconds_` is that of the whole fit.

    Notes
    -----
    Otherwise a fitted object has the attributes and methods of an
    :class:`~proset.companions.smp.model.SMPClassifier`, with equal prototypes merged.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> model = SMPClassifierCV(n_prototypes=(1, 2), lam=(0.0, 0.1), mu=(0.1, 0.01)).fit(scale(X), y)
    >>> model.best_params_
    {'n_prototypes': 1, 'lam': 0.0, 'mu': 0.01}
    """

    _state: ClassVar[tuple[str, ...]] = (*SMPBase._state, "best_params_", "search_seconds_")
    best_params_: dict[str, Any]
    cv_table_: pd.DataFrame

    def __init__(
        self,
        n_prototypes: Sequence[int] = (1, 2, 5),
        lam: Sequence[float] = (0.0, 0.01, 0.1),
        mu: Sequence[float] = (0.1, 0.03, 0.01, 0.003, 0.001, 0.0001),
        eta: float = 1.0,
        loss: str = "softmax",
        step: str | float = "tight",
        max_iter: int = 1000,
        tol: float = 1e-4,
        fit_intercept: bool = False,
        fusion_graph: str = "complete",
        init: str = "kmeans",
        stopping: str = "gap",
        solver: str = "auto",
        standardize: bool = False,
        cv: int | Sequence[tuple[ArrayLike, ArrayLike]] = 5,
        n_repeats: int = 1,
        criterion: str = "log_loss",
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.lam = lam
        self.mu = mu
        self.eta = eta
        self.loss = loss
        self.step = step
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.fusion_graph = fusion_graph
        self.init = init
        self.stopping = stopping
        self.solver = solver
        self.standardize = standardize
        self.cv = cv
        self.n_repeats = n_repeats
        self.criterion = criterion
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        times: ArrayLike | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Self:
        """Search for the settings, then fit to all rows.

        Parameters
        ----------
        X, y, sample_weight
            As for :class:`~proset.companions.smp.model.SMPClassifier`; weights count in fits and scores.
        groups : array-like of shape (n,) or None
            Rows with the same value stay in the same fold, where `cv` is a number.
        times : array-like of shape (n,) or None
            When each row was, as numbers: folds learn from rows before those that they leave out.
        progress : callable or None
            Called with the parts of the search that are done, and all of them; raising from it ends the fit.

        Raises
        ------
        ValueError
            For an impossible parameter, missing or infinite values, fewer than two classes, too few rows for the folds,
            groups or times that leave fewer than two folds.
        """
        return fitted_at_once(self, lambda draft: draft._learn(X, y, sample_weight, groups, times, progress))

    def _learn(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        groups: ArrayLike | None,
        times: ArrayLike | None,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        """Search and fit this object, which nobody else has seen."""
        begun = perf_counter()
        grid = SettingGrid.of(self.n_prototypes, self.lam, self.mu)
        left_out = {*SETTINGS, "cv", "n_repeats", "criterion"}
        settings = {name: value for name, value in self.get_params(deep=False).items() if name not in left_out}
        check_settings(settings)
        check_values(vars(self), RULES if isinstance(self.cv, Iterable) else {**RULES, **FOLDS})
        rows, kept = self._check_rows(X, y, sample_weight)
        known = GroupsAndTimes.of(groups, times, len(kept)).at(np.flatnonzero(kept))
        self.cv_table_ = measure(rows, settings, grid, self._folds(rows, known, kept), progress)
        self.best_params_ = _best(self.cv_table_, self.criterion)
        self.search_seconds_ = perf_counter() - begun
        fitted = self._solve(rows, {**settings, **self.best_params_})
        self._take(fitted, kept)
        self.merge()
        self._warn(fitted, centred=not self.fit_intercept, limit=False)

    def _solve(self, rows: CheckedRows, settings: Mapping[str, Any]) -> Fitted:
        """Fit on the way of the search: one that stops at its limit ends where those of the folds have."""
        mus = [mu for mu in SettingGrid.of(self.n_prototypes, self.lam, self.mu).mu if mu >= settings["mu"]]
        *_, fitted = fit_path(rows, settings, mus)
        return fitted

    def _folds(
        self, rows: CheckedRows, known: GroupsAndTimes, kept: NDArray[np.bool_]
    ) -> list[tuple[IntArray, IntArray]]:
        """Return rows to fit to and rows left out, of each fold."""
        if not isinstance(self.cv, (int, Integral)):
            return self._given_folds(self.cv, rows, kept)
        seed = self.random_state
        if not isinstance(seed, (int, Integral)):
            seed = check_random_state(seed).randint(2**31 - 1)
        drawn: list[tuple[IntArray, IntArray]] = []
        for number in range(1 if known.times is not None else self.n_repeats):  # by time nothing is drawn
            plan = FoldCount(int(self.cv), (int(seed) + number) % 2**32)
            if known:
                folds = inner_folds(rows.target, plan.n_folds, plan.random_state, known)
            else:
                folds = make_folds(rows.target, plan, classes=list(self.classes_), keep_rare=True)
            drawn += [(fold.train, fold.test) for fold in folds]
        return drawn

    def _given_folds(
        self, cv: Sequence[tuple[ArrayLike, ArrayLike]], rows: CheckedRows, kept: NDArray[np.bool_]
    ) -> list[tuple[IntArray, IntArray]]:
        """Check folds that were given, and count their rows without those of weight 0."""
        place = np.cumsum(kept) - 1
        given = [(np.asarray(train, dtype=np.int64), np.asarray(test, dtype=np.int64)) for train, test in cv]
        folds = [(place[train[kept[train]]], place[test[kept[test]]]) for train, test in given]
        for number, (train, _) in enumerate(folds, start=1):
            missing = np.setdiff1d(np.arange(len(self.classes_)), rows.target[train])
            if missing.size:
                raise ProsetError(f"Fold {number} has no row of class '{shown(self.classes_[missing[0]])}' to fit to.")
        return folds


def _best(table: pd.DataFrame, criterion: str) -> dict[str, Any]:
    """Return the best setting; the simplest of equals comes first in the table."""
    keys = [table["log_loss"].round(9)]
    if criterion == "accuracy":
        keys.append(-table["accuracy"].round(9))
    row = table.iloc[np.lexsort(keys)[0]]
    return {"n_prototypes": int(row["n_prototypes"]), "lam": float(row["lam"]), "mu": float(row["mu"])}
