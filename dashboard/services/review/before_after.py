"""A model before and after it has listened, in words and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.guidance import turnover_words
from proset.common.words import count_words, measure, percent, plus_minus

if TYPE_CHECKING:
    from collections.abc import Callable

    from proset.explain.judged.calibration_bins import Calibration
    from proset.study.before_after import BeforeAfter

_ROWS = {
    "untouched": "held-out rows that nobody reviews",
    "held out": "all held-out rows",
    "corrected": "all held-out rows, classes as corrected",
}


def quality_frame(change: BeforeAfter) -> pd.DataFrame:
    """Return quality before and after as people read it, the rows that decide first.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> from proset.study.before_after import before_after
    >>> study = fit_sample("iris_2f")
    >>> quality_frame(before_after(study, study))["Rows"].tolist()
    ['held-out rows that nobody reviews (23)', 'all held-out rows (45)']
    """
    lines = [
        {
            "Rows": f"{_ROWS[str(name)]} ({int(line['rows']):,})",
            "Log-loss": _from_to(measure, line, "log_loss"),
            "difference, 95 % interval": _difference(line),
            "Right": _from_to(percent, line, "right"),
            "Balanced accuracy": _from_to(percent, line, "balanced"),
            "difference in points, 95 %": _points(line),
        }
        for name, line in change.quality.iterrows()
    ]
    return pd.DataFrame(lines)


def sentence(change: BeforeAfter) -> str:
    """Say what the rows that nobody reviews make of it.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> line = {"rows": 80, "difference": -0.02, "low": -0.05, "high": 0.01}
    >>> sentence(SimpleNamespace(quality=pd.DataFrame({"untouched": line}).T))
    'On the 80 held-out rows that nobody reviews, no difference in log-loss can be told from chance.'
    """
    name = "untouched" if "untouched" in change.quality.index else "held out"
    if name not in change.quality.index:
        return "No row is held out, so nothing can be said of its quality."
    line = change.quality.astype(float).to_dict("index")[name]
    where = f"On the {int(line['rows']):,} {_ROWS[name].removeprefix('all ')}"
    if line["low"] <= 0.0 <= line["high"]:
        return f"{where}, no difference in log-loss can be told from chance."
    return f"{where}, the log-loss is {'lower' if line['difference'] < 0 else 'higher'} than before."


def calibration_words(before: Calibration, after: Calibration) -> str:
    """Say how far stated probabilities are off before and after, each with its own interval; empty without rows.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> found = SimpleNamespace(error=0.021, low=0.0, high=0.05, n_rows=80)
    >>> calibration_words(found, found)[:72]
    'On all held-out rows, stated probabilities are off by 2.1 percentage poi'
    """
    if not (before.n_rows and after.n_rows):
        return ""
    first, last = (f"{100 * one.low:.1f} to {100 * one.high:.1f}" for one in (before, after))
    return (
        f"On all held-out rows, stated probabilities are off by {100 * before.error:.1f} percentage points before and "
        f"by {100 * after.error:.1f} after; by {first} and {last} beyond what chance alone does (95 % intervals)."
    )


def sides_words(change: BeforeAfter) -> list[str]:
    """Say what else has changed: cases, prototypes, columns."""
    return [_sides_sentence(change.sides, int(change.quality["rows"].get("held out", 0))), *turnover_words(change)]


def _sides_sentence(rows: pd.DataFrame, n_held_out: int) -> str:
    """Count the held-out rows that changed their side, and in which direction."""
    if rows.empty:
        return "No held-out row changes its side."
    right, was = (int((rows[name] == rows["actual"]).sum()) for name in ("after", "before"))
    many = f"Of all {count_words(n_held_out, 'held-out row')}, {len(rows):,} {'is' if len(rows) == 1 else 'are'}"
    return f"{many} said to be of another class now; by the table, {right:,} became right and {was:,} became wrong."


def _from_to(said: Callable[[float], str], line: pd.Series, name: str) -> str:
    """Write a measure before and after, as a step; once where both read the same."""
    before, after = said(line[f"{name}_before"]), said(line[f"{name}_after"])
    return before if before == after else f"{before} → {after}"


def _points(line: pd.Series) -> str:
    """Write the difference of balanced accuracies in percentage points, with its interval."""
    ends = [100.0 * line[name] for name in ("balanced_low", "balanced_high")]
    change = 100.0 * (line["balanced_after"] - line["balanced_before"])
    return f"{plus_minus(change, 1)} ({plus_minus(ends[0], 1)} to {plus_minus(ends[1], 1)})"


def _difference(line: pd.Series) -> str:
    """Write a difference with its interval."""
    change, low, high = (plus_minus(float(line[name]), 4) for name in ("difference", "low", "high"))
    return f"{change} ({low} to {high})"
