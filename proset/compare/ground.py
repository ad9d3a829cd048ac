"""The rows of a comparison: what every system learns from and is measured on, the same for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.common.words import listed, shown
from proset.compare.measures import FloatArray, IntArray, scores_of
from proset.compare.plan import ComparePlan
from proset.data.roles import Roles
from proset.engine.candidates import smallest_class_size
from proset.selection.folds import Fold, make_folds
from proset.selection.inner_folds import GroupsAndTimes
from proset.study.any_study import AnyStudy
from proset.study.fit import CheckedTable
from proset.study.search import FoldDesign
from proset.study.study import Study

FEWEST_OF_A_CLASS = 6
"""Rows of a class that a draw keeps, if there are so many."""

HELD_OUT, TRAINING = "held-out rows", "training rows"


@dataclass(frozen=True, eq=False)
class CompareGround:
    """Rows and folds.

    Attributes
    ----------
    study : Study
        Where they come from.
    rows : int64 array of shape (n,)
        Ids of the rows that are learned from.
    target : int64 array of shape (n,)
        Their classes, as positions among the classes of the study.
    weight : float64 array of shape (n,)
        Their sample weights; ones if there are none.
    folds : tuple of Fold
        Positions among `rows`.
    measured : int64 array of shape (m,)
        Ids of the rows that the final models are measured on.
    actual : int64 array of shape (m,)
        Their classes.
    which : str
        What these rows are: ``"held-out rows"``, or ``"training rows"`` where none are held out.
    known : GroupsAndTimes
        Groups and times of the rows that are learned from, which folds within a fit have to respect too; very many
        groups are thrown together.
    """

    study: Study
    rows: IntArray
    target: IntArray
    weight: FloatArray
    folds: tuple[Fold, ...]
    measured: IntArray
    actual: IntArray
    which: str
    known: GroupsAndTimes = field(default_factory=GroupsAndTimes)

    @property
    def labels(self) -> NDArray[np.str_]:
        """The classes of the rows as texts."""
        return np.asarray(self.study.classes)[self.target]

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """The classes that are learned from, but of which no fold measures a row."""
        seen = np.concatenate([self.target[fold.test] for fold in self.folds])
        return tuple(self.study.classes[k] for k in np.setdiff1d(self.target, seen).tolist())

    def matrices(self, fold: Fold) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the matrices of one fold; the design is learned from its training rows alone."""
        roles = self.study.roles
        frame = self.study.table.frame.loc[self.rows, list(roles.features)]
        own = Roles({name: roles.by_column[name] for name in roles.features})
        prepare = FoldDesign(frame, own, self.study.settings.scale, self.labels)
        return prepare(fold.train, fold.test)


def naive_scores(ground: CompareGround) -> tuple[FloatArray, FloatArray]:
    """Return the measures of stating the class shares: by fold, shape (F, 4), and on the measured rows, shape (4,)."""
    folds = [_naive(ground, fold.train, ground.target[fold.test]) for fold in ground.folds]
    return np.array(folds), _naive(ground, np.arange(len(ground.rows)), ground.actual)


def _naive(ground: CompareGround, train: IntArray, actual: IntArray) -> FloatArray:
    """Measure the class shares of some rows as an estimate for others."""
    counts = np.bincount(ground.target[train], minlength=len(ground.study.classes))
    return scores_of(actual, np.tile(counts / counts.sum(), (len(actual), 1)))


def ground_of(study: Study, plan: ComparePlan, weights: pd.Series | None = None) -> CompareGround:
    """Collect the rows of a comparison and cut them into folds.

    Groups and times of the study's split hold for the folds as they do for a search: rows of one group stay together,
    and with times every fold learns from earlier rows.

    Parameters
    ----------
    plan : ComparePlan
        Number of folds, seed, most rows.
    weights : Series or None
        Sample weight by row id; None counts every row once.

    Raises
    ------
    StudyError
        If the rows do not suffice for the folds, or a row has no proper weight.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> ground = ground_of(fit_sample("iris_2f"), ComparePlan(max_rows=60))
    >>> len(ground.rows), len(ground.folds), len(ground.measured)
    (60, 5, 45)
    """
    position = pd.Index(study.classes)
    codes = position.get_indexer(pd.Index(study.labels.reindex(study.split.train))).astype(np.int64)
    kept = drawn(codes, plan.max_rows, plan.random_state)
    rows = study.split.train[kept]
    known = CheckedTable.of(study).known.at(kept)
    folds = make_folds(
        codes[kept],
        plan,
        known.groups,
        known.times,
        smallest=smallest_class_size(study.settings.max_fraction),
        classes=study.classes,
        keep_rare=True,
    )
    measured = study.split.measured
    return CompareGround(
        study=study,
        rows=rows,
        target=codes[kept],
        weight=_weights(weights, rows),
        folds=folds,
        measured=measured,
        actual=position.get_indexer(pd.Index(study.labels.reindex(measured))).astype(np.int64),
        which=HELD_OUT if len(study.split.held_out) else TRAINING,
        known=known.pooled(plan.random_state),
    )


def fold_words(study: AnyStudy, unmeasured: Sequence[str] = ()) -> str:
    """Say how rows are cut into folds where it is not at random, row by row, and which classes no fold measures.

    Empty where there is nothing to say.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> fold_words(fit_sample("iris_2f"))
    ''
    >>> fold_words(fit_sample("iris_2f"), ["setosa"])
    "No fold measures a row of 'setosa': means over the folds are about the other classes."
    """
    split, said = study.split.settings, []
    if split.by_time:
        by = "in the order of the file" if split.time is None else f"by '{shown(split.time)}'"
        said.append(f"Each fold learns from the rows before it {by}, so that nothing is measured on the first rows.")
    if split.groups is not None:
        said.append(f"Rows with the same '{shown(split.groups)}' are never on both sides of a fold.")
    if unmeasured:
        said.append(
            f"No fold measures a row of {listed(unmeasured)}: means over the folds are about the other classes."
        )
    return " ".join(said)


def drawn(codes: IntArray, max_rows: int | None, random_state: int) -> IntArray:
    """Return positions of at most about `most` rows, class by class in proportion, each class keeping a few.

    Examples
    --------
    >>> kept = drawn(np.repeat([0, 1], [100, 10]), 55, random_state=0)
    >>> np.bincount(np.repeat([0, 1], [100, 10])[kept]).tolist()
    [50, 6]
    """
    if max_rows is None or max_rows >= len(codes):
        return np.arange(len(codes), dtype=np.int64)
    rng = np.random.default_rng(random_state)
    parts = []
    for code in range(int(codes.max()) + 1):
        own = np.flatnonzero(codes == code)
        count = min(len(own), max(FEWEST_OF_A_CLASS, round(max_rows * len(own) / len(codes))))
        parts.append(rng.permutation(own)[:count])
    return np.sort(np.concatenate(parts)).astype(np.int64)


def _weights(weights: pd.Series | None, rows: IntArray) -> FloatArray:
    """Return the weights of some rows."""
    if weights is None:
        return np.ones(len(rows))
    found = weights.reindex(rows).to_numpy(dtype=np.float64)
    wrong = ~np.isfinite(found) | (found <= 0.0)
    if wrong.any():
        raise StudyError(
            f"Row {rows[wrong][0]} has no weight above zero.", hint="Give every training row one, or none at all."
        )
    return found
