"""Wrong numbers that were planted are looked for: ``python -m benchmarks.wrong_numbers``.

Targets of some rows of public tables are changed: to that of another row (swapped), by .7 to 1.5 standard deviations up
or down (shifted), or to a tenth or ten times as much (slip of the pen). Then the order of
:func:`proset.explain.wrong_numbers` is compared, by average precision, with orders that answers of the same folds give:
by the error, by the error over the width of the interval, by the log score, and by how far out the number lies in its
own distribution; and it is counted how many of those planted are listed, and of those listed planted.

Every cell (table, kind, share) is kept in ``results/wrong_numbers.json``, so that a run can be stopped and resumed;
``--fresh`` starts over, ``--only TABLE ...`` chooses tables.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes
from sklearn.metrics import average_precision_score

from benchmarks.cells import Cell, Cells, sentence
from benchmarks.public_data import TABLES, data_folder, how_to_get
from benchmarks.regression import TARGETS
from benchmarks.tables import table, write_section
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.explain import wrong_numbers
from proset.explain.review.wrong_numbers import SUSPICIOUS
from proset.study import NumberStudy, fit_number_study
from proset.study.number_unseen import NumberUnseen, judge_numbers_unseen

TUNED = ("concrete", "auto_mpg", "abalone")
"""Tables on which the form of the score was chosen."""
OTHERS = ("wine_quality_red", "cpu_small", "california_housing", "air_quality", "diabetes")
ALL_TARGETS = TARGETS | {"air_quality": "C6H6(GT)", "diabetes": "target"}
KINDS, SHARES = ("swapped", "shifted", "slip of the pen"), (0.03,)
RIVALS = ("error", "error over width", "log score", "place")
MOST_ROWS = 1_500


def read(name: str) -> pd.DataFrame:
    """Read a public table: rows without gaps, at most so many of them."""
    if name == "diabetes":
        return load_diabetes(as_frame=True).frame
    path = data_folder() / f"{name}.csv.gz"
    if not path.is_file():
        raise SystemExit(how_to_get([path.name], data_folder(), TABLES))
    frame = pd.read_csv(path).dropna()
    return frame.sample(min(MOST_ROWS, len(frame)), random_state=0).reset_index(drop=True)


def plant(numbers: NDArray[np.float64], kind: str, share: float) -> NDArray[np.float64]:
    """Return numbers of which a share is changed."""
    rng = np.random.default_rng([KINDS.index(kind), round(1000 * share)])
    chosen, new = rng.choice(len(numbers), round(share * len(numbers)), replace=False), numbers.copy()
    if kind == "swapped":
        new[chosen] = rng.choice(numbers, len(chosen))
    elif kind == "shifted":
        new[chosen] += rng.choice([-1.0, 1.0], len(chosen)) * numbers.std() * rng.uniform(0.7, 1.5, len(chosen))
    else:
        new[chosen] *= rng.choice([0.1, 10.0], len(chosen))
    return new


def measure(name: str, kind: str, share: float) -> Cell:
    """Look for planted numbers in one table."""
    frame, target = read(name), ALL_TARGETS[name]
    numbers = frame[target].to_numpy(dtype=np.float64)
    planted = plant(numbers, kind, share)
    noisy = read_table(frame.assign(**{target: planted}).to_csv(index=False).encode(), name="planted.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = fit_number_study(noisy, guess_roles(noisy, target=target).roles.as_number())
        unseen = judge_numbers_unseen(study)
    found = wrong_numbers(study, unseen).frame
    wrong = pd.Series(~np.isclose(planted, numbers), index=noisy.frame.index).loc[found.index].to_numpy()
    scores = rival_scores(study, unseen, found.index) | {"ours": found["suspicion"].to_numpy()}
    cell = {key: float(average_precision_score(wrong, score)) for key, score in scores.items()}
    listed = (found["suspicion"] >= SUSPICIOUS).to_numpy()
    return cell | {
        "rows": len(found),
        "planted": int(wrong.sum()),
        "listed": int(listed.sum()),
        "right": int(wrong[listed].sum()),
    }


def rival_scores(study: NumberStudy, unseen: NumberUnseen, rows: pd.Index) -> dict[str, NDArray[np.float64]]:
    """Return how suspicious each row is by what the models say that have not seen it."""
    said = unseen.predictions.loc[rows]
    log_score = [
        pd.Series(own.distribution(own.split.held_out).log_score(own.table_targets.loc[own.split.held_out]),
                  index=own.split.held_out) for own in unseen.studies
    ]  # fmt: skip
    error = said["error"].abs()
    return {
        "error": error.to_numpy(),
        "error over width": (error / (said["upper"] - said["lower"])).to_numpy(),
        "log score": pd.concat(log_score).loc[rows].to_numpy(),
        "place": (said["place"] - 0.5).abs().to_numpy(),
    }


def section(cells: Mapping[str, Cell]) -> list[str]:
    """Return the table: one line per kind and share, of the tables on which nothing was chosen."""
    lines = []
    for kind in KINDS:
        for share in SHARES:
            parts = {key: key.split("/") for key in cells}
            asked = [kind, f"{share:g}"]
            own = [cells[key] for key, (name, *rest) in parts.items() if rest == asked and name not in TUNED]
            if own:
                means = {name: float(np.mean([cell[name] for cell in own])) for name in (*RIVALS, "ours")}
                planted, listed, right = (sum(cell[name] for cell in own) for name in ("planted", "listed", "right"))
                words = [f"{means[name]:.3f}" for name in RIVALS]
                found = [f"{right:,} of {planted:,}", f"{right / max(listed, 1):.0%}"]
                lines.append([f"{kind}, {100 * share:g} %", str(len(own)), *words, f"**{means['ours']:.3f}**", *found])
    heads = ["planted", "tables", *RIVALS, "ours", "of those planted listed", "of those listed planted"]
    return table(heads, lines)


def main(given: Sequence[str] | None = None) -> None:
    """Measure what is missing and write the section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fresh", action="store_true", help="measure all cells again")
    parser.add_argument("--only", nargs="+", default=[*TUNED, *OTHERS], metavar="TABLE", help="these tables")
    asked = parser.parse_args(given)
    cells = Cells("wrong_numbers", fresh=asked.fresh)
    for name in asked.only:
        for kind in KINDS:
            for share in SHARES:
                cells.fill(f"{name}/{kind}/{share:g}", partial(measure, name, kind, share))
    facts = f"Machine: {sentence(cells.machine)}."
    write_section("wrong_numbers", [facts, "", *section({key: cells[key] for key in cells})])


if __name__ == "__main__":
    main()
