"""Which number warns of cases unlike the known ones: ``python -m benchmarks.novelty``.

A model is fitted to 70 % of a table. Its held-out rows stand for usual cases, and three kinds of shifted rows for
unusual ones: rows of a class that was left out of training, held-out rows with every column permuted by itself, and
rows of another table brought to the mean and the spread of this one, column by column. Each number is judged by the
area under the ROC curve with which it tells shifted rows from held-out ones: 1 is a perfect warning, 0.5 none, below
0.5 the shifted rows look more usual than the usual ones.

Every cell (table, seed, batches) is kept in ``results/novelty.json``, so that a run can be stopped and resumed;
``--fresh`` starts over. ``--tables FOLDER`` takes further tables, gzip CSV files with a column ``target``, and prints
the same table of them instead; nothing of them is kept.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from benchmarks.cells import Cell, Cells, sentence
from benchmarks.tables import table, write_section
from proset import ClassifierModel
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.engine.evidence.known_cases import Kernel, batch_kernels
from proset.engine.evidence.nearness import Nearness
from proset.engine.metrics import pairwise_auc
from proset.engine.set_manager import SetManager
from proset.study import Study, fit_study
from proset.study.settings import suggest_settings

SAMPLES = ("cancer", "digits", "penguins", "heart", "wine")
SEEDS = range(3)
BATCHES = (1, 3)
MOST_CLASSES = 10
SHIFTS = {"class": "a class left out", "permuted": "columns permuted", "other": "rows of another table"}
SCORES = {
    "familiarity": "familiarity (4.5)",
    "confidence": "confidence",
    "model": "model's metric",
    "first": "first batch alone",
    "strictest": "largest weight of any batch",
    "all": "all features",
    "lower": "lower of model's metric and all features",
    "lowest": "lowest of these and familiarity",
}
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """A table as a matrix, with the split and the settings of a quick fit.

    Attributes
    ----------
    X : float array of shape (n, D)
        Encoded rows with a class.
    y : ndarray of shape (n,)
        Classes.
    train, held_out : int arrays
        Positions.
    settings : dict
        Parameters of the model.
    """

    X: FloatArray
    y: NDArray[Any]
    train: NDArray[np.int64]
    held_out: NDArray[np.int64]
    settings: dict[str, Any]


def problem_of(study: Study) -> Problem:
    """Return what a study has learned to read."""
    rows = np.concatenate([study.split.train, study.split.held_out])
    train = np.arange(len(study.split.train))
    usual = suggest_settings(len(study.table.frame), len(study.roles.features))
    settings = {name: getattr(usual, name) for name in ("lambda_v", "lambda_w", "random_state")}
    X = study.encode(rows).X.astype(np.float64)
    held_out = np.arange(len(train), len(rows))
    return Problem(X, study.labels.loc[rows].to_numpy(dtype=str), train, held_out, settings)


def strictest(manager: SetManager) -> tuple[Kernel, ...]:
    """Return one kernel with the largest weight that any batch gives a column."""
    weights, columns = manager.get_feature_weights()
    return (Kernel(columns, weights.max(axis=0)),) if len(columns) else ()


class Watch:
    """A fitted model with everything that may warn of a case."""

    def __init__(self, model: ClassifierModel, known: FloatArray, usual: FloatArray) -> None:
        self._model = model
        kernels = batch_kernels(model.set_manager_)
        ones = np.ones(known.shape[1])
        first = tuple(replace(kernel, share=1.0) for kernel in kernels[:1])
        choices = {"model": kernels, "first": first, "strictest": strictest(model.set_manager_)}
        self._usual = model.familiarity(usual)
        self._near = {name: Nearness(known, usual, chosen, ones) for name, chosen in choices.items()}
        self._columns = np.arange(known.shape[1])

    def scores(self, X: FloatArray) -> dict[str, FloatArray]:
        """Return every number for some rows; low ones warn."""
        probabilities, familiarity = self._model.predict_with_familiarity(X)
        found = {"familiarity": familiarity, "confidence": probabilities.max(axis=1)}
        quantiles = {}
        for name, near in self._near.items():
            nearest, quantiles[name] = near.by_model.place(X)
            found[name] = -nearest.distance[:, 0]
        nearest, quantiles["all"] = self._near["model"].by_columns(self._columns).place(X)
        found["all"] = -nearest.distance[:, 0]
        found["lower"] = np.minimum(quantiles["model"], quantiles["all"])
        found["lowest"] = np.minimum(found["lower"], familiarity_quantile(familiarity, self._usual))
        return found


def warning_areas(watch: Watch, usual: FloatArray, shifted: FloatArray) -> dict[str, float]:
    """Return how well each number tells shifted rows from usual ones, in [0, 1]."""
    inside, outside = watch.scores(usual), watch.scores(shifted)
    target = np.repeat([0, 1], [len(usual), len(shifted)])
    areas = {}
    for name in SCORES:
        low = -np.concatenate([inside[name], outside[name]])
        areas[name] = pairwise_auc(target, np.stack([-low, low], axis=1))
    return areas


def fit(problem: Problem, rows: NDArray[np.int64], batches: int) -> ClassifierModel:
    """Fit a model to some training rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", UserWarning)
        return ClassifierModel(n_iter=batches, **problem.settings).fit(problem.X[rows], problem.y[rows])


def shifted_rows(problem: Problem, other: Problem, seed: int) -> dict[str, FloatArray]:
    """Return held-out rows with permuted columns, and rows of another table in the units of this one."""
    random = np.random.default_rng(seed)
    known, usual = problem.X[problem.train], problem.X[problem.held_out]
    permuted = np.column_stack([random.permutation(column) for column in usual.T])
    columns = np.arange(usual.shape[1]) % other.X.shape[1]
    foreign = other.X[:, columns]
    spread = foreign.std(axis=0)
    foreign = (foreign - foreign.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    return {"permuted": permuted, "other": foreign * known.std(axis=0) + known.mean(axis=0)}


def measure(problem: Problem, other: Problem, seed: int, batches: int) -> Cell:
    """Measure every shift of one table."""
    cell: Cell = {"rows": len(problem.X), "columns": problem.X.shape[1]}
    model = fit(problem, problem.train, batches)
    known, usual = problem.X[problem.train], problem.X[problem.held_out]
    watch = Watch(model, known, usual)
    cell["features"] = len(model.set_manager_.get_active_features())
    for name, rows in shifted_rows(problem, other, seed).items():
        cell[name] = warning_areas(watch, usual, rows)
    classes = [str(name) for name in np.unique(problem.y)]
    areas = [without_class(problem, name, batches) for name in classes[:MOST_CLASSES] if len(classes) > 2]
    if areas:
        cell["class"] = {name: float(np.mean([area[name] for area in areas])) for name in SCORES}
    return cell


def without_class(problem: Problem, name: str, batches: int) -> dict[str, float]:
    """Leave a class out of training, and tell its rows from the held-out rows of the others."""
    train = problem.train[problem.y[problem.train] != name]
    usual = problem.X[problem.held_out[problem.y[problem.held_out] != name]]
    watch = Watch(fit(problem, train, batches), problem.X[train], usual)
    return warning_areas(watch, usual, problem.X[problem.y == name])


def sample_problem(name: str, seed: int) -> Problem:
    """Return a bundled table under one split."""
    return problem_of(fit_study(load_sample(name), sample_roles(name), split=SplitSettings(seed=seed)))


def folder_problems(folder: Path) -> dict[str, Problem]:
    """Return the tables of a folder that can be fitted; others are named and left out."""
    found = {}
    for path in sorted(folder.glob("*.csv.gz")):
        try:
            content = read_table(path)
            found[path.name] = problem_of(fit_study(content, guess_roles(content, target="target").roles))
        except ValueError as error:
            print(f"{path.name}: left out, {error}")
    return found


def section(cells: Mapping[str, Cell], keys: list[str]) -> list[str]:
    """Return the table: medians over tables, means over seeds."""
    rows = []
    for batches in BATCHES:
        for shift, words in SHIFTS.items():
            by_table: dict[str, list[Cell]] = {}
            for key in keys:
                name, _, number = key.split("/")
                if int(number) == batches and shift in cells[key]:
                    by_table.setdefault(name, []).append(cells[key][shift])
            if not by_table:
                continue
            means = {
                score: [float(np.mean([areas[score] for areas in runs])) for runs in by_table.values()]
                for score in SCORES
            }
            best = max(median(values) for values in means.values())
            rows.append([words, batches, len(by_table), *(_cell(values, best) for values in means.values())])
    return table(["shift", "batches", "tables", *SCORES.values()], rows)


def _cell(values: list[float], best: float) -> str:
    """Write median and smallest of some tables; the best ones bold."""
    text = f"{median(values):.2f} ({min(values):.2f})"
    return f"**{text}**" if median(values) >= best - 0.005 else text


def main() -> None:
    """Measure what is missing and write or print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--fresh", action="store_true", help="measure everything again")
    parser.add_argument("--tables", type=Path, metavar="FOLDER", help="print the table of these files instead")
    options = parser.parse_args()
    if options.tables is not None:
        problems = folder_problems(options.tables)
        names = list(problems)
        found = {
            f"{name}/0/{batches}": measure(problems[name], problems[names[i - 1]], 0, batches)
            for i, name in enumerate(names)
            for batches in BATCHES
        }
        print("\n".join(section(found, list(found))))
        return
    cells = Cells("novelty", fresh=options.fresh)
    for seed in SEEDS:
        missing = [name for name in SAMPLES for batches in BATCHES if f"{name}/{seed}/{batches}" not in cells]
        problems = {name: sample_problem(name, seed) for name in SAMPLES} if missing else {}
        for i, name in enumerate(SAMPLES):
            for batches in BATCHES:
                key = f"{name}/{seed}/{batches}"
                if key not in cells:
                    other = problems[SAMPLES[i - 1]]
                    cells.fill(key, lambda p=problems[name], o=other, s=seed, b=batches: measure(p, o, s, b))  # type: ignore[misc]
    facts = f"Machine: {sentence(cells.machine)}."
    write_section("novelty", [facts, "", *section({key: cells[key] for key in cells}, list(cells))])


if __name__ == "__main__":
    main()
