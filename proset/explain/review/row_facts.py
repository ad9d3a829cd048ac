"""Facts on many rows by the model that judges them: the numbers by which a review puts them in order."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.engine.set_manager import FloatArray
from proset.explain.cases.contradictions import UNUSUAL
from proset.explain.cases.unused import UnusedColumns, known_cells, rival, unused_features
from proset.explain.review.judges import Judged
from proset.explain.review.listed import NO_PROTOTYPE
from proset.explain.subject import subject_of
from proset.study.decision import DecisionRule

N_NEAREST = 20
"""Known cases that are asked for their class."""


def row_facts(judged: Judged, rule: DecisionRule) -> pd.DataFrame:
    """Return what a review wants to know of rows.

    Parameters
    ----------
    judged : Judged
        Rows of one model.
    rule : DecisionRule
        Says which class is said.

    Returns
    -------
    DataFrame
        Index ``row``; the columns of :class:`ReviewQueue` but for ``suspicion`` and ``reason``.
    """
    study, rows, estimates = judged.study, judged.rows, judged.estimates
    frame = study.judged(rule).loc[rows]
    said = judged.said(rule)
    each, actual = np.arange(len(rows)), judged.codes
    by_model, by_columns = judged.votes(N_NEAREST)
    columns, unusual = contradicting_columns(judged, said)
    result = pd.DataFrame(
        {
            "unseen": judged.unseen,
            "actual": frame["actual"].mask(actual < 0),
            "said": frame["predicted"],
            "confidence": frame["confidence"],
            "stated": np.where(actual < 0, np.nan, estimates[each, actual]),
            "wrong": frame["wrong"],
            "left": frame["left"],
            "familiarity": frame["quantile"],
            "nearness": judged.nearness,
            "neighbours": _not_of(by_model, said),
            "neighbours_all": _not_of(by_columns, said),
            "columns": columns,
            "unusual": unusual,
            "prototype": leading_prototypes(judged, said),
            "margin": margins(rule, estimates),
        }
    )
    return result.rename_axis("row")


def leading_prototypes(judged: Judged, said: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the row of the prototype with the largest impact for the class said; -1 where there is none."""
    study, X = judged.study, judged.study.encode(judged.rows).X
    best, found = np.zeros(len(said)), np.full(len(said), NO_PROTOTYPE, dtype=np.int64)
    for batch in study.model.set_manager_.batches:
        if batch is None:
            continue
        impacts = batch.similarity(X) * batch.weights.astype(np.float64)
        impacts[batch.target[None, :] != said[:, None]] = 0.0
        leader = impacts.argmax(axis=1)
        largest = impacts[np.arange(len(said)), leader]
        more = largest > best
        best[more], found[more] = largest[more], study.split.train[batch.sample_index[leader[more]]]
    return found


def margins(rule: DecisionRule, estimates: FloatArray) -> FloatArray:
    """Return how far the estimates of rows are from where another class would be said, in [0, 1].

    With a cutoff, the distance of the second class's probability to it; with costs, half of what the second cheapest
    class would cost more, as a share of the highest cost; else half of what the most probable class has more than the
    next one.

    Examples
    --------
    >>> margins(DecisionRule(), np.array([[0.75, 0.25], [0.5, 0.5]])).tolist()
    [0.25, 0.0]
    >>> margins(DecisionRule(cutoff=0.25), np.array([[0.75, 0.25], [0.5, 0.5]])).tolist()
    [0.0, 0.25]
    """
    if rule.cutoff is not None:
        return np.abs(estimates[:, 1] - rule.cutoff)
    prices = -estimates if rule.costs is None else estimates @ np.asarray(rule.costs, dtype=np.float64)
    highest = 1.0 if rule.costs is None else max(map(max, rule.costs)) or 1.0
    cheapest = np.sort(prices, axis=1)
    gap: FloatArray = (cheapest[:, 1] - cheapest[:, 0]) / (2.0 * highest)
    return gap


def contradicting_columns(judged: Judged, said: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return how many unused columns contradict what is said of rows, and where so many are unusual.

    The same as :func:`contradictions` finds of each.
    """
    study, rows = judged.study, judged.rows
    subject, learned = subject_of(study), study.learned
    unused = UnusedColumns(subject, learned, unused_features(subject, study.design.sources))
    encoded, actual = study.encode(rows), judged.codes
    fits, there = unused.fits(encoded.X.astype(np.float64)), known_cells(encoded.imputed, unused.names)
    counts, as_many = np.zeros(len(rows), dtype=np.int64), np.ones(len(rows))
    for i, estimates in enumerate(judged.estimates):
        other = rival(estimates, said[i], actual[i] if actual[i] >= 0 else None)
        classes = study.classes[said[i]], study.classes[other]
        counts[i], as_many[i] = unused.held_against(fits[i], there[i], *classes)
    return counts, (counts > 0) & (as_many <= UNUSUAL)


def _not_of(votes: FloatArray, said: NDArray[np.int64]) -> FloatArray:
    """Return the share of the votes that are not for the class said; 0 where there are none."""
    total = votes.sum(axis=1)
    own = votes[np.arange(len(said)), said]
    share: FloatArray = np.where(total > 0.0, 1.0 - own / np.where(total > 0.0, total, 1.0), 0.0)
    return share
