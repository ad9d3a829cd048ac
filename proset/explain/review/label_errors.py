"""Likely label errors: rows whose class is contradicted by models that have not seen them, and by known cases.

The model that has not seen a row, trees that have not seen it either, its nearest known cases in that model's metric,
and those in all columns each give shares to the classes. The mean of the logarithms of these four says how suspicious
the class is that the table states. Either kind of neighbours counts a tenth; of the rest trees have a quarter to a
half, more where they foresee the table's classes better than the model does, and the model what is left. That is done
twice: the second time a known case counts by how far its own class was trusted the first time, so that wrong labels do
not vouch for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from proset.common.notebook import DisplayedFrame
from proset.common.words import percent, shown
from proset.engine.set_manager import FloatArray
from proset.explain.plain_values import plain_columns
from proset.explain.review.judges import Judged, judges, most_suspicious_first
from proset.explain.subject import study_of
from proset.study import Study
from proset.study.find_row import row_ids
from proset.study.unseen import Unseen

SUSPICIOUS = 0.5
"""Suspicion from which on a row is listed although the model agrees with the table."""
N_NEAREST = 10
"""Known cases that are asked for their class: fewer than elsewhere, so that small classes are heard."""
_NEIGHBOURS = 0.1
# Trees let wrong labels beside each other vouch for each other, so they never count more than the model.
_LEAST_SHARE, _MOST_SHARE = 0.25, 0.5
_LEAST = 1e-6
_FAMILIAR = 0.2
_AGREE = 0.5  # share of the nearest known cases above which they agree with each other


@dataclass(frozen=True, eq=False)
class LabelErrors(DisplayedFrame):
    """Suspicion of the class that the table states of each row.

    Attributes
    ----------
    frame : DataFrame
        Index ``row``, in the order of suspicion, most first: ``actual``, ``said`` (the most probable class), ``stated``
        (estimated probability of the class in the table), ``trees`` (that of trees that have not seen the row),
        ``near_model`` and ``near_all`` (share of the 10 nearest known cases that are of the class in the table, in the
        model's metric and in all columns), ``familiarity``
        (quantile in [0, 1]), ``suspicion`` (in [0, 1], higher is more suspicious; from 0.5 on another class is more
        likely), ``prototype`` (whether the row is one, of the study or of another fold) and ``reason`` (a sentence, or
        empty).
    """

    frame: pd.DataFrame

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {"row": self.frame.index.tolist(), **plain_columns(self.frame)}


def label_errors(study: Study, unseen: Unseen, *, cases: Iterable[int] | None = None) -> LabelErrors:
    """Tell how suspicious the class is that the table states of each row.

    Parameters
    ----------
    unseen : Unseen
        Folds of the training rows of the study.
    cases : iterable of int or None
        Row ids; None for all training rows that were left out of a fold. Those without a class are left out.

    Raises
    ------
    StudyError
        If the folds are of another study, or the table has no such row.
    TypeError
        If a model is given instead of a study.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> from proset.study.unseen import judge_unseen
    >>> study = fit_sample("iris_2f")
    >>> found = label_errors(study, judge_unseen(study))
    >>> len(found.frame), found.frame["suspicion"].is_monotonic_decreasing
    (105, True)
    """
    study = study_of(study, "label_errors")
    wanted = unseen.rows if cases is None else row_ids(cases)
    study.encode(wanted)  # refuses rows that the table does not have
    return suspicions(study, unseen, wanted)


def suspicions(study: Study, unseen: Unseen | None, rows: NDArray[np.int64]) -> LabelErrors:
    """Return the same where training rows may not have been left out of any fold, and are judged by the study."""
    labelled = np.unique(rows[study.labels.loc[pd.Index(rows)].isin(study.classes).to_numpy()])
    known = study.split.train if unseen is None else unseen.rows
    asked = list(judges(study, unseen, np.union1d(known, labelled)))
    counts = _counts(asked)
    # Nobody is asked for the class of a held-out row, so only known ones need to be trusted.
    trust = pd.concat([_trust(judged, counts) for judged in asked if np.isin(judged.rows, known).any()])
    frame = pd.concat([_part(judged, counts, trust) for judged in asked]).loc[labelled]
    frame = most_suspicious_first(frame, study, unseen)
    reasons = [_reason(line) for line in frame.itertuples()]
    leads = ["leads_trees", "leads_model", "leads_all"]
    return LabelErrors(frame.drop(columns=leads).assign(reason=pd.array(reasons, dtype="str")))


def _counts(asked: Sequence[Judged]) -> tuple[float, ...]:
    """Return how much model, trees, neighbours in the model's metric and those in all columns count, 1 together."""
    fresh = [
        (_logs(judged.estimates), _logs(judged.by_trees), judged.codes[:, None]) for judged in asked if judged.unseen
    ]

    def loss(share: float) -> float:
        """Log-loss of model and trees together, where the trees have that share."""
        return sum(_loss((1.0 - share) * model + share * trees, codes) for model, trees, codes in fresh)

    best = minimize_scalar(loss, bounds=(0.0, 1.0), method="bounded").x if fresh else 0.5
    trees = _LEAST_SHARE + (_MOST_SHARE - _LEAST_SHARE) * float(best)
    both = 1.0 - 2.0 * _NEIGHBOURS
    return both * (1.0 - trees), both * trees, _NEIGHBOURS, _NEIGHBOURS


def _loss(logs: FloatArray, codes: NDArray[np.int64]) -> float:
    """Return the log-loss of probabilities whose logarithms are given but for a constant, summed over the rows."""
    return float((logsumexp(logs, axis=1, keepdims=True) - np.take_along_axis(logs, codes, axis=1)).sum())


def _logs(shares: FloatArray) -> FloatArray:
    found: FloatArray = np.log(np.maximum(shares, _LEAST))
    return found


def _trust(judged: Judged, counts: Sequence[float]) -> pd.Series:
    """Return how far the class of each row can be trusted, before anything is known of its neighbours, in [0, 1]."""
    together = _together(judged, counts, judged.votes(N_NEAREST))
    stated = together[np.arange(len(together)), judged.codes]
    return pd.Series(stated / together.max(axis=1, initial=_LEAST), index=judged.rows)


def _together(judged: Judged, counts: Sequence[float], votes: Iterable[FloatArray]) -> FloatArray:
    """Return shares of the classes by model, trees and the nearest known cases in both metrics, as one; shape (n, K).

    Their logarithms are averaged: where one of the four is sure that a class is out of the question, it is.
    """
    marginals = judged.study.model.set_manager_.marginals
    shares = [(counts + marginals) / (counts.sum(axis=1, keepdims=True) + 1.0) for counts in votes]
    logs = [_logs(part) for part in (judged.estimates, judged.by_trees, *shares)]
    together: FloatArray = np.exp(np.average(logs, axis=0, weights=counts))
    return together


def _part(judged: Judged, counts: Sequence[float], trust: pd.Series) -> pd.DataFrame:
    """Look at the rows of one model."""
    names = np.asarray(judged.study.classes, dtype=object)
    actual, each, estimates = judged.codes, np.arange(len(judged.rows)), judged.estimates
    both = judged.votes(N_NEAREST, trust)
    others = _together(judged, counts, [votes[:, : len(names)] for votes in both])
    stated = others[each, actual]
    others[each, actual] = 0.0
    best = others.max(axis=1, initial=0.0)
    shares = [_shares(votes[:, len(names) :]) for votes in both]
    leads = [np.where(part.max(axis=1, initial=0.0) > _AGREE, names[part.argmax(axis=1)], "") for part in shares]
    columns = {
        "actual": pd.array(names[actual], dtype="str"),
        "said": pd.array(names[estimates.argmax(axis=1)], dtype="str"),
        "stated": estimates[each, actual],
        "trees": judged.by_trees[each, actual],
        "near_model": shares[0][each, actual],
        "near_all": shares[1][each, actual],
        "familiarity": judged.study.judged().loc[judged.rows, "quantile"].to_numpy(),
        "suspicion": best / (best + stated),
        "leads_trees": names[judged.by_trees.argmax(axis=1)],
        "leads_model": leads[0],
        "leads_all": leads[1],
    }
    return pd.DataFrame(columns, index=pd.Index(judged.rows, name="row"))


def _shares(votes: FloatArray) -> FloatArray:
    """Return votes as shares; zeros where there are none."""
    shares: FloatArray = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1.0)
    return shares


def _reason(line: Any) -> str:
    """Say why the class of a row is suspicious; nothing where it is not."""
    if line.suspicion < SUSPICIOUS:
        return ""
    parts = []
    if line.said != line.actual:
        how = "although the case is familiar" if line.familiarity >= _FAMILIAR else "and the case is not familiar"
        parts.append(f"the model gives '{shown(line.actual)}' {percent(line.stated)}, {how}")
    if line.leads_trees != line.actual:
        parts.append(f"trees that have not seen it give '{shown(line.actual)}' {percent(line.trees)}")
    where = {"in the columns that the model uses": line.leads_model, "in all columns": line.leads_all}
    for name in dict.fromkeys(name for name in where.values() if name not in ("", line.actual)):
        places = " and ".join(place for place, leader in where.items() if leader == name)
        parts.append(f"most of the nearest known cases {places} are '{shown(name)}'")
    if not parts:
        return f"Model, trees and nearest known cases together speak against '{shown(line.actual)}'."
    if line.prototype:
        parts.append("it is a prototype, so others rest on it")
    text = f"{'; '.join(parts)}."
    return text[0].upper() + text[1:]
