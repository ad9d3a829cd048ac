"""Studies of the folds of a study's training rows, whatever its target is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.common.lazy import lazy_property
from proset.data.split import LARGEST_SEED, Split
from proset.selection.folds import Fold
from proset.study.base import StudyBase

N_FOLDS = 5
S = TypeVar("S", bound=StudyBase)


@dataclass(frozen=True, eq=False)
class FoldStudies(Generic[S]):
    """Studies of the folds of a study's training rows.

    Attributes
    ----------
    studies : tuple of Study or NumberStudy
        One per fold, of the same table, roles and settings, but each with a seed, and so an id, of its own. In its
        split, ``train`` are the rows that it was fitted to and ``held_out`` the rows of its fold, while ``unlabelled``
        are all that take no part, with or without a target: the rows that the study itself holds out are seen by none
        of them.
    """

    studies: tuple[S, ...]

    @lazy_property
    def rows(self) -> NDArray[np.int64]:
        """Training rows that were left out, ascending: all of them, unless split by time or of very rare classes."""
        found: NDArray[np.int64] = np.sort(np.concatenate([study.split.held_out for study in self.studies]))
        return found

    @lazy_property
    def fold_of_row(self) -> pd.Series:
        """The position in ``studies`` of each row that was left out; index ``row``, in the order of ``rows``."""
        each = [pd.Series(number, index=study.split.held_out) for number, study in enumerate(self.studies)]
        return pd.concat(each).astype("int64").sort_index().rename_axis("row")

    def study_of_row(self, row: int) -> S:
        """Return the study whose model has not seen a row.

        Raises
        ------
        StudyError
            If the row was not left out.
        """
        if row not in self.fold_of_row.index:
            raise StudyError(
                f"Row {row} was not left out of any fold.",
                hint="Only training rows are; of a split by time the later ones, and none of very rare classes.",
            )
        return self.studies[int(self.fold_of_row.loc[row])]

    def belongs_to(self, study: StudyBase) -> bool:
        """Tell whether these are folds of the training rows of a study, fitted to them as it was."""
        return bool(self.studies) and all(_is_fold_of(study, own) for own in self.studies)

    def check_belongs_to(self, study: StudyBase) -> None:
        """Refuse folds of another study.

        Raises
        ------
        StudyError
            If they are not those of its training rows.
        """
        if not self.belongs_to(study):
            told = "The training rows were judged by folds of another model."
            raise StudyError(told, hint="Judge them anew by models that have not seen them.")


def fold_split(study: StudyBase, fold: Fold) -> Split:
    """Return the split of the study of a fold."""
    train, left_out = study.split.train[fold.train], study.split.train[fold.test]
    every = study.table.frame.index.to_numpy(dtype=np.int64)
    aside = np.setdiff1d(every, np.concatenate([train, left_out]))
    return Split(train, left_out, aside, study.split.settings)


def fold_seed(study: StudyBase, number: int) -> int:
    """Return a seed of its own, so that no fold has the id of the study, however little the models differ."""
    return int((study.settings.random_state + 1 + number) % (LARGEST_SEED + 1))


def _is_fold_of(study: StudyBase, own: StudyBase) -> bool:
    """Tell whether a study is of some of the training rows of another one, and like it but for the seed."""
    settings = replace(own.settings, random_state=study.settings.random_state)
    return (
        own.table.fingerprint == study.table.fingerprint
        and own.roles == study.roles
        and own.guidance == study.guidance
        and settings == study.settings
        and own.split.settings == study.split.settings
        and bool(np.isin(np.concatenate([own.split.train, own.split.held_out]), study.split.train).all())
    )
