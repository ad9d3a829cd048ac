"""Training rows judged by models that have not seen them: what a review of the table's classes rests on.

Of a training row its own model says little that counts: a row that became a prototype votes for itself. Here the
training rows are dealt into folds, and each fold is a study of its own: fitted to the other folds with the settings of
the study, its rows held out. All that explains a case of a study explains a training row by the model that has not
seen it: ``explain.NAME(unseen.study_of_row(row), row)``.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.lazy import lazy_property
from proset.data.target import target_labels
from proset.engine.fit_progress import FitProgress
from proset.selection.folds import Fold
from proset.study.base import TRAIN, StudyBase
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.fit import CheckedTable, fit_problem
from proset.study.fold_studies import N_FOLDS, FoldStudies, fold_seed, fold_split
from proset.study.row_folds import folds_of
from proset.study.several_fits import FitsProgress, teller
from proset.study.study import Study

_UNTOUCHED_STREAM = 20  # of the split's seed, apart from the one that drew the held-out rows


@dataclass(frozen=True, eq=False)
class Unseen(FoldStudies[Study]):
    """Studies of the folds of a study's training rows, all of which know its classes.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> unseen = judge_unseen(study, n_folds=3)
    >>> row = int(unseen.rows[0])
    >>> len(unseen.studies), len(unseen.rows), row in unseen.study_of_row(row).split.train
    (3, 105, False)
    """

    def belongs_to(self, study: StudyBase) -> bool:
        """Tell whether these are folds of the training rows of a study, fitted to them as it was."""
        classes = study.classes if isinstance(study, Study) else None
        return super().belongs_to(study) and all(own.classes == classes for own in self.studies)

    def judged(self, rule: DecisionRule = MOST_PROBABLE) -> pd.DataFrame:
        """Return what a decision rule makes of the rows that were left out, as :meth:`Study.judged` does.

        Returns
        -------
        DataFrame
            Index ``row``, ascending; the columns of :meth:`Study.judged`, ``part`` being "train". A quantile refers
            to the rows of the same fold.
        """
        each = [study.judged(rule).loc[study.split.held_out] for study in self.studies]
        return pd.concat(each).sort_index().assign(part=pd.Series(TRAIN, index=self.rows, dtype="str"))

    @lazy_property
    def probabilities(self) -> pd.DataFrame:
        """Estimated probabilities of the rows that were left out: index ``row``, ascending, one column per class."""
        each = [study.probabilities.loc[study.split.held_out] for study in self.studies]
        return pd.concat(each).sort_index()


def judge_unseen(
    study: Study,
    *,
    n_folds: int = N_FOLDS,
    random_state: int = 0,
    progress: Callable[[FitsProgress], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Unseen:
    """Fit a model for each fold of the training rows, so that every row is judged by one that has not seen it.

    Folds are dealt as in a search: each class in about equal shares, groups of the split whole. Split by time, each
    fold learns from earlier rows only, so only the later training rows are left out. Rows of a class that is too rare
    to be learned without them are not left out either. It takes about as long as `n_folds` fits.

    Parameters
    ----------
    study : Study
        Fitted; it does not change. Roles and settings, those that a search has found included, are kept but for the
        seed of each fold; each fold has a design of its own.
    n_folds : int
        From 2 to 100.
    random_state : int
        Seed of the folds.
    progress : callable or None
        Receives a :class:`FitsProgress`, often; raising from it ends the work.
    cancel : callable or None
        Asked often; once it returns True, the work ends.

    Raises
    ------
    StudyError
        If rows, groups or times do not suffice for the folds, or the settings cannot be fitted to one.
    Cancelled
        If it is cancelled.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = judge_unseen(study).judged()
    >>> len(found), len(study.split.train), found["part"].unique().tolist()
    (105, 105, ['train'])
    """
    problem = CheckedTable.of(study)
    folds = folds_of(study, problem, n_folds=n_folds, random_state=random_state)
    studies = []
    for number, fold in enumerate(folds):
        tell = teller(progress, cancel, number, len(folds))
        studies.append(_fold_study(study, problem, fold, number, tell))
    return Unseen(tuple(studies))


def untouched_rows(study: StudyBase) -> NDArray[np.int64]:
    """Return the held-out rows that are never listed for review, so that a before and after stays honest.

    Parameters
    ----------
    study : Study or NumberStudy
        Only its split and what the table states of its held-out rows count, so that it is the same for every model of a
        split.

    Returns
    -------
    ndarray of int64
        About half of the held-out rows, and of each class, or third of the numbers, ascending; whole groups where the
        split has groups.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> len(untouched_rows(study)), len(study.split.held_out)
    (23, 45)
    """
    rows = np.sort(study.split.held_out)
    labels = target_labels(study.table.frame, study.roles).loc[pd.Index(rows)]
    codes = pd.factorize(labels.to_numpy(dtype=object), sort=True)[0].astype(np.int64)
    rng = np.random.default_rng([study.split.settings.seed, _UNTOUCHED_STREAM])
    groups = study.groups_of(rows)
    groups = np.arange(len(rows)) if groups is None else pd.factorize(groups)[0]
    return rows[_one_half(codes, groups, rng)]


def _one_half(codes: NDArray[np.int64], groups: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Mark half of the rows: group after group, in random order, to the side where its classes are fewer."""
    members = np.zeros((int(groups.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 1), dtype=np.int64)
    np.add.at(members, (groups, codes), 1)
    more = np.zeros(members.shape[1], dtype=np.int64)  # rows of each class that the one side has more than the other
    marked = np.zeros(len(members), dtype=bool)
    for group in rng.permutation(len(members)).tolist():
        leans = int(more @ members[group]) or int(more.sum())
        marked[group] = leans < 0 or (leans == 0 and rng.random() < 0.5)
        more += members[group] if marked[group] else -members[group]
    half: NDArray[np.bool_] = marked[groups]
    return half


def _fold_study(
    study: Study, problem: CheckedTable, fold: Fold, number: int, tell: Callable[[FitProgress], None]
) -> Study:
    """Fit the settings of a study to all folds but one, which is held out."""
    own = replace(problem, split=fold_split(study, fold))
    settings = replace(study.settings, random_state=fold_seed(study, number))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as in the folds of a search
        return fit_problem(own, settings, progress=tell, started=time.perf_counter())
