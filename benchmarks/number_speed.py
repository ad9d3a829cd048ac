"""Seconds of models of a number beside boosted trees for 19 levels: ``python -m benchmarks.number_speed``.

What a quick fit, a search and many quantiles take on two cores, what they may take, and beside them what
``HistGradientBoostingRegressor`` of scikit-learn takes for the same rows with one model for each of the 19 levels: to
learn them, or to state them. Of each the median is taken of runs in turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingRegressor

from benchmarks.cells import Cell, Cells, arguments, sentence
from benchmarks.tables import number, table, write_section
from proset import RegressorModel
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.selection import NumberPlan
from proset.study import search_number_study

Numbers = NDArray[np.float64]
Work = Callable[[], object]

LEVELS = np.arange(1, 20) / 20
BARS = {"quick fit, 1,000 x 10": 3.0, "search, 20,000 x 20": 300.0, "19 quantiles of 100,000 rows": 5.0}
QUICK, SEARCH, QUANTILES = BARS


def drawn(n_rows: int, n_features: int) -> tuple[Numbers, Numbers]:
    """Draw numbers that four features decide: a slope, a wave, and two that act together."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features))
    return X, 3.0 * X[:, 0] + 2.0 * np.sin(2.0 * X[:, 1]) + X[:, 2] * X[:, 3] + rng.normal(size=n_rows)


def search(n_rows: int, n_features: int, plan: NumberPlan) -> Work:
    """Return what a page does with a table of these sizes, once it is read."""
    X, y = drawn(n_rows, n_features)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(n_features)]).assign(y=y)
    opened = read_table(frame.to_csv(index=False).encode(), name="drawn.csv")
    return partial(search_number_study, opened, guess_roles(opened, target="y").roles.as_number(), plan=plan)


def boosted(X: Numbers, y: Numbers) -> list[HistGradientBoostingRegressor]:
    """Learn every level."""
    return [
        HistGradientBoostingRegressor(loss="quantile", quantile=level, random_state=0).fit(X, y) for level in LEVELS
    ]


def works(name: str) -> tuple[Work, Work]:
    """Return ours and theirs."""
    if name == QUANTILES:
        X, y = drawn(101_000, 10)
        model, trees = RegressorModel(random_state=0).fit(X[:1_000], y[:1_000]), boosted(X[:1_000], y[:1_000])
        asked = X[1_000:]
        return partial(model.predict_quantiles, asked, LEVELS), lambda: [tree.predict(asked) for tree in trees]
    sizes, plan = ((1_000, 10), NumberPlan.quick()) if name == QUICK else ((20_000, 20), NumberPlan())
    return search(*sizes, plan), partial(boosted, *drawn(*sizes))


def measure(name: str, repeats: int) -> Cell:
    """Run both in turn; what is compiled or read at the first run is not counted."""
    both = works(name)
    if name != SEARCH:
        for work in both:
            work()
    runs = np.array([[_seconds(work) for work in both] for _ in range(1 if name == SEARCH else repeats)])
    ours, theirs = runs.T.tolist()
    return {"seconds": median(ours), "least": min(ours), "most": max(ours), "theirs": median(theirs)}


def _seconds(work: Work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rows_of(cells: Cells) -> Iterator[list[str]]:
    """Write what was measured, in the order of the bars."""
    for name, bar in BARS.items():
        if name in cells:
            cell = cells[name]
            ends = f" ({number(cell['least'])} to {number(cell['most'])})" if cell["most"] > cell["least"] else ""
            met = "met" if cell["seconds"] <= bar else "**missed**"
            ratio = number(cell["seconds"] / cell["theirs"])
            yield [name, f"{number(cell['seconds'])}{ends}", f"{bar:.0f}: {met}", number(cell["theirs"]), ratio]


def main() -> None:
    """Measure what is missing and write the table."""
    options = arguments(__doc__, tuple(BARS), repeats=5)
    cells = Cells("number_speed", fresh=options.fresh)
    for name in options.only:
        cells.fill(name, partial(measure, name, options.repeats))
    head = ["what", "ours, seconds", "bar", "19 boosted quantiles, seconds", "ours to theirs"]
    lines = [f"Machine: {sentence(cells.machine)}.", "", *table(head, rows_of(cells))]
    write_section("number_speed", lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
