"""Wrong labels that were planted are looked for: ``python -m benchmarks.label_errors``.

Labels of the training rows of public tables are changed: drawn from all rows to any other class (uniform), from all
rows to the next class (pairs), or where classes meet to the class that another model finds next likely (border). Then
:func:`proset.explain.label_errors` is compared with the three scores of cleanlab on the same estimates of the same
folds, by average precision, and by how many of the first twenty rows are planted.

A simulated expert then looks at the most suspicious twentieth of the training rows and says the true class of each. How
much he regains is measured in log-loss on held-out rows with their true classes, between the model of the planted
labels and that of the true ones; beside it what he would regain in the order of cleanlab's scores, or in any order.
The model is a quick fit, and what is said is learned with the settings that it has chosen, as *Fit again* does on the
pages. Settings that nobody has chosen lead to another optimum with each word, which hides what the words do.

Every cell (table, kind, share) is kept in ``results/label_errors.json``, so that a run can be stopped and resumed;
``--fresh`` starts over, ``--only TABLE ...`` chooses tables. The scores of cleanlab are written out below; where the
package is installed, they are held to it.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score, balanced_accuracy_score, log_loss
from sklearn.model_selection import cross_val_predict

from benchmarks.cells import Cell, Cells, sentence
from benchmarks.public_data import TABLES, data_folder, how_to_get
from benchmarks.tables import table, write_section
from proset.data.role_guess import guess_roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.explain import label_errors
from proset.selection import JointPlan
from proset.study import Study, fit_study, search_study
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind
from proset.study.unseen import judge_unseen

TUNED = ("wdbc", "soybean", "phoneme")
"""Tables on which the form of the score was chosen."""
OTHERS = (
    "analcatdata_authorship",
    "banana",
    "biomed",
    "breast_cancer",
    "clean1",
    "cmc",
    "credit_a",
    "house_votes_84",
    "kr_vs_kp",
    "led7",
    "lymphography",
    "page_blocks",
    "ring",
    "splice",
    "heart_statlog",
    "waveform_21",
    "heart_h",
    "hepatitis",
    "tae",
    "allhypo",
)
KINDS, SHARES = ("uniform", "pairs", "border"), (0.02, 0.05, 0.1)
RIVALS = ("self_confidence", "normalized_margin", "confidence_weighted_entropy")
MOST_ROWS, FEWEST_OF_CLASS, HELD_OUT, FIRST = 2_500, 12, 0.2, 20
FEW_ROWS, MOST_SPLITS = 1_500, 4
SURE = 0.9
REVIEWED = 0.05
"""Share of the training rows that the expert looks at."""
ORDERS = ("expert_ours", *(f"expert_{name}" for name in RIVALS), "expert_random")
"""Log-loss after he has looked in each order."""
TARGET = "target"
_LEAST = 1e-8
_REACH = 0.25  # margin at which a row near the border is drawn e times less often than on it


@dataclass(frozen=True, eq=False)
class Planted:
    """A table with wrong labels.

    Attributes
    ----------
    frame : DataFrame
        With the changed column ``target``.
    wrong : ndarray of bool
        Which rows were changed.
    """

    frame: pd.DataFrame
    wrong: NDArray[np.bool_]


def read(name: str, folder: Path) -> pd.DataFrame:
    """Read a public table: rows with a class that is not very rare, at most so many of them."""
    found = [path for path in (folder / "pmlb" / f"{name}.csv.gz", folder / f"{name}.csv.gz") if path.is_file()]
    if not found:
        raise SystemExit(how_to_get([f"{name}.csv.gz"], folder, TABLES))
    frame = pd.read_csv(found[0]).dropna(subset=[TARGET])
    counts = frame[TARGET].value_counts()
    frame = frame[frame[TARGET].isin(counts.index[counts >= FEWEST_OF_CLASS])]
    frame = frame.sample(min(MOST_ROWS, len(frame)), random_state=0).sort_index().reset_index(drop=True)
    return frame.assign(**{TARGET: "class " + frame[TARGET].astype(str)})


def plant(frame: pd.DataFrame, kind: str, share: float) -> Planted:
    """Change the labels of a share of the rows."""
    rng = np.random.default_rng([KINDS.index(kind), round(1000 * share)])
    codes, classes = pd.factorize(frame[TARGET], sort=True)
    n_classes, n_wrong = len(classes), round(share * len(frame))
    new, every = codes.copy(), np.arange(len(frame))
    if kind == "border":
        likely = _estimates(frame.drop(columns=TARGET), codes)
        own = likely[every, codes].copy()
        likely[every, codes] = -1.0
        near = np.exp(-np.abs(own - likely.max(axis=1)) / _REACH)
        chosen = rng.choice(every, n_wrong, replace=False, p=near / near.sum())
        new[chosen] = likely.argmax(axis=1)[chosen]
    else:
        chosen = rng.choice(every, n_wrong, replace=False)
        further = rng.integers(1, n_classes, n_wrong) if kind == "uniform" else 1
        new[chosen] = (codes[chosen] + further) % n_classes
    return Planted(frame.assign(**{TARGET: np.asarray(classes)[new]}), new != codes)


def _estimates(features: pd.DataFrame, codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what trees that have not seen a row say of it."""
    X = pd.get_dummies(features).astype(float).fillna(-1.0)
    trees = RandomForestClassifier(100, min_samples_leaf=3, random_state=0)
    found: NDArray[np.float64] = cross_val_predict(trees, X, codes, cv=3, method="predict_proba")
    return found


def rival_scores(codes: NDArray[np.int64], estimates: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Return the label quality scores of cleanlab: low for a suspicious label."""
    each = np.arange(len(codes))
    own = estimates[each, codes]
    others = estimates.copy()
    others[each, codes] = -np.inf
    entropy = -(estimates * np.log(np.maximum(estimates, _LEAST))).sum(axis=1) / np.log(estimates.shape[1])
    return {
        "self_confidence": own,
        "normalized_margin": (own - others.max(axis=1) + 1.0) / 2.0,
        # Brought to [0, 1] there, in the same order.
        "confidence_weighted_entropy": -entropy / np.maximum(own, _LEAST),
    }


def measure(frame: pd.DataFrame, kind: str, share: float) -> Cell:
    """Look for planted labels in one table: means over splits, of which small tables get several."""
    planted = plant(frame, kind, share)
    n_splits = int(np.clip(FEW_ROWS // len(frame), 1, MOST_SPLITS))
    each = [_measure_split(frame, planted, seed) for seed in range(n_splits)]
    return {name: float(value) for name, value in pd.DataFrame(each).mean().items()} | {"splits": n_splits}


def _measure_split(frame: pd.DataFrame, planted: Planted, seed: int) -> Cell:
    noisy = read_table(planted.frame.to_csv(index=False).encode(), name="planted.csv")
    split = SplitSettings(test_fraction=HELD_OUT, seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        roles = guess_roles(noisy, target=TARGET).roles
        study = search_study(noisy, roles, split=split, plan=JointPlan.quick())
        unseen = judge_unseen(study)
    found = label_errors(study, unseen).frame
    wrong = pd.Series(planted.wrong, index=noisy.frame.index).loc[found.index].to_numpy()
    codes = pd.Index(study.classes).get_indexer(pd.Index(found["actual"])).astype(np.int64)
    estimates = unseen.probabilities.loc[found.index].to_numpy()
    scores = rival_scores(codes, estimates)
    if find_spec("cleanlab") is not None:
        _hold_to_package(scores, codes, estimates, wrong)
    cell = {name: float(average_precision_score(wrong, -score)) for name, score in scores.items()}
    cell["ours"] = float(average_precision_score(wrong, found["suspicion"]))
    cell["first"] = float(wrong[:FIRST].mean())
    cell["balanced"] = float(balanced_accuracy_score(found["actual"][~wrong], found["said"][~wrong]))
    orders = {"expert_ours": found["suspicion"].rank(ascending=False, method="first")}
    orders |= {f"expert_{name}": pd.Series(score, found.index).rank(method="first") for name, score in scores.items()}
    orders["expert_random"] = pd.Series(np.random.default_rng(0).permutation(len(found)) + 1.0, found.index)
    truth = pd.Series(frame[TARGET].to_numpy(), index=noisy.frame.index)
    return cell | _after_review(study, truth, orders)


def _after_review(study: Study, truth: pd.Series, orders: Mapping[str, pd.Series]) -> Cell:
    """Return the log-loss on held-out rows with true classes: as planted, with true labels, and after each review."""
    rows = study.split.train
    n_reviewed = round(REVIEWED * len(rows))
    found = {"planted": _true_loss(study, truth), "true": _true_loss(_corrected(study, truth, rows), truth)}
    for name, order in orders.items():
        found[name] = _true_loss(_corrected(study, truth, order.index[order <= n_reviewed].to_numpy()), truth)
    return found


def _corrected(study: Study, truth: pd.Series, rows: NDArray[np.int64]) -> Study:
    """Fit again with the true classes of some training rows, which are held out from nothing else."""
    wrong = rows[(study.table_labels.loc[rows] != truth.loc[rows]).to_numpy()]
    said = Guidance(tuple(GuidanceItem(GuidanceKind.RELABEL, row=int(row), label=truth.loc[row]) for row in wrong))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit_study(study.table, study.roles, split=study.split.settings, settings=study.settings, guidance=said)


def _true_loss(study: Study, truth: pd.Series) -> float:
    rows = study.split.held_out
    return float(log_loss(truth.loc[rows], study.probabilities.loc[rows], labels=study.classes))


def _hold_to_package(
    scores: Mapping[str, NDArray[np.float64]],
    codes: NDArray[np.int64],
    estimates: NDArray[np.float64],
    wrong: NDArray[np.bool_],
) -> None:
    """Stop where a score ranks otherwise than that of the package."""
    from cleanlab.rank import get_label_quality_scores

    for name, score in scores.items():
        theirs = average_precision_score(wrong, -get_label_quality_scores(codes, estimates, method=name))
        ours = average_precision_score(wrong, -score)
        if abs(theirs - ours) > 1e-3:
            raise SystemExit(f"{name} is {ours:.4f} here and {theirs:.4f} by the package.")


def section(cells: Mapping[str, Cell]) -> list[str]:
    """Return both tables: one line per kind and share, of the tables on which nothing was chosen."""
    found, regained = [], []
    for kind in KINDS:
        for share in SHARES:
            parts = {key: key.split("/") for key in cells}
            asked = [kind, f"{share:g}"]
            own = [cells[key] for key, (name, *rest) in parts.items() if rest == asked and name not in TUNED]
            if own:
                planted = f"{kind}, {100 * share:g} %"
                found.append([planted, str(len(own)), *_found(own)])
                regained.append([planted, *_regained(own)])
    named = [name.replace("_", " ") for name in RIVALS]
    sure = f"of our first {FIRST} where balanced accuracy is over {SURE:g} (tables)"
    heads = ["planted", "tables", *named, "best of the three", "ours", "not below on", f"of our first {FIRST}", sure]
    heads_regained = ["planted", "tables", "true labels", "planted labels", "ours", *named, "any order"]
    words = (
        f"Log-loss on held-out rows with true labels, mean over the tables on which the noise cost any, and the share "
        f"of that cost that comes back when {100 * REVIEWED:g} % of the training rows are looked at in an order:"
    )
    return [*table(heads, found), "", _over_kinds(cells), "", words, "", *table(heads_regained, regained)]


def _over_kinds(cells: Mapping[str, Cell]) -> str:
    """Say on how many tables ours are not below the best of the three, each table counted once."""
    lines = [
        {"table": key.split("/")[0], "best": max(cell[name] for name in RIVALS), "ours": cell["ours"]}
        for key, cell in cells.items()
    ]
    frame = pd.DataFrame(lines, columns=["table", "best", "ours"])
    means = frame[~frame["table"].isin(TUNED)].groupby("table").mean()
    ahead = means["ours"] - means["best"]
    kept = f"not below the best of the three on {(ahead >= 0).sum()} of {len(ahead)} tables"
    return f"Mean over all that was planted into a table: ours {kept}, {ahead.mean():+.3f} on average."


def _found(own: Sequence[Cell]) -> list[str]:
    """Return how well the wrong labels were found."""
    best = [max(cell[name] for name in RIVALS) for cell in own]
    ours = [cell["ours"] for cell in own]
    sure = [cell["first"] for cell in own if cell["balanced"] > SURE]
    return [
        *(f"{np.mean([cell[name] for cell in own]):.3f}" for name in RIVALS),
        f"{np.mean(best):.3f}",
        f"**{np.mean(ours):.3f}**",
        f"{sum(one >= other for one, other in zip(ours, best, strict=True))}",
        f"{np.mean([cell['first'] for cell in own]):.2f}",
        f"{np.mean(sure):.2f} ({len(sure)})" if sure else "",
    ]


def _regained(own: Sequence[Cell]) -> list[str]:
    """Return on how many tables the noise cost log-loss, how much, and which share of it each order brings back."""
    losses = pd.DataFrame(own)[["true", "planted", *ORDERS]]
    losses = losses[losses["planted"] > losses["true"]]
    if losses.empty:
        return ["0", *[""] * (2 + len(ORDERS))]
    mean = losses.mean()
    shares = [f"{(mean['planted'] - mean[name]) / (mean['planted'] - mean['true']):.0%}" for name in ORDERS]
    return [str(len(losses)), f"{mean['true']:.3f}", f"{mean['planted']:.3f}", f"**{shares[0]}**", *shares[1:]]


def main(given: Sequence[str] | None = None) -> None:
    """Measure what is missing and write the section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="measure all cells again")
    parser.add_argument("--only", nargs="+", default=[*TUNED, *OTHERS], metavar="TABLE", help="these tables")
    parser.add_argument("--shares", nargs="+", type=float, default=list(SHARES), help="shares of wrong labels")
    asked = parser.parse_args(given)
    folder, cells = data_folder(), Cells("label_errors", fresh=asked.fresh)
    for name in asked.only:
        frame = None
        for kind in KINDS:
            for share in asked.shares:
                key = f"{name}/{kind}/{share:g}"
                if key in cells:
                    continue
                frame = read(name, folder) if frame is None else frame
                cells.fill(key, lambda f=frame, k=kind, s=share: measure(f, k, s))  # type: ignore[misc]
    facts = f"Machine: {sentence(cells.machine)}."
    write_section("label_errors", [facts, "", *section({key: cells[key] for key in cells})])


if __name__ == "__main__":
    main()
