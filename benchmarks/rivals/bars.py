"""What the project set itself to reach, and whether these measurements say that it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from benchmarks.cells import Cell
from benchmarks.rivals.contestants import BEFORE, QUICK, SEARCH, SHARES, TUNED
from benchmarks.rivals.summary import NEAR, TIME, Results
from benchmarks.tables import number

QUICK_SECONDS, QUICK_LOSS, LARGEST_SHARE = 3.0, 0.35, 0.5


@dataclass(frozen=True)
class Bar:
    """One aim.

    Attributes
    ----------
    aim : str
        What is to be reached.
    measured : str
        What was measured.
    holds : bool or None
        Whether it was reached; None if not everything it needs has been measured.
    """

    aim: str
    measured: str = "not measured"
    holds: bool | None = None

    @property
    def verdict(self) -> str:
        """Say whether it holds."""
        return {True: "holds", False: "**does not hold**", None: ""}[self.holds]


def bars(results: Results, timed: Sequence[Cell]) -> list[Bar]:
    """Return every aim with its verdict.

    Parameters
    ----------
    results : Results
        What was measured on the sets.
    timed : sequence of dict
        Cells of the quick fit of 1,000 rows and 20 columns.
    """
    return [
        near_tuned(results),
        not_slower(results),
        few_columns(results),
        quick_is_quick(timed),
        never_above_shares(results),
        below_before(results),
    ]


def near_tuned(results: Results) -> Bar:
    """Compare our search with tuned XGBoost."""
    aim = f"search: mean log-loss at most {NEAR:g} above that of tuned XGBoost"
    if not results.has(SEARCH, TUNED):
        return Bar(aim)
    ours, theirs = (float(results.means(one, "log_loss").mean()) for one in (SEARCH, TUNED))
    return Bar(aim, f"{ours:.3f} against {theirs:.3f} ({ours - theirs:+.3f})", ours - theirs <= NEAR)


def not_slower(results: Results) -> Bar:
    """Compare the time of our search with what a search took before, table by table."""
    aim = "search: on no table longer than algorithm 2.2 with a second look, the default before"
    if not results.has(SEARCH, BEFORE):
        return Bar(aim)
    now, then = (
        np.array([median(cell[TIME] for cell in results.cells[name, one.name]) for name in results.counted])
        for one in (SEARCH, BEFORE)
    )
    worst = int(np.argmax(now / then))
    longer = int(np.sum(now > then))
    text = f"longer on {longer} of {len(now)} tables, at most {now[worst] / then[worst]:.2f} times"
    text += f" ({results.counted[worst]}: {number(now[worst])} s against {number(then[worst])} s)"
    return Bar(aim, f"{text}; all tables: {number(now.sum())} s against {number(then.sum())} s", longer == 0)


def few_columns(results: Results) -> Bar:
    """Look at how many columns the models of our search use."""
    aim = "search: fewer than half of the columns"
    if not results.has(SEARCH):
        return Bar(aim)
    columns = np.array([results.facts(name)["columns"] for name in results.counted])
    features = results.means(SEARCH, "features")
    share = float((features / columns).mean())
    text = f"{share:.0%} on average; {features.mean():.1f} of {columns.mean():.1f} columns"
    return Bar(aim, text, share < LARGEST_SHARE and bool(features.sum() < LARGEST_SHARE * columns.sum()))


def quick_is_quick(timed: Sequence[Cell]) -> Bar:
    """Look at the time of the quick fit."""
    aim = f"quick fit: at most {QUICK_SECONDS:g} s on 1,000 rows and 20 columns"
    if not timed or any("refused" in cell for cell in timed):
        return Bar(aim)
    slowest = max(cell[TIME] for cell in timed)
    return Bar(aim, f"{number(slowest)} s on one core, on a drawn table", slowest <= QUICK_SECONDS)


def never_above_shares(results: Results) -> Bar:
    """Compare the quick fit with saying the shares of the classes."""
    aim = f"quick fit: on no set more than {NEAR:g} above the class shares"
    if not results.has(QUICK, SHARES):
        return Bar(aim)
    differences = results.means(QUICK, "log_loss") - results.means(SHARES, "log_loss")
    worst, above = int(np.argmax(differences)), int(np.sum(differences > NEAR))
    text = f"above on {above} of {len(differences)} sets; at most {differences[worst]:+.3f} ({results.counted[worst]})"
    return Bar(aim, text, above == 0)


def below_before(results: Results) -> Bar:
    """Compare the quick fit with what a search reached before."""
    aim = f"quick fit: mean log-loss at most {QUICK_LOSS:g} and below algorithm 2.2 with a second look"
    if not results.has(QUICK, BEFORE):
        return Bar(aim)
    quick, before = (float(results.means(one, "log_loss").mean()) for one in (QUICK, BEFORE))
    return Bar(aim, f"{quick:.3f} against {before:.3f}", quick <= QUICK_LOSS and quick < before)
