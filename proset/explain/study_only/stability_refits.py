"""Stability of decisions, features and dominant sets when a model is fitted again with other seeds and splits."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.spread import spread_out
from proset.data.split import split_rows
from proset.engine.evidence.dominant_set import dominant_set
from proset.engine.fit_progress import FitProgress
from proset.explain.structure.features import feature_weights
from proset.explain.study_only.refits import N_REPEATS, each_refit, seeds_of, weight_table
from proset.explain.study_only.stability_result import REFIT_COLUMNS, Stability
from proset.explain.subject import study_of
from proset.study import Study
from proset.study.find_row import row_ids
from proset.study.fit import fit_problem, make_problem
from proset.study.several_fits import FitsProgress

MOST_OVERLAPS = 500
"""Held-out rows whose dominant sets are compared at most."""

_BLOCK = 2_000_000  # similarities at once


def stability(
    study: Study,
    *,
    n_repeats: int = N_REPEATS,
    random_states: Sequence[int] | None = None,
    cases: Iterable[int] = (),
    progress: Callable[[FitsProgress], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Stability:
    """Fit a model again with other seeds and other splits, and compare.

    Each refit keeps roles and settings, those that a search has found included; its seed draws the candidates, and
    which rows are held out unless they are the latest. It takes about as long as `n_repeats` fits.

    Parameters
    ----------
    study : Study
        A fitted study; it does not change. A model alone keeps no table to divide anew.
    n_repeats : int
        How often it is fitted again, from 2 to 100; not used if `random_states` are given.
    random_states : sequence of int or None
        One per refit; None for the numbers that follow those of the study.
    cases : iterable of int
        Row ids whose dominant sets are compared in any case; else those of at most 500 held-out rows are.
    progress : callable or None
        Receives a :class:`FitsProgress`, often; raising from it ends the work.
    cancel : callable or None
        Asked often; once it returns True, the refits that are finished are compared.

    Raises
    ------
    TypeError
        If a model is given instead of a study.
    StudyError
        If there are too few or too many refits, or a row is not in the table.
    Cancelled
        If it is cancelled before two refits are finished.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = stability(fit_sample("iris_2f"), n_repeats=2)
    >>> found.n_refits, len(found.rows), found.features["share"].tolist()
    (2, 150, [1.0, 1.0])
    """
    study = study_of(study, "stability")
    wanted = seeds_of(study, n_repeats, random_states)
    looked_at = _looked_at(study, cases)
    own_sets = _dominant_rows(study, study, looked_at)

    def compare(seed: int, tell: Callable[[FitProgress], None]) -> _Refit:
        return _compare(study, _fit_again(study, seed, tell), seed, own_sets, looked_at)

    return _summary(study, each_refit(wanted, compare, progress, cancel), looked_at)


@dataclass(frozen=True, eq=False)
class _Refit:
    """Results of one refit: `said` is a position among the study's classes, `probability` that of its own class."""

    said: NDArray[np.int64]
    probability: NDArray[np.float64]
    held_out: NDArray[np.bool_]
    overlap: NDArray[np.float64]
    weights: pd.Series
    line: tuple[float, ...]


def _looked_at(study: Study, cases: Iterable[int]) -> NDArray[np.int64]:
    """Return the rows whose dominant sets are compared."""
    rows = study.split.measured
    spread = spread_out(rows, MOST_OVERLAPS)
    extra = row_ids(cases)
    study.encode(extra)  # refuses what is not in the table
    return np.union1d(spread, extra)


def _fit_again(study: Study, seed: int, tell: Callable[[FitProgress], None]) -> Study:
    """Fit the same recipe with another seed; what the fit warns of shows in the comparison."""
    split = split_rows(study.table_labels, replace(study.split.settings, seed=seed), frame=study.table.frame)
    # Rows that this split holds out are measured against the table, whatever was said of them.
    problem = make_problem(study.table, study.roles, split, study.guidance.within(split.train))
    settings = replace(study.settings, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit_problem(problem, settings, progress=tell, started=time.perf_counter())


def _compare(study: Study, again: Study, seed: int, own_sets: list[set[int]], looked_at: NDArray[np.int64]) -> _Refit:
    """Keep of a refit what the summary needs."""
    probabilities = again.probabilities.reindex(columns=list(study.classes), fill_value=0.0).to_numpy()
    own = study.probabilities.to_numpy().argmax(axis=1)
    index = study.table.frame.index
    held_out = np.zeros(len(index), dtype=bool)
    held_out[index.get_indexer(pd.Index(again.split.held_out))] = True
    sets = _dominant_rows(study, again, looked_at)
    could = set(study.split.train.tolist()) & set(again.split.train.tolist())
    overlap = np.array([_jaccard(mine & could, other & could) for mine, other in zip(own_sets, sets, strict=True)])
    weights = feature_weights(again).total
    metrics = again.metrics
    line = (seed, metrics.log_loss, metrics.accuracy, len(weights), len(again.prototypes))
    return _Refit(
        said=probabilities.argmax(axis=1),
        probability=probabilities[np.arange(len(own)), own],
        held_out=held_out,
        overlap=overlap,
        weights=weights,
        line=line,
    )


def _dominant_rows(study: Study, fitted: Study, rows: NDArray[np.int64]) -> list[set[int]]:
    """Return the rows of the table that are the dominant set of each case."""
    manager = fitted.model.set_manager_
    batches = [batch for batch in manager.batches if batch is not None]
    if not batches:
        return [set() for _ in rows]
    X = fitted.design.transform(study.table.frame.loc[rows]).X
    target = np.concatenate([batch.target for batch in batches])
    train = fitted.split.train[np.concatenate([batch.sample_index for batch in batches])]
    step = max(1, _BLOCK // len(target))
    found: list[set[int]] = []
    for start in range(0, len(rows), step):
        block = X[start : start + step]
        impacts = np.hstack([batch.similarity(block) * batch.weights.astype(np.float64) for batch in batches])
        found += [set(train[dominant_set(impact, target, manager.marginals)].tolist()) for impact in impacts]
    return found


def _jaccard(one: set[int], other: set[int]) -> float:
    """Return the shared members by all members; nan where there are none."""
    every = one | other
    return len(one & other) / len(every) if every else np.nan


def _summary(study: Study, refits: list[_Refit], looked_at: NDArray[np.int64]) -> Stability:
    """Put the refits together."""
    return Stability(
        study_id=study.id,
        new_splits=not study.split.settings.by_time,
        rows=_rows(study, refits, looked_at),
        features=weight_table(study, [refit.weights for refit in refits]),
        refits=pd.DataFrame(
            [refit.line for refit in refits],
            columns=list(REFIT_COLUMNS),
            index=pd.RangeIndex(1, len(refits) + 1, name="refit"),
        ).astype({"seed": "int64", "features": "int64", "prototypes": "int64"}),
    )


def _rows(study: Study, refits: list[_Refit], looked_at: NDArray[np.int64]) -> pd.DataFrame:
    """Return how each row fared."""
    own = study.probabilities.to_numpy().argmax(axis=1)
    said = np.stack([refit.said for refit in refits])
    same, held_out = said == own, np.stack([refit.held_out for refit in refits])
    probability = np.stack([refit.probability for refit in refits])
    counts = np.stack([((said == k) & ~same).sum(axis=0) for k in range(len(study.classes))])
    names = np.array([*study.classes, None], dtype=object)
    times = held_out.sum(axis=0)
    overlaps = np.stack([refit.overlap for refit in refits])
    known = (~np.isnan(overlaps)).sum(axis=0)
    overlap = pd.Series(np.nansum(overlaps, axis=0) / np.where(known, known, np.nan), index=pd.Index(looked_at))
    return pd.DataFrame(
        {
            "predicted": pd.array(names[own], dtype="str"),
            "same": same.mean(axis=0),
            "low": probability.min(axis=0),
            "high": probability.max(axis=0),
            "other": pd.array(names[np.where(counts.any(axis=0), counts.argmax(axis=0), -1)], dtype="str"),
            "held_out": times,
            "same_held_out": (same & held_out).sum(axis=0) / np.where(times, times, np.nan),
            "overlap": overlap.reindex(study.table.frame.index).to_numpy(),
        },
        index=study.table.frame.index,
    )
