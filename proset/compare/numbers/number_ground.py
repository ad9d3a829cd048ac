"""The rows of a comparison of systems that answer with a number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.compare.ground import HELD_OUT, TRAINING
from proset.compare.numbers.levels import FloatArray
from proset.data.roles import Roles
from proset.engine.candidates import smallest_class_size
from proset.engine.density_part import Density
from proset.engine.regressor import RegressorModel
from proset.selection.folds import Fold, make_folds
from proset.selection.inner_folds import FoldCount, GroupsAndTimes
from proset.study.fit import groups_of, times_of
from proset.study.search import FoldDesign

if TYPE_CHECKING:
    from proset.compare.measures import IntArray
    from proset.compare.plan import ComparePlan
    from proset.study.number_study import NumberStudy


@dataclass(frozen=True, eq=False)
class NumberGround:
    """Rows and folds.

    Attributes
    ----------
    study : NumberStudy
        Where they come from.
    rows, measured : int64 array of shape (n,) and (m,)
        Ids of the rows that are learned from, and of those that the final models are measured on.
    target, actual : float64 array of shape (n,) and (m,)
        Their numbers.
    folds : tuple of Fold
        Positions among `rows`.
    which : str
        What the measured rows are: ``"held-out rows"``, or ``"training rows"`` where none are held out.
    known : GroupsAndTimes
        Groups and times of the rows that are learned from, which folds within a fit have to respect too.
    """

    study: NumberStudy
    rows: IntArray
    target: FloatArray
    folds: tuple[Fold, ...]
    measured: IntArray
    actual: FloatArray
    which: str
    known: GroupsAndTimes = field(default_factory=GroupsAndTimes)

    @property
    def labels(self) -> FloatArray:
        """The numbers, as systems learn them."""
        return self.target

    @property
    def weight(self) -> FloatArray:
        """Ones: every row counts once."""
        return np.ones(len(self.rows))

    def matrices(self, fold: Fold) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the matrices of one fold; the design is learned from its training rows alone."""
        return self._prepare(fold.train, fold.test)

    def sources(self, fold: Fold) -> tuple[str, ...]:
        """Return the column of the table that each column of the matrices of a fold comes from."""
        return tuple(self._prepare.design(fold.train).column_sources)

    @property
    def _prepare(self) -> FoldDesign:
        """Maker of the matrices of a fold."""
        roles = self.study.roles
        frame = self.study.table.frame.loc[self.rows, list(roles.features)]
        own = Roles({name: roles.by_column[name] for name in roles.features})
        return FoldDesign(frame, own, self.study.settings.scale)


def number_ground(study: NumberStudy, plan: ComparePlan) -> NumberGround:
    """Collect the rows of a comparison and cut them into folds, by thirds of the target, or by groups and times.

    Raises
    ------
    StudyError
        If the rows, groups or times do not suffice for the folds.

    Examples
    --------
    >>> from proset.compare import ComparePlan
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> ground = number_ground(study, ComparePlan(("proset", "knn"), max_rows=100))
    >>> len(ground.rows), len(ground.folds), len(ground.measured)
    (100, 5, 120)
    """
    train = study.split.train
    kept = drawn_rows(len(train), plan.max_rows, plan.random_state)
    rows = train[kept]
    target = study.targets.reindex(rows).to_numpy(dtype=np.float64)
    groups, times = groups_of(study.table, study.split), times_of(study.table, study.split)
    known = GroupsAndTimes(groups, times).at(kept)
    smallest = smallest_class_size(RegressorModel().max_fraction)
    parts = Density(target, np.ones(len(target)), np.arange(len(target))).parts(plan.n_folds * smallest)
    folds = make_folds(parts, FoldCount(plan.n_folds, plan.random_state), known.groups, known.times, smallest=smallest)
    measured = study.split.measured
    if not len(measured):
        raise StudyError("There is no row to measure systems on.", hint="Hold rows out, or give training rows.")
    return NumberGround(
        study=study,
        rows=rows,
        target=target,
        folds=folds,
        measured=measured,
        actual=study.targets.reindex(measured).to_numpy(dtype=np.float64),
        which=HELD_OUT if len(study.split.held_out) else TRAINING,
        known=known.pooled(plan.random_state),
    )


def drawn_rows(n_rows: int, most: int | None, seed: int) -> IntArray:
    """Return positions of at most so many rows, in order.

    Examples
    --------
    >>> len(drawn_rows(100, 60, 0)), drawn_rows(3, None, 0).tolist()
    (60, [0, 1, 2])
    """
    if most is None or most >= n_rows:
        return np.arange(n_rows, dtype=np.int64)
    return np.sort(np.random.default_rng(seed).permutation(n_rows)[:most]).astype(np.int64)
