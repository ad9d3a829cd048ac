"""What the finished cells say: accuracies by set and classifier, and means over sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.smp_tables.published import COLUMNS, TABLE_1, TABLE_1_OTHERS, Published


@dataclass(frozen=True)
class Found:
    """All that was measured.

    Attributes
    ----------
    first, further : dict
        Accuracies by set and contestant, one entry per split: the five of the protocol, and others.
    every : dict
        By set, shape (splits, settings): accuracy of every setting of the search on the rows left out.
    others : dict
        By set and name, accuracies of the paper's other classifiers in the five splits.
    seconds : float
        Processor time of all fits.
    """

    first: dict[str, dict[str, list[float]]]
    further: dict[str, dict[str, list[float]]]
    every: dict[str, np.ndarray]
    others: dict[str, dict[str, list[float]]]
    seconds: float

    @property
    def names(self) -> list[str]:
        """Sets that have something, as in the paper's table."""
        return [name for name in TABLE_1 if name in self.first]

    def mean(self, contestant: str, *, further: bool = False) -> float:
        """Return the mean over sets of the mean over splits; nan if one is missing."""
        found = self.further if further else self.first
        return _mean([found.get(name, {}).get(contestant, ()) for name in self.names])

    def groups(self, contestant: str, size: int = 5) -> list[float]:
        """Return means over sets by group of so many splits, the first ones first; empty if a set lacks them."""
        sets = []
        for name in self.names:
            first = self.first[name].get(contestant, [])
            sets.append(first + self.further.get(name, {}).get(contestant, []) if first else [])
        n_splits = min((len(values) for values in sets), default=0)
        return [_mean([values[i : i + size] for values in sets]) for i in range(0, n_splits - size + 1, size)]

    def side_by_side(self, other: str) -> tuple[float, float]:
        """Return means of another classifier, published and ours, over the sets on which ours did not refuse."""
        names = [name for name in self.names if other in self.others.get(name, {})]
        column = COLUMNS.index(other)
        return _mean([[TABLE_1_OTHERS[name][column]] for name in names]), _mean(
            [self.others[name][other] for name in names]
        )

    def best_other(self, name: str) -> tuple[float, str]:
        """Return the highest mean of the other classifiers on a set, after the fact, and whose it is; nan if none."""
        means = {other: float(np.mean(values)) for other, values in self.others.get(name, {}).items()}
        if not means:
            return math.nan, ""
        best = max(means.values())
        return best, ", ".join(other for other, mean in means.items() if mean > best - 5e-4)

    def known_in_advance(self, name: str | None = None) -> tuple[float, float]:
        """Return means with settings chosen by the test halves: one for all splits of a set, or each its own.

        Of one set, or over all of them; nan where one is missing.
        """
        names = self.names if name is None else [name]
        sets = [self.every[each] for each in names if each in self.every]
        if len(sets) < len(names):
            return math.nan, math.nan
        return _mean([[each.mean(axis=0).max()] for each in sets]), _mean([each.max(axis=1) for each in sets])

    def without(self, name: str) -> Found:
        """Return the same without one set."""
        parts = ({key: value for key, value in part.items() if key != name} for part in self._parts())
        return Found(*parts, self.seconds)

    def farthest_below(self, contestant: str) -> str:
        """Return the set on which a contestant lies farthest below the published figure."""
        return min(self.names, key=lambda name: _mean([self.first[name][contestant]]) - TABLE_1[name].accuracy)

    def _parts(self) -> tuple[dict[str, Any], ...]:
        """Return what is kept by set."""
        return self.first, self.further, self.every, self.others


def collect(cells: Mapping[str, Mapping[str, Any]]) -> Found:
    """Sort the cells, whose keys read set/contestant/block."""
    found = Found({}, {}, {}, {}, float(sum(cell["seconds"] for cell in cells.values())))
    for key, cell in cells.items():
        name, contestant, block = key.split("/")
        if contestant == "every":
            found.every[name] = np.array(cell["accuracy"])
        elif contestant == "others":
            found.others[name] = cell["accuracy"]
        else:
            of_block = found.further if block != "0" else found.first
            of_block.setdefault(name, {}).setdefault(contestant, []).extend(cell["accuracy"])
    return found


def published_mean(names: Sequence[str]) -> float:
    """Return the mean of the published accuracies of some sets."""
    return float(np.mean([TABLE_1[name].accuracy for name in names]))


def deviation(told: Published, values: Sequence[float]) -> float:
    """Return how far a mean lies from the published one, in standard deviations over splits, the larger of the two."""
    return float((np.mean(values) - told.accuracy) / max(told.sd, float(np.std(values, ddof=1))))


def _mean(sets: Sequence[Sequence[float] | np.ndarray]) -> float:
    """Return the mean of means."""
    return float(np.mean([np.mean(values) if len(values) else math.nan for values in sets])) if sets else math.nan
