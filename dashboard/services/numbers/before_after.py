"""A model of a number before and after it has listened, in words and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dashboard.services.guidance import turnover_words
from proset.common.words import alike, count_words, percent, plus_minus, rough, to_decimals
from proset.explain.numbers.contrasts import to_width
from proset.study.number_before_after import CRPS, ERROR, INSIDE, WIDTH

if TYPE_CHECKING:
    from proset.study.number_before_after import NumberBeforeAfter

_WHERE = {
    "untouched": "On held-out rows that nobody reviews",
    "quality": "On held-out rows",
    "corrected": "On held-out rows, numbers as corrected",
}
REVIEWED = tuple(_WHERE)
"""Views of the held-out rows that are shown after a review."""
_MEASURES = {
    ERROR: "mean absolute error",
    CRPS: "mean CRPS (distributions are off by)",
    INSIDE: "inside the interval of 90 %",
    WIDTH: "mean width of the interval",
}


def quality_frame(change: NumberBeforeAfter, which: str = "quality") -> pd.DataFrame:
    """Return quality before and after as people read it.

    Parameters
    ----------
    which : str
        One of :data:`REVIEWED`: the held-out rows that nobody reviews, all of them, or all with corrected numbers.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> line = {"before": 0.9, "after": 0.95, "difference": 0.05, "low": -0.02, "high": 0.12}
    >>> frame = quality_frame(SimpleNamespace(quality=pd.DataFrame({INSIDE: line}).T))
    >>> frame.loc[0].tolist()
    ['inside the interval of 90 %', '90.0 %', '95.0 %', '+5.0 (−2.0 to +12.0) points']
    """
    found: pd.DataFrame = getattr(change, which)
    return pd.DataFrame([_line(str(name), line, _WHERE[which]) for name, line in found.iterrows()])


def _line(name: str, line: pd.Series, where: str) -> dict[str, str]:
    """Return one measure."""
    ends = [float(line[what]) for what in ("difference", "low", "high")]
    if name == INSIDE:
        change, low, high = (plus_minus(100.0 * one, 1) for one in ends)
        values = [percent(float(line[what])) for what in ("before", "after")]
        apart = f"{change} ({low} to {high}) points"
    else:
        change, low, high = alike(ends, sign=True)
        width = abs(float(line["difference"]))  # digits by which the two differ
        numbers = [float(line[what]) for what in ("before", "after")]
        texts = [to_width(value, width, digits=2) if width else rough(value) for value in numbers]
        decimals = max(len(text.partition(".")[2]) for text in texts)  # the same, or one could not tell them apart
        values = [to_decimals(value, decimals) for value in numbers]
        apart = f"{change} ({low} to {high})"
    return {where: _MEASURES[name], "Before": values[0], "After": values[1], "Difference, 95 %": apart}


def sentences(change: NumberBeforeAfter, target: str, *, reviewed: bool = False) -> list[str]:
    """Say what has become of it: errors, medians, prototypes, columns; after a review, errors where nobody reviews.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> line = {"before": 9.0, "after": 8.0, "difference": -1.0, "low": -1.8, "high": -0.2}
    >>> moved = pd.DataFrame({"before": [1.0, 2.0], "after": [3.0, 2.0]})
    >>> found = SimpleNamespace(n_rows=2, quality=pd.DataFrame({CRPS: line}).T, moved=moved, prototypes_gained=(),
    ...                         prototypes_lost=(), columns_gained=("age",), columns_lost=(), columns_idle=())
    >>> for one in sentences(found, "price"):
    ...     print(one)
    On the 2 held-out rows, the distributions of price are less far off than before (CRPS).
    Their medians moved by 1 on average, by 2 at most.
    1 column used now: 'age'.
    """
    if not change.n_rows:
        return ["No row is held out, so nothing can be said of its quality.", *turnover_words(change)]
    apart = reviewed and not change.untouched.empty
    quality = change.untouched if apart else change.quality
    line = quality.loc[CRPS].astype(float)
    where = _WHERE["untouched"] if apart else f"On the {count_words(change.n_rows, 'held-out row')}"
    if line["low"] <= 0.0 <= line["high"]:
        first = f"{where}, no difference in how far the distributions of {target} are off can be told from chance."
    else:
        which = "less far off" if line["difference"] < 0.0 else "farther off"
        first = f"{where}, the distributions of {target} are {which} than before (CRPS)."
    moves = (change.moved["after"] - change.moved["before"]).abs().to_numpy(dtype=np.float64)
    second = f"Their medians moved by {rough(float(moves.mean()))} on average, by {rough(float(moves.max()))} at most."
    return [first, *_inside_words(quality), second, *turnover_words(change)]


def _inside_words(quality: pd.DataFrame) -> list[str]:
    """Say what became of the intervals, if more or fewer of them hold their number than by chance."""
    line = quality.reindex([INSIDE]).astype(float).iloc[0]
    if not (line["low"] > 0.0 or line["high"] < 0.0):
        return []
    after, before = percent(line["after"]), percent(line["before"])
    return [f"Their intervals of 90 % hold {after} of the numbers, {before} before."]


def moved_frame(change: NumberBeforeAfter) -> pd.DataFrame:
    """Return the held-out rows whose median moved, those first that moved most."""
    found = change.moved[change.moved["before"] != change.moved["after"]].reset_index()
    for name in ("inside_before", "inside_after"):
        found[name] = found[name].map({True: "yes", False: "no"})
    return found
