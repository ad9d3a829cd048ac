"""The small map of a case in the review: some known cases behind, its neighbours and leading prototypes before them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.services.maps.map import axis_words
from proset.common.spread import spread_places
from proset.explain.maps.map import batch_map
from proset.explain.numbers.map import number_map
from proset.study import NumberStudy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from proset.explain.maps.map import BatchMap
    from proset.explain.numbers.map import NumberMap
    from proset.study.any_study import AnyStudy

MOST_POINTS = 160
"""Known cases behind; each more of them is sent to the browser, and tells little."""
_MIDDLE = (2.0, 98.0)  # per cent of the known cases that give the scale; others may lie outside and are not drawn
_DIGITS = 3
_NO_CLASS = -1
FIRST_HUE, N_HUES = 2, 5
"""Of fifths of the numbers, among the hues of a queue."""

Place = tuple[float, float, int]
"""Coordinates on the map, where the known cases spread over about one, and position of the class; -1 where hidden."""


@dataclass(frozen=True, eq=False)
class SmallMap:
    """Map of a model on which cases are drawn.

    Attributes
    ----------
    points : tuple of (float, float, int)
        Some known cases.
    words : str
        What a person should know of it.
    place : callable
        Returns the coordinates of some rows of the table, shape (n, 2).
    """

    points: tuple[Place, ...]
    words: str
    place: Callable[[Iterable[int]], NDArray[np.float64]]

    def ground(self, *, blind: bool) -> dict[str, Any]:
        """Return what lies behind all cases, as JSON types; blind, without classes."""
        return {"points": [[x, y, _NO_CLASS if blind else k] for x, y, k in self.points], "words": self.words}


def small_map(study: AnyStudy) -> SmallMap | None:
    """Map known cases of a study by one of its batches; None where there is nothing to draw a map from.

    Of a number, what is called a class here is the hue of a fifth of the numbers, see :func:`fifths`.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = small_map(fit_sample("iris_2f"))
    >>> len(found.points) > 50, found.place([1]).shape, found.ground(blind=True)["points"][0][2]
    (True, (1, 2), -1)
    """
    if isinstance(study, NumberStudy):
        return _of_number(study)
    labels = study.labels.loc[pd.Index(study.split.train)]
    rows = _spread(study, labels.to_numpy(dtype=str))
    mapping = batch_map(study, cases=rows)
    plane = mapping.plane
    if plane is None:
        return None

    def transformed(asked: Iterable[int]) -> NDArray[np.float64]:
        return _coordinates(mapping.transform(study.encode(asked).X), plane.ratio)

    codes = pd.Index(study.classes).get_indexer(pd.Index(labels.loc[pd.Index(rows)]))
    return _drawn(rows, codes, transformed, mapping, study.model.set_manager_.num_batches)


def _of_number(study: NumberStudy) -> SmallMap | None:
    """Map known cases of a number."""
    mapping = number_map(study)
    plane = mapping.plane
    if plane is None:
        return None

    def transformed(asked: Iterable[int]) -> NDArray[np.float64]:
        return _coordinates(mapping.points.loc[list(asked), ["x", "y"]].to_numpy(dtype=np.float64), plane.ratio)

    numbers = study.targets.loc[pd.Index(study.split.train)].to_numpy(dtype=np.float64)
    rows = _spread(study, numbers)
    codes = fifths(study).loc[pd.Index(rows)].to_numpy()
    return _drawn(rows, codes, transformed, mapping, study.model.set_manager_.num_batches)


def fifths(study: NumberStudy) -> pd.Series:
    """Return the hue of every row by the fifth of the training numbers in which its own lies, index row.

    Hues are counted from 2: the queue has one for known cases and one for what the model says before them.
    """
    known = study.targets.loc[pd.Index(study.split.train)]
    ends = known.quantile([0.2, 0.4, 0.6, 0.8]).to_numpy(dtype=np.float64)
    places = np.searchsorted(ends, study.targets.to_numpy(dtype=np.float64), side="right")
    return pd.Series(np.minimum(places, len(ends)) + FIRST_HUE, index=study.targets.index)


def _drawn(
    rows: NDArray[np.int64],
    codes: NDArray[np.int64],
    transformed: Callable[[Iterable[int]], NDArray[np.float64]],
    mapping: BatchMap | NumberMap,
    batches: int,
) -> SmallMap:
    """Return the map of some known cases."""
    known = transformed(rows)
    middle = np.median(known, axis=0)
    low, high = np.percentile(known, _MIDDLE, axis=0)
    scale = float((high - low).max()) or 1.0

    def place(asked: Iterable[int]) -> NDArray[np.float64]:
        return np.round((transformed(asked) - middle) / scale, _DIGITS)

    near = ((known >= low) & (known <= high)).all(axis=1)
    spots = np.round((known - middle) / scale, _DIGITS)
    points = tuple((float(x), float(y), int(k)) for (x, y), k in zip(spots[near], codes[near], strict=True))
    whose = f"It is the map of batch {mapping.prototypes['batch'].iloc[0]} of {batches}." if batches > 1 else ""
    words = " ".join(filter(None, (mapping.message or axis_words(mapping), whose)))
    return SmallMap(points, words, place)


def on_map(
    made: SmallMap,
    row: int,
    near: dict[int, int],
    leading: dict[int, int],
    *,
    blind: bool,
) -> dict[str, Any]:
    """Return a case with those around it as JSON types.

    Parameters
    ----------
    row : int
        The case.
    near, leading : dict of int to int
        Row ids of its nearest known cases and of its leading prototypes, with the positions of their classes.
    blind : bool
        Whether classes stay hidden, and prototypes, since they lead to what is said.
    """

    def spots(some: dict[int, int]) -> list[list[float]]:
        there = made.place(some).tolist() if some else []
        return [[x, y, _NO_CLASS if blind else k, at] for (x, y), (at, k) in zip(there, some.items(), strict=True)]

    return {"here": made.place([row])[0].tolist(), "near": spots(near), "leading": [] if blind else spots(leading)}


def _coordinates(found: NDArray[np.float64], ratio: float) -> NDArray[np.float64]:
    """Let both axes count alike."""
    return found * np.array([1.0, ratio])


def _spread(study: AnyStudy, labels: NDArray[Any]) -> NDArray[np.int64]:
    """Return some training rows, evenly spread over what they are labelled with and over rows."""
    train = study.split.train
    order = np.lexsort((train, labels))
    chosen = spread_places(len(train), MOST_POINTS)
    found: NDArray[np.int64] = train[order[chosen]].astype(np.int64)
    return found
