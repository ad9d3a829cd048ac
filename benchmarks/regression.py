"""Distributions of a number on public tables: ``python -m benchmarks.regression``.

Each table is cut 90:10, five times, with at most 2,000 training and 1,000 held-out rows, columns standardised on the
training part. Ours are ``RegressorModel`` with its default settings, alone and with four joined fits, and with settings
that ``ProsetRegressorCV`` chooses on folds (of eight, three folds, four joined fits). Beside them stand a straight line
with normal errors, a Gaussian process (up to 1,000 rows), gradient boosting by quantiles (19 levels, one model each), a
random forest and histogram boosting, all of scikit-learn with default settings; and, in an environment of their own,
NGBoost, a quantile regression forest and LightGBM by quantiles with their defaults, XGBoost tuned on five folds (25
settings, mean only), and the spread of training rows that share most leaves of boosted trees (the idea of IBUG).

Beside the table stands, for ours searched, what each bar comes to, counted from the same cells.

*Log score* is minus the mean logarithm of the density of the true value, in nats per unit of the target. *CRPS* is, for
all alike, twice the mean pinball loss at 19 levels, as a share of that of the marginal quantiles.

Every cell (table, split, contestant) is kept in ``results/regression.json``, so that a run can be stopped and resumed;
``--fresh`` starts over, ``--only TABLE ...`` chooses tables, ``--splits`` says how many.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_pinball_loss, root_mean_squared_error
from sklearn.preprocessing import StandardScaler
from tqdm import tqdm

from benchmarks.peers.environment import NUMBERS
from benchmarks.peers.processes import Engine, run
from benchmarks.public_data import TABLES as SOURCE
from benchmarks.public_data import data_folder, how_to_get
from benchmarks.tables import number, table, write_section
from proset import ProsetRegressorCV, RegressorModel
from proset.common.files import replacing
from proset.engine.mixtures.distribution import PredictedDistribution

Numbers = NDArray[np.float64]
Split = tuple[Numbers, Numbers, Numbers, Numbers]

RUNNER = Path(__file__).parent / "peers" / "numbers_runner.py"
RESULTS = Path(__file__).parent / "results" / "regression.json"
TARGETS = {
    "concrete": "compressive_strength",
    "auto_mpg": "mpg",
    "wine_quality_red": "quality",
    "abalone": "rings",
    "cpu_small": "target",
    "california_housing": "medianHouseValue",
}
LEVELS = np.arange(1, 20) / 20
JUDGED = "ours, searched"
BESIDE = (("log_score", "NGBoost"), ("crps", "NGBoost"), ("crps", "quantile forest"), ("rmse", "XGBoost, tuned"))
FIRST_SPLIT = 100  # defaults were chosen on splits 0 and 1
MOST_TRAINED, MOST_TESTED, MOST_OF_PROCESS = 2_000, 1_000, 1_000


def read(name: str) -> tuple[Numbers, Numbers]:
    """Read a table: numbers, categories as indicators, no rows with gaps."""
    path = data_folder() / f"{name}.csv.gz"
    if not path.is_file():
        raise SystemExit(how_to_get([path.name], data_folder(), SOURCE))
    frame = pd.read_csv(path).dropna()
    y = frame.pop(TARGETS[name]).to_numpy(dtype=np.float64)
    frame = pd.get_dummies(frame.drop(columns=["name"], errors="ignore"))
    return frame.to_numpy(dtype=np.float64), y


def split_of(name: str, seed: int) -> Split:
    """Cut a table and standardise its columns."""
    X, y = read(name)
    order, n_train = np.random.default_rng(seed).permutation(len(y)), int(0.9 * len(y))
    train, test = order[:n_train][:MOST_TRAINED], order[n_train:][:MOST_TESTED]
    scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]


def of_normal(mean: Numbers, deviation: Numbers, y: Numbers) -> dict[str, Any]:
    """Measure normal distributions."""
    quantiles = norm.ppf(LEVELS, mean[:, None], deviation[:, None])
    return {"log_score": float(-norm.logpdf(y, mean, deviation).mean()), **of_quantiles(quantiles, mean, y)}


def of_quantiles(quantiles: Numbers, mean: Numbers, y: Numbers) -> dict[str, Any]:
    """Measure quantiles at the levels, of which the outer ones are the ends of a 90 % interval."""
    inside = (quantiles[:, 0] <= y) & (y <= quantiles[:, -1])
    losses = [mean_pinball_loss(y, own, alpha=level) for own, level in zip(quantiles.T, LEVELS, strict=True)]
    return {"pinball": 2.0 * float(np.mean(losses)), "coverage": float(inside.mean()), "rmse": _rmse(y, mean)}


def _rmse(y: Numbers, mean: Numbers) -> float:
    return float(root_mean_squared_error(y, mean))


def ours(data: Split, **settings: Any) -> dict[str, Any]:
    """Measure the prototype set regressor."""
    X, y, X_test, _ = data
    model = RegressorModel(random_state=0, n_jobs=1, **settings).fit(X, y)
    return of_model(model, model.predict_distribution(X_test), data)


def searched(data: Split) -> dict[str, Any]:
    """Measure it with settings chosen on folds, four fits joined."""
    X, y, X_test, _ = data
    search = ProsetRegressorCV(n_trials=8, n_folds=3, n_joined=4, n_jobs=1, random_state=0).fit(X, y)
    return of_model(search.model_, search.predict_distribution(X_test), data)


def of_model(model: RegressorModel, answer: PredictedDistribution, data: Split) -> dict[str, Any]:
    """Measure distributions of ours, and the size of the model."""
    X, _, _, y_test = data
    return {
        "log_score": float(answer.log_score(y_test).mean()),
        **of_quantiles(answer.quantile(LEVELS), answer.mean, y_test),
        "prototypes": model.set_manager_.get_num_prototypes(),
        "columns": int(model.set_manager_.get_active_features().size),
        "of_columns": X.shape[1],
    }


def marginal(data: Split) -> dict[str, Any]:
    """Measure the quantiles of the training targets."""
    _, y, _, y_test = data
    quantiles = np.tile(np.quantile(y, LEVELS), (len(y_test), 1))
    return of_quantiles(quantiles, np.full(len(y_test), y.mean()), y_test)


def line(data: Split) -> dict[str, Any]:
    """Measure a straight line with normal errors."""
    X, y, X_test, y_test = data
    model = LinearRegression().fit(X, y)
    freedom = max(1, len(y) - X.shape[1] - 1)
    deviation = np.sqrt(np.sum((y - model.predict(X)) ** 2) / freedom)
    return of_normal(model.predict(X_test), np.full(len(y_test), deviation), y_test)


def process(data: Split) -> dict[str, Any]:
    """Measure a Gaussian process with one length per column."""
    X, y, X_test, y_test = (part[:MOST_OF_PROCESS] for part in data)
    kernel = ConstantKernel(1.0) * RBF(np.ones(X.shape[1]), (1e-2, 1e4)) + WhiteKernel(0.1, (1e-6, 1e2))
    model = GaussianProcessRegressor(kernel, normalize_y=True, random_state=0).fit(X, y)
    return of_normal(*model.predict(X_test, return_std=True), y_test)


def boosted_quantiles(data: Split) -> dict[str, Any]:
    """Measure gradient boosting with one model for each level; crossing quantiles are put in order."""
    X, y, X_test, y_test = data
    models = [GradientBoostingRegressor(loss="quantile", alpha=level, random_state=0).fit(X, y) for level in LEVELS]
    quantiles = np.sort(np.column_stack([model.predict(X_test) for model in models]), axis=1)
    return of_quantiles(quantiles, quantiles.mean(axis=1), y_test)


def mean_only(model: Any) -> Callable[[Split], dict[str, Any]]:
    """Measure what states a mean and nothing else."""

    def measured(data: Split) -> dict[str, Any]:
        X, y, X_test, y_test = data
        return {"rmse": _rmse(y_test, model.fit(X, y).predict(X_test))}

    return measured


def rival(name: str) -> Callable[[Split], dict[str, Any]]:
    """Measure what runs in an environment of its own; seconds are those of fit and answers."""

    def measured(data: Split) -> dict[str, Any]:
        X, y, X_test, y_test = data
        engine = Engine("numbers", NUMBERS.python(), {}, RUNNER)
        arrays = {"X": X, "y": y, "X_test": X_test}
        found = run(engine, "answer", arrays, rival=name, levels=LEVELS.tolist())
        mean, seconds = np.array(found["mean"]), {"seconds": found["seconds"]}
        if "quantiles" not in found:
            return {"rmse": _rmse(y_test, mean)} | seconds
        if "deviation" in found:
            return of_normal(mean, np.array(found["deviation"]), y_test) | seconds
        return of_quantiles(np.array(found["quantiles"]), mean, y_test) | seconds

    return measured


CONTESTANTS: dict[str, Callable[[Split], dict[str, Any]]] = {
    "ours": ours,
    "ours, 4 joined": lambda data: ours(data, n_joined=4),
    "marginal": marginal,
    "straight line": line,
    "Gaussian process": process,
    "boosted quantiles": boosted_quantiles,
    "random forest": mean_only(RandomForestRegressor(random_state=0)),
    "boosting": mean_only(HistGradientBoostingRegressor(random_state=0)),
    "NGBoost": rival("NGBoost"),
    "quantile forest": rival("quantile forest"),
    "LightGBM by quantiles": rival("LightGBM by quantiles"),
    "neighbours on leaves": rival("neighbours on leaves"),
    JUDGED: searched,
    "XGBoost, tuned": rival("XGBoost, tuned"),
}


def render(cells: dict[str, dict[str, Any]], names: list[str]) -> list[str]:
    """Write the means over splits, table by table."""
    head = ["table", "contestant", "log score", "CRPS", "inside 90 %", "RMSE", "columns", "prototypes", "seconds"]
    return table(head, [line for name in names for who in CONTESTANTS if (line := _line(cells, name, who))])


def means(cells: dict[str, dict[str, Any]], name: str, who: str) -> dict[str, float]:
    """Return the means of one contestant over the splits of one table, CRPS as a share of that of the marginal."""
    parts = {key: cell for key, cell in cells.items() if key.startswith(f"{name}/") and key.endswith(f"/{who}")}
    if not parts:
        return {}
    mean = {what: float(np.mean([cell[what] for cell in parts.values()])) for what in next(iter(parts.values()))}
    everybody = [cells[f"{key.removesuffix(who)}marginal"] for key in parts]
    if "pinball" in mean:
        shares = [cell["pinball"] / all_["pinball"] for cell, all_ in zip(parts.values(), everybody, strict=True)]
        mean["crps"] = float(np.mean(shares))
    return mean


def render_bars(cells: dict[str, dict[str, Any]], names: list[str]) -> list[str]:
    """Write what the bars come to for what is judged, on the tables on which all are measured that it stands beside."""
    needed = {JUDGED, *(rival for _, rival in BESIDE)}
    own = {name: means(cells, name, JUDGED) for name in names if all(means(cells, name, who) for who in needed)}
    if not own:
        return []
    models = [cell for key, cell in cells.items() if key.endswith(f"/{JUDGED}") and key.split("/")[0] in own]
    inside = np.array([cell["coverage"] for cell in models])
    error = inside.std() / (len(inside) - 1) ** 0.5 if len(inside) > 1 else np.nan
    columns = [int(sum(of[what] for of in own.values()) + 0.5) for what in ("columns", "of_columns")]
    rows = [
        *(_beside(cells, own, what, rival) for what, rival in BESIDE),
        ["rows inside 90 % intervals", f"{inside.mean():.1%}, standard error {error:.1%}"],
        ["prototypes, median of the models", f"{np.median([cell['prototypes'] for cell in models]):.0f}"],
        ["columns in use", f"{columns[0]} of {columns[1]}"],
    ]
    return table(["bar", "reached"], rows)


def _beside(cells: dict[str, dict[str, Any]], own: dict[str, dict[str, float]], what: str, rival: str) -> list[str]:
    """Say how one measure stands beside that of a rival, table by table."""
    theirs = {name: means(cells, name, rival)[what] for name in own}
    if what == "log_score":
        apart = {name: of[what] - theirs[name] for name, of in own.items()}
        won = sum(value <= 0.0 for value in apart.values())
        told = ", ".join(f"{name} {value:+.2f}" for name, value in apart.items())
        return [f"log score less {rival}'s", f"at or below on {won} of {len(own)}: {told}"]
    ratios = {name: of[what] / theirs[name] for name, of in own.items()}
    won = sum(value <= 1.0 for value in ratios.values())
    told = ", ".join(f"{name} {value:.2f}" for name, value in ratios.items())
    mean = float(np.mean(list(ratios.values())))
    return [
        f"{what.upper()} over that of {rival}",
        f"at or below on {won} of {len(own)}, {mean:.3f} on average: {told}",
    ]


def _line(cells: dict[str, dict[str, Any]], name: str, who: str) -> list[str]:
    """Write the means of one contestant on one table; nothing of the marginal quantiles, the yardstick."""
    mean = means(cells, name, who)
    if not mean or who == "marginal":
        return []
    digits = [f"{mean[what]:.3f}" if what in mean else "" for what in ("log_score", "crps", "coverage")]
    columns = f"{mean['columns']:.0f} of {mean['of_columns']:.0f}" if "columns" in mean else ""
    prototypes = f"{mean['prototypes']:.0f}" if "prototypes" in mean else ""
    return [name, who, *digits, number(mean["rmse"]), columns, prototypes, number(mean["seconds"])]


def main() -> None:
    """Measure what is missing, then write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--fresh", action="store_true")
    args = parser.parse_args()
    cells: dict[str, dict[str, Any]] = {}
    if RESULTS.is_file() and not args.fresh:
        cells = json.loads(RESULTS.read_text())
    splits = range(FIRST_SPLIT, FIRST_SPLIT + args.splits)
    wanted = [(name, seed, who) for who in CONTESTANTS for seed in splits for name in args.only]
    for name, seed, who in tqdm(wanted):
        key = f"{name}/{seed}/{who}"
        if key in cells:
            continue
        data, start = split_of(name, seed), time.perf_counter()
        with warnings.catch_warnings(action="ignore"):  # fits that end early are measured all the same
            cells[key] = CONTESTANTS[who](data)
        cells[key].setdefault("seconds", time.perf_counter() - start)
        RESULTS.parent.mkdir(exist_ok=True)
        with replacing(RESULTS) as draft:
            draft.write_text(json.dumps(cells, indent=1))
    names = list(TARGETS)
    write_section("regression", [*render_bars(cells, names), "", *render(cells, names)])


if __name__ == "__main__":
    main()
