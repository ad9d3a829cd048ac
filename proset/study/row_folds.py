"""Folds of a study's rows, dealt as a search deals them: what every cross-validation with given settings stands on."""

from __future__ import annotations

import pandas as pd

from proset.engine.candidates import smallest_class_size
from proset.selection.folds import Fold, make_folds
from proset.selection.plan import SearchPlan
from proset.study.fit import CheckedTable
from proset.study.study import Study


def folds_of(study: Study, problem: CheckedTable, *, n_folds: int, random_state: int) -> tuple[Fold, ...]:
    """Cut the rows of a problem into folds, under the groups and times of its split.

    Parameters
    ----------
    study : Study
        Says which classes there are, and how many rows of each its settings need.
    problem : CheckedTable
        Its training rows are dealt; all of them have a class that the study knows.
    n_folds : int
        From 2 to 100.
    random_state : int
        Seed of the folds; split by time, nothing is left to chance.

    Returns
    -------
    tuple of Fold
        Positions among the training rows of the problem. A class of which a fold would keep too few rows is trained
        on there in full and not left out, unless rows stay together or follow one another in time.

    Raises
    ------
    StudyError
        If rows, groups or times do not suffice.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f", n_iter=0)
    >>> [len(fold.test) for fold in folds_of(study, CheckedTable.of(study), n_folds=3, random_state=0)]
    [35, 35, 35]
    """
    return make_folds(
        pd.Index(study.classes).get_indexer(pd.Index(problem.target)).astype("int64"),
        SearchPlan(n_folds=n_folds, random_state=random_state),
        problem.groups,
        problem.times,
        smallest=smallest_class_size(study.settings.max_fraction),
        classes=study.classes,
        keep_rare=True,
    )
