"""The study's results as Markdown: published beside ours, the threshold rule, table 1.1, and what differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.report_tables.cells import FIRST_SIX, MAX_DEPTH, NEW_FIVE, SEEDS, TITLES, Cell, all_cells
from benchmarks.report_tables.layout import EXPERIMENT_TITLES, TABLES, Row, Table
from benchmarks.report_tables.ours import Ours
from benchmarks.report_tables.published import TABLE_1_1, Values, last_threshold, published
from benchmarks.report_tables.rating import RATINGS, count, within
from benchmarks.report_tables.summary import beyond, ratings

MISSING = "not run"


def render(finished: Mapping[Cell, Mapping[str, Any]], explanations: str) -> str:
    """Return the whole document.

    Parameters
    ----------
    finished : mapping of Cell to dict
        Outcomes as the store keeps them.
    explanations : str
        Where ours differ and why, written by hand; an experiment and problem is explained where the text names them
        as in ``(E9, Checker)``.

    Returns
    -------
    str
        Markdown.
    """
    ours = Ours.of(finished)
    parts = [_head(ours), _problems(), _table_1_1(ours), _beyond(ours, explanations), explanations.strip()]
    parts += [_table(table, ours) for table in TABLES]
    return "\n\n".join(parts) + "\n"


def _head(ours: Ours) -> str:
    """Title and how to read the tables."""
    total, minutes = len(all_cells()), ours.seconds / 60.0
    unfinished = "" if ours.n_cells == total else f" {total - ours.n_cells} of {total} cells are still to be run."
    return f"""# The report's study

Made by `make tables`; do not edit. Cells read *published* / **ours**. All of ours took {minutes:.0f} min
({"; ".join(ours.machines)}).{unfinished}

Of several seeds, losses and scores are means, counts and settings are medians. The report has one split, and artificial
data of its own drawing; ours are others. *Within* is the report's threshold rule: our log-loss on test data does not
exceed the threshold that the report states for the same experiment (mean plus standard deviation of the log-loss over
folds), both with two decimals; *within ours* is the same with the threshold of our own search."""


def _problems() -> str:
    """Sizes of the problems, and what is ours to choose."""
    lines = [
        "## Problems",
        "",
        "The searches are as large as the report's: 50 pairs of penalties or a grid of 11, up to 10 batches; k up to "
        "100; 100 settings of XGBoost's trees and 10,000 iterations. The depth of trees goes up to 9, or further where "
        "the report raised it or its results imply so.",
        "",
        "| | classes | features | samples | test samples | seeds (report: 1) | largest depth |",
        "|---|---|---|---|---|---|---|",
    ]
    sizes = {**published()["e3"], **published()["e10"]}
    for name in (*FIRST_SIX, *NEW_FIVE):
        keys = ("classes", "features", "samples", "test_samples")
        cells = [*(f"{sizes[name][f'data.{key}']:,}" for key in keys), SEEDS.get(name, 1), MAX_DEPTH.get(name, 9)]
        lines.append(f"| {TITLES[name]} | " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join(lines)


def _table_1_1(ours: Ours) -> str:
    """How many problems have which rating, and each problem's."""
    rated = ratings(ours.values)
    lines = ["## Table 1.1: Comparison of classification algorithms", ""]
    if len(rated) < len(TITLES):
        lines += [f"Of {len(TITLES)} problems, {len(rated)} have all three classifiers so far.", ""]
    lines += ["| classifier | " + " | ".join(RATINGS) + " |", "|---" * (len(RATINGS) + 1) + "|"]
    counted = count(rated) if rated else {}
    for name, theirs in TABLE_1_1.items():
        own = [str(counted[name][rating]) if rated else MISSING for rating in RATINGS]
        cells = [f"{theirs[rating]} / **{number}**" for rating, number in zip(RATINGS, own, strict=True)]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "| | " + " | ".join(TABLE_1_1) + " |", "|---" * (len(TABLE_1_1) + 1) + "|"]
    reported = ratings(published())
    for problem, of_problem in rated.items():
        cells = [f"{reported[problem][name]} / **{rating}**" for name, rating in of_problem.items()]
        lines.append(f"| {TITLES[problem]} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "*Best*: lowest log-loss on test data; *equivalent*: not above the threshold of the best; *worse*: above it; "
        "*worst*: no better than stating the class shares, which the report calls a constant estimator.",
    ]
    return "\n".join(lines)


def _beyond(ours: Ours, explanations: str) -> str:
    """List what exceeds the published threshold, and say which of it is not explained."""
    lines = ["## Where ours exceed the published threshold", ""]
    found = beyond(ours)
    if not found:
        return "\n".join([*lines, "Nowhere."])
    lines += ["| | published log-loss | published threshold | ours | explained below |", "|---|---|---|---|---|"]
    for case in found:
        name = f"({case.experiment.upper()}, {TITLES[case.problem]})"
        explained = "yes" if name in explanations else "**not yet**"
        losses = f"{case.published:.2f} | {case.threshold:.2f} | {case.ours:.2f}"
        lines.append(f"| {name} | {losses} | {explained} |")
    return "\n".join(lines)


def _cell(row: Row, theirs: Values, own: Values) -> str:
    """Put the published figure and ours into one cell."""
    return f"{_number(row, theirs)} / **{_number(row, own)}**" if own else f"{_number(row, theirs)} / {MISSING}"


def _number(row: Row, values: Values) -> str:
    """One value in the form of its row."""
    value = last_threshold(values) if row.key == "threshold" else values.get(row.key)
    if value is None or np.isnan(value):
        return "–"
    if row.form == "penalty":
        return f"{value:.1e}".replace("e-0", "e-")
    return f"{value:,.0f}" if row.form == "count" else f"{value:.2f}"


def _table(table: Table, ours: Ours) -> str:
    """One table of the report."""
    head = " | ".join(TITLES[name] for name in table.problems)
    experiments = ", ".join(name.upper() for name in table.experiments)
    lines = [f"## Table {table.number} [{experiments}]: {table.title}", "", f"| | {head} |"]
    lines.append("|---" * (len(table.problems) + 1) + "|")
    for experiment in table.experiments:
        if len(table.experiments) > 1:
            blanks = " |" * len(table.problems)
            lines.append(f"| **{experiment.upper()} {EXPERIMENT_TITLES[experiment]}** |{blanks}")
        pairs = [(published()[experiment][name], ours.get(experiment, name)) for name in table.problems]
        lines += [f"| {row.label} | " + " | ".join(_cell(row, *pair) for pair in pairs) + " |" for row in table.rows]
        for name, position in (("Within", 0), ("Within ours", 1)):
            verdicts = [_verdict(own, (theirs, own)[position]) for theirs, own in pairs]
            lines.append(f"| *{name}* | " + " | ".join(verdicts) + " |")
    return "\n".join(lines)


def _verdict(own: Values, stating: Values) -> str:
    """Whether our log-loss is within the threshold that these values state."""
    if not own:
        return MISSING
    return "yes" if within(own["test.log_loss"], last_threshold(stating)) else "**no**"
