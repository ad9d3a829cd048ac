"""What the cells say of each set and of each contestant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np
from scipy.stats import rankdata

from benchmarks.cells import Cell, Cells
from benchmarks.rivals.contestants import CONTESTANTS, SEARCH, TUNED, Contestant
from benchmarks.rivals.sets import SEEDS

NEAR = 0.02
TIME = "cpu_seconds"  # on one thread: what the clock would say if nobody else used the machine


@dataclass(frozen=True)
class Results:
    """What has been measured on some sets.

    Attributes
    ----------
    names : tuple of str
        The sets of which anything has been measured.
    cells : dict
        By set and name of the contestant: its cells, one per split, where all splits are finished.
    refused : dict
        By set and name of the contestant: why it refused the set.
    """

    names: tuple[str, ...]
    cells: dict[tuple[str, str], list[Cell]]
    refused: dict[tuple[str, str], str]

    @property
    def counted(self) -> tuple[str, ...]:
        """The sets that count in means: those that no contestant refused."""
        without = {name for name, _ in self.refused}
        return tuple(name for name in self.names if name not in without)

    @property
    def present(self) -> tuple[Contestant, ...]:
        """The contestants of which anything has been measured."""
        found = {contestant for _, contestant in (*self.cells, *self.refused)}
        return tuple(one for one in CONTESTANTS if one.name in found)

    @property
    def complete(self) -> tuple[Contestant, ...]:
        """The contestants that have finished every set that counts: only their means can be compared."""
        return tuple(one for one in self.present if all((name, one.name) in self.cells for name in self.counted))

    def facts(self, name: str) -> Cell:
        """Rows, columns and classes of a set, as any of its cells has them."""
        return next(found[0] for (other, _), found in self.cells.items() if other == name)

    def mean(self, contestant: Contestant, measure: str, name: str) -> float:
        """Mean of a measure over the splits of a set."""
        return fmean(cell[measure] for cell in self.cells[name, contestant.name])

    def means(self, contestant: Contestant, measure: str) -> np.ndarray:
        """Means of a measure over the splits, set by set, for the sets that count."""
        return np.array([self.mean(contestant, measure, name) for name in self.counted])

    def has(self, *contestants: Contestant) -> bool:
        """Whether all of these have finished every set that counts, and there are any."""
        return bool(self.counted) and set(contestants) <= set(self.complete)


def collect(cells: Cells, names: Sequence[str]) -> Results:
    """Collect the splits that are finished."""
    found: dict[tuple[str, str], list[Cell]] = {}
    refused: dict[tuple[str, str], str] = {}
    for name in names:
        for one in CONTESTANTS:
            splits = [cells[key] for seed in SEEDS if (key := f"{name}/{seed}/{one.name}") in cells]
            reasons = [cell["refused"] for cell in splits if "refused" in cell]
            if reasons:
                refused[name, one.name] = reasons[0]
            elif len(splits) == len(SEEDS):
                found[name, one.name] = splits
    begun = {name for name, _ in found}
    return Results(tuple(name for name in names if name in begun), found, refused)


@dataclass(frozen=True)
class Means:
    """A contestant in one line, over the sets that count.

    Attributes
    ----------
    log_loss, balanced_accuracy, calibration_error : float
        Means over the sets.
    rank : float
        Mean rank by log-loss among the contestants that finished every set; 1 is the best.
    near : int or None
        Sets on which its log-loss is at most 0.02 above that of tuned XGBoost; None while that is not measured.
    features, share : float
        Columns that the model looks at, and their share, means over the sets.
    size : float
        Median over all splits.
    seconds : float
        Median over all splits.
    ratio : float or None
        Median, over all splits, of its seconds to those of our search; None while that is not measured.
    """

    log_loss: float
    balanced_accuracy: float
    calibration_error: float
    rank: float
    near: int | None
    features: float
    share: float
    size: float
    seconds: float
    ratio: float | None


def ranks(results: Results) -> dict[str, float]:
    """Return the mean rank by log-loss of each contestant that finished every set."""
    losses = np.array([results.means(one, "log_loss") for one in results.complete])
    placed = rankdata(losses, axis=0).mean(axis=1)
    return {one.name: float(rank) for one, rank in zip(results.complete, placed, strict=True)}


def means(results: Results, contestant: Contestant) -> Means:
    """Return one line of the table of means."""
    losses = results.means(contestant, "log_loss")
    near = ratio = None
    if results.has(TUNED):
        near = int(np.sum(losses <= results.means(TUNED, "log_loss") + NEAR))
    if results.has(SEARCH):
        pairs = zip(splits(results, contestant), splits(results, SEARCH), strict=True)
        ratio = median(cell[TIME] / other[TIME] for cell, other in pairs)
    columns = np.array([results.facts(name)["columns"] for name in results.counted])
    features = results.means(contestant, "features")
    return Means(
        log_loss=float(losses.mean()),
        balanced_accuracy=float(results.means(contestant, "balanced_accuracy").mean()),
        calibration_error=float(results.means(contestant, "calibration_error").mean()),
        rank=ranks(results)[contestant.name],
        near=near,
        features=float(features.mean()),
        share=float((features / columns).mean()),
        size=median(cell["size"] for cell in splits(results, contestant)),
        seconds=median(cell[TIME] for cell in splits(results, contestant)),
        ratio=ratio,
    )


def splits(results: Results, contestant: Contestant) -> list[Cell]:
    """Return the cells of every split of every set that counts."""
    return [cell for name in results.counted for cell in results.cells[name, contestant.name]]


def largest_differences(results: Results, *, most: int) -> tuple[list[str], list[str]]:
    """Return the sets on which our search loses most against tuned XGBoost, and those on which it gains most."""
    differences = results.means(SEARCH, "log_loss") - results.means(TUNED, "log_loss")
    order = [results.counted[index] for index in np.argsort(-differences)]
    above = {name for name, value in zip(results.counted, differences, strict=True) if value > 0.0}
    losses = [name for name in order if name in above]
    gains = [name for name in reversed(order) if name not in above]
    return losses[:most], gains[:most]


def versions(results: Results) -> dict[str, str]:
    """Return the versions that the contestants ran with; the newest cell of a contestant counts."""
    found: dict[str, str] = {}
    for cells in results.cells.values():
        found |= cells[-1]["versions"]
    return found


def unfinished(results: Results, contestants: Iterable[Contestant]) -> list[str]:
    """Say of which contestants sets are missing, and how many."""
    lines = []
    for one in contestants:
        missing = [name for name in results.counted if (name, one.name) not in results.cells]
        if missing:
            lines.append(f"{one.title}: {len(missing)} of {len(results.counted)} sets")
    return lines
