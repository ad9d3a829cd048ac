"""Refits of a study under other seeds and splits, whatever its target is: seeds, progress, weights of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from proset.common.errors import StudyError
from proset.data.split import LARGEST_SEED
from proset.engine.fit_progress import FitProgress
from proset.explain.structure.features import feature_weights
from proset.selection import Cancelled
from proset.study.any_study import AnyStudy
from proset.study.base import StudyBase

N_REPEATS = 10
FEWEST, MOST = 2, 100


@dataclass(frozen=True)
class StabilityProgress:
    """Progress of the refits.

    Attributes
    ----------
    refit, n_refits : int
        The refit under way, from 1, and all of them.
    share : float
        Share of the work done, in [0, 1].
    """

    refit: int
    n_refits: int
    share: float


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


def teller(
    progress: Callable[[StabilityProgress], None] | None, cancel: Callable[[], bool] | None, done: int, total: int
) -> Callable[[FitProgress], None]:
    """Return what a fit reports to."""

    def tell(now: FitProgress) -> None:
        if cancel is not None and cancel():
            raise Cancelled
        if progress is not None:
            progress(StabilityProgress(done + 1, total, (done + now.share) / total))

    return tell


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
