"""Fits one rival to a table whose target is a number: ``python numbers_runner.py REQUEST ANSWER``.

Runs in the environment of NGBoost, quantile forests, LightGBM and XGBoost. All of them have their own defaults, but for
the tuned XGBoost, whose settings are drawn at random and compared on folds.
"""

# mypy: ignore-errors
# None of these is in our environment.

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

REQUEST = json.loads(Path(sys.argv[1]).read_text()) if __name__ == "__main__" else {}
if REQUEST and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, REQUEST["cores"])  # before numpy counts the cores

import numpy as np  # noqa: E402
from measuring import versions  # noqa: E402
from scipy.stats import norm  # noqa: E402

Numbers = np.ndarray
Answer = dict[str, Any]
PACKAGES = ("numpy", "scikit-learn", "ngboost", "quantile-forest", "lightgbm", "xgboost-cpu")
N_DRAWS, N_FOLDS = 25, 5
NEIGHBOURS = (5, 10, 20, 40, 80)


def normal(mean: Numbers, deviation: Numbers, levels: Numbers) -> Answer:
    """Return what normal distributions answer: their quantiles, means, and what a log score is computed from."""
    quantiles = norm.ppf(levels, np.asarray(mean)[:, None], np.asarray(deviation)[:, None])
    return {"quantiles": quantiles.tolist(), "mean": list(map(float, mean)), "deviation": list(map(float, deviation))}


def ngboost(X: Numbers, y: Numbers, X_test: Numbers, levels: Numbers) -> Answer:
    """NGBoost with its defaults: 500 rounds, a normal distribution."""
    from ngboost import NGBRegressor

    found = NGBRegressor(verbose=False, random_state=0).fit(X, y).pred_dist(X_test)
    return normal(found.loc, found.scale, levels)


def quantile_forest(X: Numbers, y: Numbers, X_test: Numbers, levels: Numbers) -> Answer:
    """Quantile regression forest with its defaults."""
    from quantile_forest import RandomForestQuantileRegressor

    model = RandomForestQuantileRegressor(random_state=0, n_jobs=1).fit(X, y)
    found = model.predict(X_test, quantiles=[float(level) for level in levels])
    return {"quantiles": np.asarray(found).tolist(), "mean": model.predict(X_test, quantiles="mean").tolist()}


def lightgbm_quantiles(X: Numbers, y: Numbers, X_test: Numbers, levels: Numbers) -> Answer:
    """LightGBM with quantile loss, one model per level and one for the mean; crossings are sorted."""
    from lightgbm import LGBMRegressor

    usual = {"n_jobs": 1, "random_state": 0, "verbose": -1}
    found = [LGBMRegressor(objective="quantile", alpha=level, **usual).fit(X, y).predict(X_test) for level in levels]
    mean = LGBMRegressor(**usual).fit(X, y).predict(X_test)
    return {"quantiles": np.sort(np.column_stack(found), axis=1).tolist(), "mean": mean.tolist()}


def drawn(rng: np.random.Generator) -> dict[str, Any]:
    """Draw settings of XGBoost, from wide ranges."""
    return {
        "n_estimators": int(rng.integers(100, 1_001)),
        "learning_rate": float(np.exp(rng.uniform(np.log(0.01), np.log(0.3)))),
        "max_depth": int(rng.integers(2, 10)),
        "min_child_weight": float(np.exp(rng.uniform(0.0, np.log(20.0)))),
        "subsample": float(rng.uniform(0.5, 1.0)),
        "colsample_bytree": float(rng.uniform(0.5, 1.0)),
        "reg_lambda": float(np.exp(rng.uniform(np.log(0.1), np.log(10.0)))),
    }


def tuned(X: Numbers, y: Numbers) -> Any:
    """Return XGBoost with the best of some settings by squared error on folds; the first are its defaults."""
    from sklearn.model_selection import KFold, cross_val_predict
    from xgboost import XGBRegressor

    rng, folds = np.random.default_rng(0), KFold(N_FOLDS, shuffle=True, random_state=0)
    settings = [{}, *(drawn(rng) for _ in range(N_DRAWS - 1))]
    models = [XGBRegressor(n_jobs=1, random_state=0, **one) for one in settings]
    losses = [np.mean((y - cross_val_predict(model, X, y, cv=folds)) ** 2) for model in models]
    return models[int(np.argmin(losses))].fit(X, y)


def xgboost_tuned(X: Numbers, y: Numbers, X_test: Numbers, _levels: Numbers) -> Answer:
    """XGBoost for the mean alone."""
    return {"mean": tuned(X, y).predict(X_test).astype(float).tolist()}


def leaf_neighbours(X: Numbers, y: Numbers, X_test: Numbers, levels: Numbers) -> Answer:
    """Instance-based distribution on leaves, the idea of IBUG: spread of the training rows that share most leaves.

    The mean is that of boosted trees, the deviation that of the targets of the k training rows in the same leaf of most
    trees, times a factor; both are chosen by log score on a fifth of the rows that the trees have not seen.
    """
    from xgboost import XGBRegressor

    order = np.random.default_rng(0).permutation(len(y))
    held, rest = order[: len(y) // 5], order[len(y) // 5 :]

    def spreads(X: Numbers, y: Numbers, X_test: Numbers) -> tuple[Numbers, dict[int, Numbers]]:
        model = XGBRegressor(n_jobs=1, random_state=0).fit(X, y)
        known, asked = model.apply(X), model.apply(X_test)
        shared = np.array([(known == row).sum(axis=1) for row in asked])
        nearest = y[np.argsort(-shared, axis=1, kind="stable")[:, : max(NEIGHBOURS)]]
        floor = 1e-3 * y.std()
        return model.predict(X_test), {k: np.maximum(nearest[:, :k].std(axis=1), floor) for k in NEIGHBOURS}

    mean, found = spreads(X[rest], y[rest], X[held])
    factors = np.geomspace(0.25, 4.0, 33)
    scores = {(k, f): -norm.logpdf(y[held], mean, f * found[k]).mean() for k in NEIGHBOURS for f in factors}
    k, factor = min(scores, key=scores.get)
    mean, found = spreads(X, y, X_test)
    return normal(mean, factor * found[k], levels)


RIVALS = {
    "NGBoost": ngboost,
    "quantile forest": quantile_forest,
    "LightGBM by quantiles": lightgbm_quantiles,
    "XGBoost, tuned": xgboost_tuned,
    "neighbours on leaves": leaf_neighbours,
}


def main() -> None:
    """Fit the rival that is asked for, and write what it answers."""
    with np.load(REQUEST["arrays"]) as file:
        X, y, X_test = (file[name] for name in ("X", "y", "X_test"))
    begun = time.perf_counter()
    with warnings.catch_warnings(action="ignore"):
        found = RIVALS[REQUEST["options"]["rival"]](X, y, X_test, np.array(REQUEST["options"]["levels"]))
    found |= {"seconds": time.perf_counter() - begun, "versions": versions(PACKAGES)}
    Path(sys.argv[2]).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
