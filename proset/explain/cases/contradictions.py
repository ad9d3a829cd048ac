"""Contradictions of an estimate that are not part of it: classes of the nearest known cases, and unused columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.notebook import Displayed
from proset.common.words import count_words, listed, percent, shown
from proset.engine.evidence.nearness import Metric
from proset.explain.cases.known_rows import known_facts, known_rows, nearness_to, place_among, seen
from proset.explain.cases.unused import UnusedColumns, known_cells, rival, unused_features
from proset.explain.phrases import UNLIKE
from proset.explain.plain_values import plain_columns
from proset.explain.subject import Explained, as_case, subject_of
from proset.study.case import KnownRows
from proset.study.decision import MOST_PROBABLE, DecisionRule

UNUSUAL = 0.05
"""Share of known cases of a class with as many contradicting columns up to which that many are unusual."""
_TIE = 1e-9
_MOST_NAMED = 3
_WHERE = {"by_model": "in the columns that the model uses", "by_columns": "in all columns"}


@dataclass(frozen=True, eq=False)
class Contradictions(Displayed):
    """Contradictions of an estimate outside of the model.

    Attributes
    ----------
    said : str
        The class that the decision rule says.
    other : str
        The class that it is held against: the one in the table where that is another one, else the most probable of
        the others.
    nearest : DataFrame
        Index class; columns ``by_model`` and ``by_columns``: how many of the nearest known cases are of the class, in
        the model's metric and in that of all columns, used or not. Cases as far as the last one count as well. Zeros
        where the model uses no column.
    columns : DataFrame
        The columns that the model does not use and whose value is known, those first that fit `other` better than
        `said`: ``column``, ``fit_said``, ``fit_other`` (in [0, 1]), ``contradicts`` (rare in the one class and common
        in the other).
    as_many : float
        Share of the known cases of class `said` with at least as many contradicting columns, in [0, 1].
    alike : int
        Of the nearest by the model, those that are anything like the case: with a similarity of at least 0.1.
    """

    said: str
    other: str
    nearest: pd.DataFrame
    columns: pd.DataFrame
    as_many: float
    alike: int

    @property
    def contradicting(self) -> tuple[str, ...]:
        """The columns that contradict, the strongest first."""
        return tuple(self.columns.loc[self.columns["contradicts"], "column"])

    @property
    def unusual(self) -> bool:
        """True where so many contradicting columns are rare among known cases of the class that is said."""
        return bool(self.contradicting) and self.as_many <= UNUSUAL

    @property
    def words(self) -> tuple[str, ...]:
        """Sentences on what contradicts; empty where nothing does."""
        return tuple(filter(None, (self._nearest_words(), self._column_words())))

    @property
    def further_words(self) -> tuple[str, ...]:
        """Sentences on what contradicts, without the classes of the nearest cases in the model's columns."""
        return tuple(filter(None, (self._nearest_words(("by_columns",)), self._column_words())))

    def to_frame(self) -> pd.DataFrame:
        """Return the unused columns."""
        return self.columns

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {
            "said": self.said,
            "other": self.other,
            "nearest": {str(name): values.to_dict() for name, values in self.nearest.items()},
            "columns": plain_columns(self.columns),
            "as_many": self.as_many,
            "alike": self.alike,
        }

    def _nearest_words(self, metrics: Iterable[str] = tuple(_WHERE)) -> str:
        """Say so if most of the nearest known cases are not of the class that is said, in one metric or the other."""
        parts = []
        for metric in metrics:
            counts = self.nearest[metric]
            total, leader = int(counts.sum()), str(counts.idxmax())
            if total and counts[leader] > counts[self.said]:
                parts.append(f"{counts[leader]:,} of {total:,} nearest {_WHERE[metric]} are '{shown(leader)}'")
        return f"Known cases contradict '{shown(self.said)}': {'; '.join(parts)}." if parts else ""

    def _column_words(self) -> str:
        """Name the columns that contradict, and say how usual it is that so many do."""
        names = self.contradicting
        if not names:
            return ""
        many = f"{count_words(len(names), 'column')} that the model does not use"
        fit = "fits" if len(names) == 1 else "fit"
        usual = f"at least as many do in {percent(self.as_many)} of the known '{shown(self.said)}' cases"
        return f"{many} {fit} '{shown(self.other)}' better: {listed(names, most=_MOST_NAMED)}; {usual}."


def contradictions(
    explained: Explained,
    case: Any,
    *,
    rule: DecisionRule = MOST_PROBABLE,
    n_nearest: int = 20,
    known: ArrayLike | None = None,
    y: ArrayLike | None = None,
) -> Contradictions:
    """Find what speaks against the estimate for a case and is not part of it.

    Parameters
    ----------
    n_nearest : int, default 20
        Known cases that are asked for their class.
    known, y : array-like of shape (m, D) and (m,), or None
        Beside a model: what it was fitted to, and the classes of these rows.

    Raises
    ------
    ValueError
        If a model gets no known cases with their classes.
    StudyError
        If the table has no such row, or several new rows are given.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cancer")
    >>> found = contradictions(study, 298)
    >>> found.said, found.other, found.contradicting
    ('benign', 'malignant', ('area error', 'radius error', 'perimeter error'))
    """
    subject, case = subject_of(explained), as_case(explained, case, known=known, y=y)
    learned = known_rows(subject, case, with_classes=True)
    estimates = subject.manager.evaluate(case.x[None])[0]
    code = int(rule.choose(estimates)[0])
    x, held = seen(subject, case)
    actual = known_facts(subject, case)[1]
    unused = UnusedColumns(subject, learned, unused_features(subject, held))
    fits, there = unused.fits(x[None])[0], known_cells(case.encoded.imputed, unused.names)[0]
    stated = subject.classes.index(actual) if actual in subject.classes else None
    said, other = subject.classes[code], subject.classes[rival(estimates[0], code, stated)]
    as_many = unused.held_against(fits, there, said, other)[1]
    frame = unused.frame(fits, there, said, other)
    near, columns, own = nearness_to(subject, case), subject.values_of(held), place_among(case, learned)
    metrics = {"by_model": near.by_model, "by_columns": near.by_columns(columns)}
    found = {name: _nearest(metric, x, own, n_nearest) for name, metric in metrics.items()}
    votes = {name: _votes(metric.rows[found[name][0]], learned) for name, metric in metrics.items()}
    nearest = pd.DataFrame(votes, index=pd.Index(subject.classes, name="class", dtype="str"))
    alike = int((found["by_model"][1] >= UNLIKE).sum())
    return Contradictions(said, other, nearest.fillna(0).astype("int64"), frame, as_many, alike)


def _nearest(
    metric: Metric, x: NDArray[np.float64], own: int, n_nearest: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the places of the nearest and their similarities; cases as far as the last one count as well."""
    if not metric.known.kernels:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    distance = np.where(metric.rows == own, np.inf, metric.known.distances(x)[0])
    last = np.sort(distance)[min(n_nearest, len(distance)) - 1]
    near = np.flatnonzero(np.isfinite(distance) & (distance <= last * (1.0 + _TIE)))
    return near, np.exp(-distance[near] / 2.0)


def _votes(rows: NDArray[np.int64], learned: KnownRows) -> dict[str, int]:
    """Return how many of some known cases are of each class."""
    assert learned.y is not None
    names, counts = np.unique(learned.y[rows], return_counts=True)
    return {str(name): int(count) for name, count in zip(names, counts, strict=True)}
