"""Tables of TabArena beside the published best of each: ``python -m benchmarks.arena``.

TabArena (arXiv 2506.16791) judges by 1 - ROC-AUC where there are two classes, by log-loss where there are more, over
repeated three-fold cross-validation. The tables of it that are at hand are learned in the same way: the quick fit and
the search, a random forest and gradient boosting of scikit-learn with their defaults, on folds of the same seeds. The
folds are not TabArena's own, so that differences below the standard error over the splits say nothing.

Every cell (table, contestant, split) is kept in ``results/arena.json``, so that a run can be stopped and resumed;
``--fresh`` starts over, ``--repeats`` says how often the three folds are drawn anew.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from benchmarks.cells import Cell, Cells, sentence
from benchmarks.public_data import TABLES, data_folder, how_to_get
from benchmarks.tables import table, write_section
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.split import Split, SplitSettings
from proset.data.table import Table, read_table
from proset.selection import JointPlan
from proset.study import search_study

TARGET, FOLDS = "target", 3


@dataclass(frozen=True)
class ArenaSet:
    """One table.

    Attributes
    ----------
    file : str
        Where it lies in the folder of public tables, without ``.csv.gz``.
    best, method : float and str
        The lowest published error, and whose it is.
    error : str
        By what it is judged.
    coded : bool
        Whether its numbers are the codes of categories.
    """

    file: str
    best: float
    method: str
    error: str = "1 - ROC-AUC"
    coded: bool = False


SETS = {
    "diabetes": ArenaSet("pima_diabetes", 0.1556, "TabPFNv2"),
    "credit-g": ArenaSet("german_credit", 0.2037, "LightGBM, tuned and ensembled"),
    "splice": ArenaSet("pmlb/splice", 0.0993, "TabPFNv2, tuned and ensembled", "log-loss", coded=True),
}
"""What is at hand. Of the other 35 with classes none is: anneal, blood-transfusion, churn, Fitness_Club ..."""


def read(name: str, folder: Path) -> tuple[Table, Roles]:
    """Read a table; every column but the target is a number, or a category where it holds words or codes."""
    found = read_table(folder / f"{SETS[name].file}.csv.gz")
    words = {
        column: Role.CATEGORICAL
        if SETS[name].coded or not pd.api.types.is_numeric_dtype(found.frame[column])
        else Role.NUMERIC
        for column in found.frame
        if column != TARGET
    }
    return found, Roles(words | {TARGET: Role.TARGET})


def ours(plan: JointPlan, found: Table, roles: Roles, train: np.ndarray, test: np.ndarray) -> pd.DataFrame:
    """Return the probabilities of the rows left out, by one of our searches."""
    rows = found.frame.index.to_numpy(dtype=np.int64)
    split = Split(np.sort(rows[train]), np.sort(rows[test]), rows[:0], SplitSettings())
    study = search_study(found, roles, split=split, plan=plan, n_jobs=1)
    return study.probabilities.loc[rows[test], list(study.classes)]


def theirs(make: Callable[[], object], found: Table, roles: Roles, train: np.ndarray, test: np.ndarray) -> pd.DataFrame:
    """Return the same of an estimator of scikit-learn, categories as indicators."""
    X, y = found.frame[list(roles.features)], found.frame[TARGET].astype(str)
    words = [column for column in X if roles.by_column[column] is Role.CATEGORICAL]
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), words), remainder="passthrough"
    )
    model = make_pipeline(encode, make()).fit(X.iloc[train], y.iloc[train])
    return pd.DataFrame(model.predict_proba(X.iloc[test]), index=X.index[test], columns=model.classes_)


CONTESTANTS: dict[str, Callable[..., pd.DataFrame]] = {
    "quick fit": partial(ours, JointPlan.quick()),
    "search": partial(ours, JointPlan()),
    "random forest": partial(theirs, partial(RandomForestClassifier, random_state=0)),
    "gradient boosting": partial(theirs, partial(HistGradientBoostingClassifier, random_state=0)),
}


def error(probabilities: pd.DataFrame, actual: pd.Series) -> float:
    """Return 1 - ROC-AUC, or log-loss for more than two classes."""
    if probabilities.shape[1] == 2:
        return 1.0 - float(roc_auc_score(actual == probabilities.columns[1], probabilities.iloc[:, 1]))
    ordered = probabilities[sorted(probabilities)].clip(1e-15)
    return float(log_loss(actual, ordered.div(ordered.sum(axis=1), axis=0), labels=list(ordered)))


def measure(contestant: str, found: Table, roles: Roles, number: int) -> Cell:
    """Let a contestant learn two of three folds and judge what it says of the third."""
    labels = found.frame[TARGET].astype(str)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=number // FOLDS).split(found.frame, labels)
    train, test = list(folds)[number % FOLDS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of solvers that stop early: the error tells
        probabilities = CONTESTANTS[contestant](found, roles, train, test)
    return {"error": error(probabilities, labels.loc[probabilities.index])}


def section(cells: Cells, n_splits: int) -> list[str]:
    """Return the table: mean errors and their standard errors over the splits."""
    rows = []
    for name, entry in SETS.items():
        line = [name, entry.error, f"{entry.best:.4f} ({entry.method})"]
        for contestant in CONTESTANTS:
            keys = [f"{name}/{contestant}/{number}" for number in range(n_splits)]
            errors = np.array([cells[key]["error"] for key in keys if key in cells])
            spread = errors.std(ddof=1) / np.sqrt(len(errors)) if len(errors) > 1 else np.nan
            line.append(f"{errors.mean():.4f} ± {spread:.4f}" if len(errors) == n_splits else "not measured")
        rows.append(line)
    return table(["table", "error", "published best", *CONTESTANTS], rows)


def main(given: Sequence[str] | None = None) -> None:
    """Measure what is missing and write the section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="measure all cells again")
    parser.add_argument(
        "--only", nargs="+", choices=list(SETS), default=list(SETS), metavar="TABLE", help="these tables"
    )
    parser.add_argument("--repeats", type=int, default=3, help="times the three folds are drawn (default 3)")
    asked = parser.parse_args(given)
    folder, cells = data_folder(), Cells("arena", fresh=asked.fresh)
    absent = [f"{entry.file}.csv.gz" for entry in SETS.values() if not (folder / f"{entry.file}.csv.gz").exists()]
    if absent:
        raise SystemExit(how_to_get(absent, folder, TABLES))
    for name in asked.only:
        found, roles = read(name, folder)
        for number in range(asked.repeats * FOLDS):
            for contestant in CONTESTANTS:
                cells.fill(f"{name}/{contestant}/{number}", partial(measure, contestant, found, roles, number))
    facts = f"Machine: {sentence(cells.machine)}. {asked.repeats * FOLDS} splits each."
    write_section("arena", [facts, "", *section(cells, asked.repeats * FOLDS)])


if __name__ == "__main__":
    main()
