"""The columns of table 4 on one split: a line, XGBoost, nearest neighbours, gbmap, neighbours in its embedding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import xgboost
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import NearestNeighbors

from benchmarks.cells import Cell
from benchmarks.gbmap_tables import settings
from benchmarks.gbmap_tables.mapping import at, fitted, neighbour_means, stages, vote
from benchmarks.gbmap_tables.sets import Kind, TableSet
from benchmarks.gbmap_tables.splits import Part, losses, score
from benchmarks.peers.measuring import measure

Scores = dict[str, Any]


def timed(work: Callable[[], Scores]) -> Cell:
    """Do a piece of work and keep its seconds beside what it found."""
    found: list[Scores] = []
    spent = measure(lambda: found.append(work()))
    return {**found[0], "seconds": spent["cpu_seconds"]}


def half(table: TableSet, seed: int) -> Part:
    """Learn from one half of the rows and hold out the other."""
    return Part.of(table, *table.halves(seed))


def folds(part: Part, seed: int) -> Iterator[Part]:
    """Yield the folds of a search."""
    kind = KFold if part.kind == "regression" else StratifiedKFold
    for train, test in kind(settings.FOLDS, shuffle=True, random_state=seed).split(part.X, part.y):
        yield part.inner(train, test)


def linear(table: TableSet, seed: int) -> Cell:
    """Fit a straight line: least squares or logistic regression, without a penalty."""
    part = half(table, seed)
    if part.kind == "regression":
        f = LinearRegression().fit(part.X, part.y).predict(part.X_test)
    else:
        f = LogisticRegression(C=np.inf, max_iter=1_000).fit(part.X, part.y).decision_function(part.X_test)
    return {"score": score(part.kind, part.y_test, f)}


def neighbours(table: TableSet, seed: int) -> Cell:
    """Ask the ten nearest rows by Euclidean distance."""
    part = half(table, seed).cut(settings.KNN_ROWS)
    search = NearestNeighbors(n_neighbors=settings.NEIGHBOURS).fit(part.X)
    means = part.y[search.kneighbors(part.X_test, return_distance=False)].mean(axis=1)
    return {"score": score(part.kind, part.y_test, vote(part.kind, means))}


def trees(table: TableSet, seed: int) -> Cell:
    """Search XGBoost, its settings by cross-validation; the number of trees is found along each fit."""
    part = half(table, seed)
    best: tuple[float, dict[str, float], int] = (np.inf, {}, 0)
    for drawn in settings.tree_draws(settings.effort(len(table.y)).trees, seed):
        paths = [_tree_path(fold, drawn) for fold in folds(part, seed)]
        mean = np.mean(paths, axis=0)
        if mean.min() < best[0]:
            best = (float(mean.min()), drawn, int(mean.argmin()) + 1)
    _, chosen, n_trees = best
    model = xgboost.train(_tree_parameters(part, chosen), _matrix(part.kind, part.X, part.y), n_trees)
    f = model.predict(_matrix(part.kind, part.X_test, part.y_test), output_margin=True)
    return {"score": score(part.kind, part.y_test, f), "chosen": {**chosen, "trees": n_trees}}


def _matrix(kind: Kind, X: np.ndarray, y: np.ndarray) -> xgboost.DMatrix:
    """Rows for XGBoost, which wants classes 0 and 1."""
    return xgboost.DMatrix(X, label=y if kind == "regression" else (y + 1.0) / 2.0)


def _tree_parameters(part: Part, drawn: dict[str, float]) -> dict[str, Any]:
    """Parameters of one fit on one thread."""
    if part.kind == "regression":
        task = {"objective": "reg:squarederror", "eval_metric": "rmse", "base_score": 0.0}
    else:
        task = {"objective": "binary:logistic", "eval_metric": "logloss"}
    return {**task, **drawn, "nthread": 1, "seed": 0}


def _tree_path(part: Part, drawn: dict[str, float]) -> np.ndarray:
    """Loss on held-out rows after each tree."""
    seen: dict[str, dict[str, list[float]]] = {}
    test = _matrix(part.kind, part.X_test, part.y_test)
    xgboost.train(
        _tree_parameters(part, drawn),
        _matrix(part.kind, part.X, part.y),
        settings.MOST_TREES,
        evals=[(test, "test")],
        evals_result=seen,
        verbose_eval=False,
    )
    (path,) = seen["test"].values()
    return np.asarray(path) ** (2 if part.kind == "regression" else 1)


def mapping(table: TableSet, seed: int, *, only_neighbours: bool = False) -> Cell:
    """Search gbmap, and nearest neighbours in its embedding, with the same fits; refit and judge both.

    Returns
    -------
    dict
        ``score`` and ``chosen`` of gbmap (unless only neighbours are wanted), ``knn_score`` and ``knn_chosen``.
    """
    part = half(table, seed)
    most = max(settings.NEIGHBOUR_LENGTHS if only_neighbours else settings.LENGTHS)
    by_length: dict[tuple[int, int], list[float]] = {}
    by_neighbours: dict[tuple[int, int], list[float]] = {}
    effort = settings.effort(len(table.y))
    drawn = settings.draws(effort.neighbours if only_neighbours else effort.mapping, seed)
    for number, draw in enumerate(drawn):
        for fold in folds(part, seed):
            model = fitted(fold, most, seed, **draw.parameters())
            path = stages(model, fold.X_test)
            for m in settings.LENGTHS:
                loss = losses(fold.kind, fold.y_test, at(path, m)).mean()
                by_length.setdefault((number, m), []).append(float(loss))
            asked = fold.cut(settings.KNN_ROWS, settings.ASKED_ROWS)
            for m, means in _neighbours(model, asked).items() if number < effort.neighbours else ():
                by_neighbours.setdefault((number, m), []).append(float(((means - asked.y_test) ** 2).mean()))
    answer: Cell = {"draws": len(drawn), "knn_draws": effort.neighbours}
    number, m = _lowest(by_neighbours)
    model = fitted(part, m, seed, **drawn[number].parameters())
    means = _neighbours(model, part.cut(settings.KNN_ROWS))[m]
    answer["knn_score"] = score(part.kind, part.y_test, vote(part.kind, means))
    answer["knn_chosen"] = {**drawn[number].parameters(), "m": m}
    if not only_neighbours:
        number, m = _lowest(by_length)
        model = fitted(part, m, seed, **drawn[number].parameters())
        answer["score"] = score(part.kind, part.y_test, at(stages(model, part.X_test), m))
        answer["chosen"] = {**drawn[number].parameters(), "m": m}
    return answer


def _neighbours(model: Any, part: Part) -> dict[int, np.ndarray]:
    """Means over neighbours in the embedding, for several lengths."""
    phi, phi_test = model.transform(part.X), model.transform(part.X_test)
    return neighbour_means(phi, part.y, phi_test, settings.NEIGHBOUR_LENGTHS, settings.NEIGHBOURS)


def _lowest(found: dict[tuple[int, int], list[float]]) -> tuple[int, int]:
    """Find the setting with the lowest mean loss over the folds."""
    return min(found, key=lambda key: float(np.mean(found[key])))
