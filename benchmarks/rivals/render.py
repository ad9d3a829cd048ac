"""Writes the measurements as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.cells import Cell, Cells, sentence
from benchmarks.rivals.bars import bars
from benchmarks.rivals.contestants import QUICK, SEARCH, TUNED, Contestant
from benchmarks.rivals.sets import DRAWN, SEEDS
from benchmarks.rivals.summary import Results, collect, largest_differences, means, unfinished, versions
from benchmarks.tables import number, table

MOST_DIFFERENCES = 5
MEANS = ("contestant", "log-loss", "rank", "within 0.02 of tuned XGBoost", "balanced accuracy", "calibration error")
MEANS += ("columns used", "size", "seconds", "times the search")
DIFFERENCES = ("set", "search", "XGBoost, tuned", "difference", "columns, prototypes", "chosen by the search")
DIFFERENCES += ("chosen by XGBoost",)


def section(cells: Cells, names: Sequence[str]) -> list[str]:
    """Return the lines of the README."""
    results = collect(cells, names)
    if not results.names:
        return ["Not measured yet."]
    timed = [cells[key] for seed in SEEDS if (key := f"{DRAWN}/{seed}/{QUICK.name}") in cells]
    return [
        f"Machine: {sentence(cells.machine)}. {sentence(versions(results))}.",
        "",
        *table(MEANS, (means_row(results, one) for one in results.present)),
        "",
        means_note(results),
        "",
        *table(("aim", "measured", "verdict"), ((bar.aim, bar.measured, bar.verdict) for bar in bars(results, timed))),
        "",
        *difference_lines(results),
        "Log-loss on each set, mean of the splits, the best in bold:",
        "",
        *table(
            ("set", "rows x columns", "classes", *(one.title for one in results.present)),
            (set_row(results, name) for name in results.names),
        ),
    ]


def means_row(results: Results, contestant: Contestant) -> list[str]:
    """One line of the table of means; empty for a contestant that has not finished."""
    if not results.has(contestant):
        return [contestant.title, *[""] * (len(MEANS) - 1)]
    found = means(results, contestant)
    return [
        contestant.title,
        f"**{found.log_loss:.3f}**",
        f"{found.rank:.1f}",
        "" if found.near is None else str(found.near),
        f"{found.balanced_accuracy:.3f}",
        f"{found.calibration_error:.3f}",
        f"{found.features:.1f} ({found.share:.0%})",
        f"{number(found.size)} {contestant.unit}" if contestant.unit else "",
        number(found.seconds) if contestant.unit else "",
        "" if found.ratio is None or not contestant.unit else number(found.ratio),
    ]


def means_note(results: Results) -> str:
    """Say what the means are over, and what is missing."""
    counted = [results.facts(name) for name in results.counted]
    rows, columns = (sum(facts[key] for facts in counted) / max(1, len(counted)) for key in ("rows", "columns"))
    text = f"Means over {len(counted)} sets of {len(SEEDS)} splits each"
    text += f" ({rows:,.0f} rows and {columns:.1f} columns on average); size and seconds are medians over the splits."
    titles = {one.name: one.title for one in results.present}
    for name, reason in dict.fromkeys((name, reason) for (name, _), reason in results.refused.items()):
        who = [titles[other] for (refused, other), why in results.refused.items() if (refused, why) == (name, reason)]
        text += f" Left out: {name}, refused by {'; '.join(who)} (“{reason.rstrip('.')}”)."
    missing = unfinished(results, results.present)
    return text + (f" Still to be measured: {'; '.join(missing)}." if missing else "")


def difference_lines(results: Results) -> list[str]:
    """Show where our search loses and gains most against tuned XGBoost."""
    if not results.has(SEARCH, TUNED):
        return []
    lines: list[str] = []
    for words, names in zip(("loses", "gains"), largest_differences(results, most=MOST_DIFFERENCES), strict=True):
        if names:
            lines += [f"Where the search {words} most:", ""]
            lines += [*table(DIFFERENCES, (difference_row(results, name) for name in names)), ""]
    return lines


def difference_row(results: Results, name: str) -> list[str]:
    """One line of the tables of differences."""
    ours, theirs = (results.mean(one, "log_loss", name) for one in (SEARCH, TUNED))
    features, size = (results.mean(SEARCH, measure, name) for measure in ("features", "size"))
    return [
        name,
        f"{ours:.3f}",
        f"{theirs:.3f}",
        f"{ours - theirs:+.3f}",
        f"{features:.1f} of {results.facts(name)['columns']}, {size:.0f}",
        *(choices(results.cells[name, one.name]) for one in (SEARCH, TUNED)),
    ]


def choices(cells: Sequence[Cell]) -> str:
    """Write what was chosen, split by split: "trees 50, max_depth 2; trees 150, max_depth 2"."""
    return "; ".join(", ".join(f"{name} {_short(value)}" for name, value in cell["chosen"].items()) for cell in cells)


def _short(value: object) -> str:
    """Write a setting."""
    return f"{value:.2g}" if isinstance(value, float) else str(value)


def set_row(results: Results, name: str) -> list[str]:
    """One line of the table of sets."""
    facts = results.facts(name)
    losses = {
        one.name: results.mean(one, "log_loss", name) for one in results.present if (name, one.name) in results.cells
    }
    best = min(f"{loss:.3f}" for loss in losses.values())
    shown = {other: f"**{text}**" if (text := f"{loss:.3f}") == best else text for other, loss in losses.items()}
    shown |= {other: "refused" for refused, other in results.refused if refused == name}
    return [
        name,
        f"{facts['rows']:,} x {facts['columns']}",
        str(facts["classes"]),
        *(shown.get(one.name, "") for one in results.present),
    ]
