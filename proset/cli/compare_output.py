"""Output of ``proset compare``, whether the target is a class or a number."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from proset.cli.quality import wrapped
from proset.cli.terminal import say
from proset.common.words import count_words, shown

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from proset.compare import MetricTable, NumberTable, SystemResult
    from proset.compare.numbers.number_result import NumberSystemResult

CSV, XLSX, JSON = ".csv", ".xlsx", ".json"
Measures = Sequence[tuple[str, str, Callable[[float], str]]]
"""Heading, name in the table, and how a value is written, of each measure that is printed."""
_WIDTH, _NARROWEST = 26, 14


def say_measures(table: MetricTable | NumberTable, measures: Measures, naive: pd.Series | None = None) -> None:
    """Print the measures over the folds, then on the held-out rows; `naive` has those of the class shares, if any."""
    lines, titles = [line for _, line in table.frame.iterrows()], list(table.frame["title"])
    equivalent = table.frame["equivalent"].fillna(False).astype(bool)
    marked = [f"{title} *" if found else title for title, found in zip(titles, equivalent, strict=True)]
    if naive is not None:
        lines.append(naive)
        for names in (titles, marked):
            names.append("class shares alone")
    means, held_out = ([_cells(line, measures, what) for line in lines] for what in ("mean", "held_out"))
    widths = [max(_NARROWEST, *(len(line[j]) for line in [*means, *held_out])) for j in range(len(measures))]
    folds, rows = count_words(table.n_folds, "fold"), count_words(table.n_rows, "training row")
    say(f"Over {folds} of {rows}, mean ± sd (* equivalent)")
    _say_lines(marked, means, measures, widths)
    say(f"\nOn {table.n_measured:,} {table.which}")
    _say_lines(titles, held_out, measures, widths)


def _say_lines(titles: list[str], cells: list[list[str]], measures: Measures, widths: list[int]) -> None:
    """Print one block of measures under their headings."""
    headings = [heading for heading, _, _ in measures]
    for title, line in zip(["", *titles], [headings, *cells], strict=True):
        say(f"  {title:<{_WIDTH}}" + "".join(f"  {cell:>{width}}" for cell, width in zip(line, widths, strict=True)))


def _cells(line: pd.Series, measures: Measures, what: str) -> list[str]:
    """Return the measures of a system as text; means have their standard deviation over the folds beside them."""
    values = [(float(line[f"{name}_{what}"]), float(line[f"{name}_sd"]), write) for _, name, write in measures]
    return [
        "-" if math.isnan(value) else f"{write(value)} ± {write(sd)}" if what == "mean" else write(value)
        for value, sd, write in values
    ]


def say_words(sentences: Iterable[str], systems: Iterable[SystemResult | NumberSystemResult]) -> None:
    """Print sentences that are not empty, and after them why systems failed and what is to be noted of each."""
    for sentence in filter(None, sentences):
        say(wrapped(sentence))
    for entry in systems:
        for words in filter(None, (entry.failed, *entry.notes)):
            say(wrapped(f"{entry.title}: {shown(words, 300)}"))


def write_comparison(
    output: Path,
    *,
    json: Callable[[], bytes],
    sheets: Callable[[], dict[str, pd.DataFrame]],
    summary: Callable[[], pd.DataFrame],
) -> None:
    """Write a comparison in the form that the ending says; only that one is made."""
    from proset.common.cells import write_csv
    from proset.common.files import replacing
    from proset.explain.sheets.workbook import write_workbook

    ending = output.suffix.lower()
    with replacing(output) as draft:
        if ending == JSON:
            draft.write_bytes(json())
        elif ending == XLSX:
            write_workbook(sheets(), draft)
        else:
            with draft.open("w", encoding="utf-8", newline="") as stream:
                write_csv(summary().reset_index(), stream)
