"""Refits of a study under other seeds and splits, whatever its target is: seeds, progress, weights of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd

from proset.common.errors import StudyError
from proset.common.notebook import Displayed
from proset.common.words import count_words
from proset.data.split import LARGEST_SEED
from proset.engine.fit_progress import FitProgress
from proset.explain.plain_values import AllPlain
from proset.explain.structure.features import feature_weights
from proset.selection import Cancelled
from proset.study.any_study import AnyStudy
from proset.study.base import StudyBase
from proset.study.several_fits import FitsProgress, teller

R = TypeVar("R")
N_REPEATS = 10
FEWEST, MOST = 2, 100


@dataclass(frozen=True, eq=False)
class RefitComparison(AllPlain, Displayed):
    """Agreement of a model with refits under other seeds and other splits, whatever its target is.

    Attributes
    ----------
    study_id : str
        The model that was fitted again.
    new_splits : bool
        Whether the refits held out other rows; a split by time has no other.
    rows : DataFrame
        Index ``row``, all rows of the table.
    features : DataFrame
        Index ``feature``: ``used`` (by this model), ``share`` (of the refits that use it), ``low``, ``median``,
        ``high`` (weight over the refits, 0 where it has none); the most used first.
    refits : DataFrame
        Index ``refit`` from 1: ``seed``, quality on the rows held out in it, ``features`` and ``prototypes`` (numbers
        of both).
    """

    study_id: str
    new_splits: bool
    rows: pd.DataFrame
    features: pd.DataFrame
    refits: pd.DataFrame

    @property
    def n_refits(self) -> int:
        """Number of refits."""
        return len(self.refits)

    @property
    def what(self) -> str:
        """Difference of the refits in words, to follow "with"."""
        return "other seeds and splits" if self.new_splits else "other seeds"

    @property
    def refit_words(self) -> str:
        """Number of refits and their difference, such as "10 refits with other seeds"."""
        return f"{count_words(self.n_refits, 'refit')} with {self.what}"

    @property
    def used_words(self) -> str:
        """Share of the features in use that always have a weight, in words; empty where none is in use."""
        used = int(self.features["used"].sum())
        always = int((self.features["share"].eq(1.0) & self.features["used"]).sum())
        return f"Of the {count_words(used, 'feature')} in use, {always:,} had a weight in every refit." if used else ""

    def case_words(self, row: int) -> str:
        """Say how a row of the table fared, in one to three sentences; empty if there is no such row."""
        raise NotImplementedError

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`rows` with the row ids as a column."""
        return self.rows.reset_index()


def seeds_of(study: StudyBase, n_repeats: int, random_states: Sequence[int] | None) -> list[int]:
    """Return one seed per refit: those that are stated, or numbers that the study has not used.

    Raises
    ------
    StudyError
        If there are too few or too many.
    """
    first = max(study.split.settings.seed, study.settings.random_state) + 1
    usual = [(first + i) % (LARGEST_SEED + 1) for i in range(max(0, n_repeats))]
    wanted = usual if random_states is None else [int(seed) for seed in random_states]
    if not FEWEST <= len(wanted) <= MOST:
        told = f"{len(wanted):,} refits are asked for; it has to be from {FEWEST} to {MOST}."
        raise StudyError(told, hint="10 is a good start.")
    return wanted


def each_refit(
    seeds: Sequence[int],
    compare: Callable[[int, Callable[[FitProgress], None]], R],
    progress: Callable[[FitsProgress], None] | None,
    cancel: Callable[[], bool] | None,
) -> list[R]:
    """Return what is kept of the refit with each seed; of those that are finished, once it is cancelled.

    Parameters
    ----------
    compare : callable
        Fits with a seed, reporting to what it is given, and returns what is kept.

    Raises
    ------
    Cancelled
        If it is cancelled before two refits are finished.
    """
    found: list[R] = []
    for number, seed in enumerate(seeds):
        try:
            found.append(compare(seed, teller(progress, cancel, number, len(seeds))))
        except Cancelled:
            if len(found) < FEWEST:
                raise
            break
    return found


def weight_table(study: AnyStudy, refits: Sequence[pd.Series]) -> pd.DataFrame:
    """Return how often each feature is used, and how much.

    Parameters
    ----------
    refits : sequence of Series
        Weights of the features of each refit, index feature.

    Returns
    -------
    DataFrame
        Index ``feature``: ``used`` (by the study), ``share`` (of the refits that use it), ``low``, ``median``, ``high``
        (weight over the refits, 0 where it has none); the most used first.
    """
    features = list(study.roles.features)
    weights = np.stack([weights.reindex(features).fillna(0.0).to_numpy(dtype=np.float64) for weights in refits])
    used = set(feature_weights(study).weights.index)
    frame = pd.DataFrame(
        {
            "used": [name in used for name in features],
            "share": (weights > 0.0).mean(axis=0),
            "low": weights.min(axis=0),
            "median": np.median(weights, axis=0),
            "high": weights.max(axis=0),
        },
        index=pd.Index(features, dtype="str", name="feature"),
    )
    return frame.sort_values(["share", "median"], ascending=False, kind="stable")
