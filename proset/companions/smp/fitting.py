"""From checked rows to a solution: start, graph, problem, steps, iteration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from proset.companions.smp.fusion import FusionGraph, complete_graph, knn_graph
from proset.companions.smp.problem import FusionProblem
from proset.companions.smp.settings import check_graph_size
from proset.companions.smp.solver import FusionSolution, solve
from proset.companions.smp.start import Start, make_start
from proset.engine.kernels.similarity import IntArray
from proset.engine.kernels.units import FloatArray


@dataclass(frozen=True, eq=False)
class CheckedRows:
    """Checked rows.

    Attributes
    ----------
    X : ndarray of float64, shape (m, D)
        Features.
    target : ndarray of int64, shape (m,)
        Class of each row, 0 to K - 1; every class has a row.
    weight : ndarray of shape (m,)
        Positive weights.
    """

    X: FloatArray
    target: IntArray
    weight: FloatArray


@dataclass(frozen=True, eq=False)
class FusionStart:
    """Start and pairs that fits to the same rows share, whatever their penalties.

    Attributes
    ----------
    start : Start
        Clusters of the rows.
    graph : FusionGraph
        Pairs of prototypes.
    """

    start: Start
    graph: FusionGraph


@dataclass(frozen=True, eq=False)
class Fitted:
    """A problem and its solution."""

    problem: FusionProblem
    solution: FusionSolution

    def coefficients(self) -> tuple[FloatArray, FloatArray]:
        """Return prototypes, shape (N, D), and intercepts, shape (N,).

        Without any coordinate the intercepts are the logarithms of the class shares, so that the scores still say which
        class is most frequent.
        """
        problem, W = self.problem, self.solution.W
        coef, rest = W[:, : problem.n_penalised].copy(), W[:, problem.n_penalised :]
        if not coef.any():
            shares = np.bincount(problem.target, weights=problem.weight)
            return coef, np.log(np.repeat(shares, np.diff(problem.bounds)))
        return coef, rest.sum(axis=1)


def make_ground(rows: CheckedRows, settings: Mapping[str, Any]) -> FusionStart:
    """Cluster the rows and join the prototypes of each class."""
    drawn = check_random_state(settings["random_state"]) if settings["init"] == "kmeans++" else None
    most = int(min(settings["n_prototypes"], np.bincount(rows.target).max()))
    complete = settings["fusion_graph"] == "complete"
    if complete and settings["lam"] > 0.0:
        check_graph_size(comb(most, 2) * (int(rows.target.max()) + 1), rows.X.shape[1])
    start = make_start(rows.X, rows.target, rows.weight, most, drawn)
    return FusionStart(start, complete_graph(start.bounds) if complete else knn_graph(start.bounds, start.centres))


def fit_rows(
    rows: CheckedRows,
    settings: Mapping[str, Any],
    ground: FusionStart,
    warm: tuple[FloatArray, FloatArray] | None = None,
) -> Fitted:
    """Minimise the objective on some rows.

    Parameters
    ----------
    rows : CheckedRows
        Training rows.
    settings : mapping
        Parameters of the classifier, by name.
    ground : FusionStart
        Of the same rows.
    warm : pair of ndarrays or None
        Prototypes, as they are in the problem, and dual variables to begin with.
    """
    X, centres, n_features = rows.X, ground.start.centres, rows.X.shape[1]
    if settings["fit_intercept"]:
        X = np.column_stack([X, np.ones(len(X))])
        centres = np.column_stack([centres, np.zeros(len(centres))])
    problem = FusionProblem(
        X=np.ascontiguousarray(X),
        own=ground.start.own,
        target=rows.target,
        bounds=ground.start.bounds,
        weight=rows.weight / rows.weight.sum(),
        graph=ground.graph,
        lam=float(settings["lam"]),
        mu=float(settings["mu"]),
        eta=float(settings["eta"]),
        loss=settings["loss"],
        n_penalised=n_features,
    )
    begin, dual = (centres, None) if warm is None else warm
    if dual is not None and len(dual) != len(problem.pairs):
        dual = None
    chosen = {name: settings[name] for name in ("solver", "step", "max_iter", "tol", "stopping")}
    return Fitted(problem, solve(problem, begin, dual, **chosen))


def fit_path(
    rows: CheckedRows, settings: Mapping[str, Any], mus: Sequence[float], ground: FusionStart | None = None
) -> Iterator[Fitted]:
    """Fit with one penalty after the other, each from where the last one ended.

    Parameters
    ----------
    rows : CheckedRows
        Training rows.
    settings : mapping
        Parameters of the classifier, by name.
    mus : sequence of float
        Penalties on the coordinates, best from the largest down.
    ground : FusionStart or None
        Of the same rows and number of prototypes, so that paths for several fusion penalties share it; None to make it.

    Yields
    ------
    Fitted
        One per penalty.
    """
    ground = make_ground(rows, settings) if ground is None else ground
    warm = None
    for mu in mus:
        fitted = fit_rows(rows, {**settings, "mu": mu}, ground, warm)
        warm = (fitted.solution.W, fitted.solution.V)
        yield fitted
