"""Rows of a study, each with the model that judges it: that of its fold where it is a training row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.lazy import lazy_property
from proset.engine.set_manager import FloatArray
from proset.explain.review.trees import said_by_trees
from proset.study import NumberStudy, Study
from proset.study.base import StudyBase
from proset.study.decision import DecisionRule
from proset.study.fold_studies import FoldStudies
from proset.study.number_unseen import NumberUnseen
from proset.study.unseen import Unseen

S = TypeVar("S", bound=StudyBase)
J = TypeVar("J")
_LEAST_COUNT = 1e-9


@dataclass(frozen=True, eq=False)
class JudgedRows(Generic[S]):
    """Rows that one model judges.

    Attributes
    ----------
    study : Study or NumberStudy
        The one whose model judges: the study itself, or one of a fold.
    rows : ndarray of int64, shape (n,)
        Row ids, ascending.
    unseen : bool
        Whether the model has not seen them.
    """

    study: S
    rows: NDArray[np.int64]
    unseen: bool

    @property
    def nearness(self) -> FloatArray:
        """Nearness to a known case in the model's metric, as a quantile of its held-out rows; no row is its own."""
        return self.study.nearness.by_model.place(self.study.encode(self.rows).X, self._own)[1]

    def of_nearest(self, weights: FloatArray, n_nearest: int) -> tuple[FloatArray, FloatArray]:
        """Sum what the nearest known cases give: in the model's metric, and in all columns.

        Known cases are the training rows of the model that judges. No row is its own neighbour; cases as far as the
        last one count as well. Zeros where the model uses no column.

        Parameters
        ----------
        weights : ndarray of shape (m, K)
            What each training row gives.
        n_nearest : int
            How many are asked.

        Returns
        -------
        by_model, by_columns : ndarray of shape (n, K)
        """
        return self.study.nearness.votes(self.study.encode(self.rows).X, weights, n_nearest, self._own)

    @property
    def _own(self) -> NDArray[np.int64]:
        """Positions among the training rows; -1 for others."""
        return pd.Index(self.study.split.train).get_indexer(pd.Index(self.rows)).astype(np.int64)


class Judged(JudgedRows[Study]):
    """Rows that one model of classes judges."""

    def said(self, rule: DecisionRule) -> NDArray[np.int64]:
        """Return the position of the class that a rule says of each row."""
        predicted = self.study.judged(rule).loc[self.rows, "predicted"]
        return pd.Index(self.study.classes).get_indexer(pd.Index(predicted)).astype(np.int64)

    @property
    def estimates(self) -> FloatArray:
        """Estimated probabilities, shape (n, K)."""
        found: FloatArray = self.study.probabilities.loc[self.rows].to_numpy()
        return found

    @lazy_property
    def by_trees(self) -> FloatArray:
        """Probabilities by trees, which have not seen the rows either, shape (n, K)."""
        return said_by_trees(self.study, self.rows)

    @property
    def codes(self) -> NDArray[np.int64]:
        """Position of the class that the table states; -1 where it states none that the model knows."""
        labels = self.study.labels.loc[pd.Index(self.rows)]
        return pd.Index(self.study.classes).get_indexer(pd.Index(labels)).astype(np.int64)

    def votes(self, n_nearest: int, trust: pd.Series | None = None) -> tuple[FloatArray, FloatArray]:
        """Count the classes of the nearest known cases, see :meth:`of_nearest`.

        Parameters
        ----------
        n_nearest : int
            How many are asked.
        trust : Series or None
            How far each row is trusted, in [0, 1]; rows that are not there are. None does not ask for it.

        Returns
        -------
        by_model, by_columns : ndarray of shape (n, K), with trust (n, 2 K)
            With trust, the counts follow what they are if each known case counts by how far it is trusted.
        """
        study = self.study
        train = pd.Index(study.split.train)
        codes = pd.Index(study.classes).get_indexer(pd.Index(study.labels.loc[train]))
        weights = np.eye(len(study.classes))[codes]
        if trust is not None:
            weights = np.hstack([weights * trust.reindex(train, fill_value=1.0).to_numpy()[:, None], weights])
        return self.of_nearest(weights, n_nearest)


class JudgedNumbers(JudgedRows[NumberStudy]):
    """Rows that one model of a number judges."""

    @property
    def actual(self) -> FloatArray:
        """The number of each row as the table states it."""
        found: FloatArray = self.study.table_targets.loc[pd.Index(self.rows)].to_numpy(dtype=np.float64)
        return found

    @property
    def learned(self) -> FloatArray:
        """The number of each row as the study takes it: see :attr:`NumberStudy.targets`."""
        found: FloatArray = self.study.targets.loc[pd.Index(self.rows)].to_numpy(dtype=np.float64)
        return found

    def moments(self, n_nearest: int, trust: pd.Series | None = None) -> tuple[FloatArray, FloatArray]:
        """Sum 1, the numbers and their squares over the nearest known cases, see :meth:`of_nearest`.

        Numbers are taken as the model that judges takes them: standardised, and bent where its target is.

        Parameters
        ----------
        n_nearest : int
            How many are asked.
        trust : Series or None
            How far each row is trusted, in [0, 1], and so counts; rows that are not there are trusted.

        Returns
        -------
        by_model, by_columns : ndarray of shape (n, 3)
        """
        train = pd.Index(self.study.split.train)
        own = self.study.model.units_.inward(self.study.targets.loc[train].to_numpy(dtype=np.float64))
        weights = np.stack([np.ones(len(own)), own, own**2], axis=1)
        if trust is not None:
            weights *= trust.reindex(train, fill_value=1.0).to_numpy()[:, None]
        return self.of_nearest(weights, n_nearest)


def middles(sums: FloatArray) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Return mean and spread of what neighbours have, and where there are any, of one part of :meth:`moments`."""
    count = np.maximum(sums[:, 0], _LEAST_COUNT)
    middle = sums[:, 1] / count
    return middle, np.sqrt(np.maximum(sums[:, 2] / count - middle**2, 0.0)), sums[:, 0] > 0.0


def judges(study: Study, unseen: Unseen | None, rows: NDArray[np.int64]) -> Iterator[Judged]:
    """Deal rows to the models of classes that judge them, see :func:`dealt`."""
    return dealt(Judged, study, unseen, rows)


def number_judges(study: NumberStudy, unseen: NumberUnseen | None, rows: NDArray[np.int64]) -> Iterator[JudgedNumbers]:
    """Deal rows to the models of a number that judge them, see :func:`dealt`."""
    return dealt(JudgedNumbers, study, unseen, rows)


def dealt(
    kind: Callable[[S, NDArray[np.int64], bool], J], study: S, unseen: FoldStudies[S] | None, rows: NDArray[np.int64]
) -> Iterator[J]:
    """Deal rows to the models that judge them.

    Yields
    ------
    JudgedRows
        None without rows: training rows by the folds that left them out, all others by the study itself.

    Raises
    ------
    StudyError
        If `unseen` is of another study, or the table has no such row.
    """
    if unseen is not None:
        unseen.check_belongs_to(study)
    strange = np.setdiff1d(rows, study.table.frame.index.to_numpy(dtype=np.int64))
    if len(strange):
        study.encode(strange)  # says so
    left = np.unique(rows)
    for own in () if unseen is None else unseen.studies:
        mine = np.intersect1d(left, own.split.held_out)
        left = np.setdiff1d(left, mine)
        if len(mine):
            yield kind(own, mine, True)
    seen = np.intersect1d(left, study.split.train)
    for part, fresh in ((seen, False), (np.setdiff1d(left, seen), True)):
        if len(part):
            yield kind(study, part, fresh)


def most_suspicious_first(frame: pd.DataFrame, study: StudyBase, unseen: FoldStudies[Any] | None) -> pd.DataFrame:
    """Return rows with a ``suspicion`` in its order, and whether each is a ``prototype`` of the study or of a fold."""
    frame = frame.iloc[np.lexsort((frame.index.to_numpy(), -frame["suspicion"].to_numpy()))]
    studies = (study, *(() if unseen is None else unseen.studies))
    return frame.assign(prototype=frame.index.isin(np.concatenate([own.prototypes["row"] for own in studies])))
