"""Training rows with a number as target, judged by models that have not seen them; and the same of either kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import pandas as pd

from proset.common.errors import StorageError
from proset.common.lazy import lazy_property
from proset.selection.number_folds import number_folds
from proset.selection.number_plan import NumberPlan
from proset.study.any_study import AnyStudy
from proset.study.base import TRAIN, StudyBase
from proset.study.fold_studies import N_FOLDS, FoldStudies, fold_seed, fold_split
from proset.study.number_fit import NumberProblem, fit_number_again
from proset.study.number_study import NumberStudy
from proset.study.several_fits import FitsProgress, teller
from proset.study.study import Study
from proset.study.unseen import Unseen, judge_unseen


@dataclass(frozen=True, eq=False)
class NumberUnseen(FoldStudies[NumberStudy]):
    """Studies of the folds of the training rows of a study of a number."""

    def belongs_to(self, study: StudyBase) -> bool:
        """Tell whether these are folds of the training rows of a study, fitted to them as it was."""
        calibration = study.calibration if isinstance(study, NumberStudy) else None
        return super().belongs_to(study) and all(own.calibration == calibration for own in self.studies)

    @lazy_property
    def predictions(self) -> pd.DataFrame:
        """Answers for the rows that were left out, as :attr:`NumberStudy.predictions` has them; ascending.

        ``part`` is "train"; a quantile of familiarity refers to the rows of the same fold.
        """
        each = [study.predictions.loc[study.split.held_out] for study in self.studies]
        return pd.concat(each).sort_index().assign(part=pd.Series(TRAIN, index=self.rows, dtype="str"))


AnyUnseen = Unseen | NumberUnseen


def judge_numbers_unseen(
    study: NumberStudy,
    *,
    n_folds: int = N_FOLDS,
    random_state: int = 0,
    progress: Callable[[FitsProgress], None] | None = None,
    cancel: Callable[[], bool] | None = None,
) -> NumberUnseen:
    r"""Fit a model for each fold of the training rows, so that each is judged by one that has not seen it.

    Folds are dealt as in a search: each third of the numbers in about equal shares, groups of the split whole. Split by
    time, each fold learns from earlier rows only. Everything else is as for :func:`proset.study.unseen.judge_unseen`.

    Parameters
    ----------
    study : NumberStudy
        Fitted; it does not change. Columns that its search has left out stay out.
    n_folds, random_state, progress, cancel
        As there, and so are the errors.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = judge_numbers_unseen(study, n_folds=3).predictions
    >>> len(found), found["part"].unique().tolist(), "inside" in found
    (278, ['train'], True)
    """
    problem = NumberProblem.of(study)
    plan = NumberPlan(n_folds=n_folds, random_state=random_state)
    folds = number_folds(problem.data(study.settings.scale), plan)
    studies = []
    for number, fold in enumerate(folds):
        tell = teller(progress, cancel, number, len(folds))
        studies.append(fit_number_again(study, fold_split(study, fold), fold_seed(study, number), progress=tell))
    return NumberUnseen(tuple(studies))


def judge_any_unseen(
    study: AnyStudy, *, n_folds: int = N_FOLDS, progress: Callable[[FitsProgress], None] | None = None
) -> AnyUnseen:
    """Judge the training rows of a study by models that have not seen them, whatever its target is."""
    judge = judge_unseen if isinstance(study, Study) else judge_numbers_unseen
    return cast(Callable[..., AnyUnseen], judge)(study, n_folds=n_folds, progress=progress)


def unseen_of(folds: Sequence[AnyStudy]) -> AnyUnseen:
    """Put studies of folds together again, as they were saved.

    Raises
    ------
    StorageError
        If some are of classes and others of a number.
    """
    numbers = tuple(one for one in folds if isinstance(one, NumberStudy))
    classes = tuple(one for one in folds if isinstance(one, Study))
    if numbers and classes:
        raise StorageError("Some folds are of classes and others of a number.", hint="Judge the training rows anew.")
    return NumberUnseen(numbers) if numbers else Unseen(classes)
