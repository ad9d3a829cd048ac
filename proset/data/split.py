"""Which rows a model learns from and which are held out to judge it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.data.target import check_classes

SMALLEST_FRACTION, LARGEST_FRACTION = 0.1, 0.5
LARGEST_SEED = 2**32 - 1

# Condition (2.14) of the report: with half of a class as candidates, a class needs three training rows.
_FEWEST_TRAINING_ROWS = 3


@dataclass(frozen=True)
class SplitSettings:
    """How to split the rows.

    Attributes
    ----------
    test_fraction : float
        Share of each class that is held out, from 0.1 to 0.5.
    seed : int
        Start of the random stream, from 0 to 2**32 - 1; the same seed gives the same split.

    Raises
    ------
    StudyError
        If a value is outside its range.

    Examples
    --------
    >>> SplitSettings(test_fraction=0.25).test_fraction
    0.25
    """

    test_fraction: float = 0.3
    seed: int = 0

    def __post_init__(self) -> None:
        fraction, seed = self.test_fraction, self.seed
        number = isinstance(fraction, (int, float, np.floating)) and math.isfinite(fraction)
        if not number or not SMALLEST_FRACTION <= fraction <= LARGEST_FRACTION:
            raise StudyError(
                f"The share of held-out rows is {fraction!r};"
                f" it has to be from {SMALLEST_FRACTION} to {LARGEST_FRACTION}.",
                hint="0.3 is a good start.",
            )
        whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
        if not whole or not 0 <= seed <= LARGEST_SEED:
            raise StudyError(
                f"The seed of the split is {seed!r}; it has to be a whole number from 0 to {LARGEST_SEED}.",
                hint="0 is a good start.",
            )


@dataclass(frozen=True, eq=False)
class Split:
    """The rows of a table in three parts.

    Attributes
    ----------
    train, held_out, unlabelled : ndarray of int64
        Row ids, ascending; together all rows, each once. Unlabelled rows have no target value and are set aside.
    settings : SplitSettings
        How the split was made.
    """

    train: NDArray[np.int64]
    held_out: NDArray[np.int64]
    unlabelled: NDArray[np.int64]
    settings: SplitSettings


def split_rows(labels: pd.Series, settings: SplitSettings | None = None) -> Split:
    """Split rows at random, class by class.

    Every class gives its share of held-out rows, rounded, but at least one, and keeps at least three for training.
    scikit-learn's stratified splitters share out the total over classes and can leave a small class without a
    held-out row, which is why the few lines are written out here.

    Parameters
    ----------
    labels : Series of str
        Class labels, index row; missing where the row has none.
    settings : SplitSettings or None
        None takes the defaults.

    Returns
    -------
    Split
        Depends on labels, row ids and settings only, not on the order of the rows.

    Raises
    ------
    RoleError
        If there are fewer than two classes, or a class has too few rows.

    Examples
    --------
    >>> labels = pd.Series(["a"] * 10 + ["b"] * 10 + [None], index=range(1, 22))
    >>> split = split_rows(labels, SplitSettings(test_fraction=0.3))
    >>> len(split.train), len(split.held_out), split.unlabelled.tolist()
    (14, 6, [21])
    """
    settings = settings or SplitSettings()
    check_classes(labels)
    rows = labels.index.to_numpy(dtype=np.int64)
    labelled = labels.notna().to_numpy()
    order = np.argsort(rows[labelled], kind="stable")
    ids = rows[labelled][order]
    codes, classes = pd.factorize(labels[labelled].to_numpy(dtype=object)[order], sort=True)
    rng = np.random.default_rng(settings.seed)
    held_out = np.zeros(len(ids), dtype=bool)
    for code in range(len(classes)):
        members = rng.permutation(np.flatnonzero(codes == code))
        share = math.floor(settings.test_fraction * len(members) + 0.5)
        held_out[members[: min(max(share, 1), len(members) - _FEWEST_TRAINING_ROWS)]] = True
    return Split(ids[~held_out], ids[held_out], np.sort(rows[~labelled]), settings)
