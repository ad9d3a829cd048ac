"""Repeated cross-validation with the settings of a model: what its verdict rests on where few rows are held out.

A dozen held-out rows say one thing under one seed and another under the next. Here every row with a class is said by
models that have not seen it, and all of it again with other folds, so that one sees how often the verdict is the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import ProsetError
from proset.engine.evidence.familiarity import familiarity_quantile, quantile_reference
from proset.engine.model import ClassifierModel
from proset.selection.folds import Fold
from proset.study.fit import CheckedTable
from proset.study.left_out import LeftOut
from proset.study.row_folds import folds_of
from proset.study.search import FoldDesign
from proset.study.steering import FoldSteering
from proset.study.study import Study
from proset.study.verdict import ENOUGH_ROWS

N_FOLDS = 5
TIMES_OF_FEW_ROWS, TIMES_OF_MANY_ROWS = 10, 5
_FEW_ROWS = 50
_LOOSE = 1e11  # tolerance of the solver, as inside the folds of a search


class _FitError(ProsetError):
    """A fit to the rows of a fold is refused."""


def n_repeats(n_held_out: int, *, by_time: bool = False) -> int:
    """Return how many cross-validations a verdict takes; 0 where enough rows are held out, or none.

    Where folds follow one another in time there is one way to cut them, and another time would say the same again.

    Examples
    --------
    >>> [n_repeats(rows) for rows in (0, 12, 171, 400)], n_repeats(12, by_time=True)
    ([0, 10, 5, 0], 1)
    """
    if not 0 < n_held_out < ENOUGH_ROWS:
        return 0
    if by_time:
        return 1
    return TIMES_OF_FEW_ROWS if n_held_out < _FEW_ROWS else TIMES_OF_MANY_ROWS


def with_repeats(study: Study, *, progress: Callable[[int, int], None] | None = None) -> Study:
    """Return a study with what repeated cross-validation says of its settings, if few rows were held out.

    Parameters
    ----------
    study : Study
        Fitted.
    progress : callable or None
        Called with the number of fits that are done and of all; raising from it ends the work.

    Returns
    -------
    Study
        The same one where enough rows were held out, or where rows, groups or times do not suffice for the folds; also
        where a fit fails, and then a warning says which and why.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = with_repeats(fit_sample("iris_2f"))
    >>> study.left_out.probabilities.shape, len(study.split.held_out)
    ((10, 150, 3), 45)
    """
    times = n_repeats(len(study.split.held_out), by_time=study.split.settings.by_time)
    if not times:
        return study
    problem, target = _rows(study)
    try:
        folds = [folds_of(study, problem, n_folds=N_FOLDS, random_state=seed) for seed in range(times)]
        parts = list(_estimates(study, problem, target, folds, progress))
    except _FitError as error:  # the study itself is sound, and its held-out rows can still be judged by
        warnings.warn(str(error), UserWarning, stacklevel=2)
        return study
    except ProsetError:  # too few rows, groups or times for the folds
        return study
    judged = np.flatnonzero(np.isfinite(np.concatenate(parts, axis=1)).all(axis=1))
    together = np.stack(parts)[:, judged]
    found = LeftOut(N_FOLDS, problem.split.train[judged], together[:, :, :-1], together[:, :, -1])
    return replace(study, left_out=found)


def _estimates(
    study: Study,
    problem: CheckedTable,
    target: NDArray[np.int64],
    folds: list[tuple[Fold, ...]],
    progress: Callable[[int, int], None] | None,
) -> Iterator[NDArray[np.float64]]:
    """Yield for each repetition the estimates of all rows and, last, their familiarity; nan for those not left out."""
    frame = problem.training_rows[list(study.roles.features)]
    prepare = FoldDesign(frame, study.roles, study.settings.scale, problem.target)
    steer = FoldSteering(frame.index.to_numpy(dtype=np.int64), study.guidance, prepare)
    total = sum(map(len, folds))
    for number, parts in enumerate(folds):
        found = np.full((len(target), len(study.classes) + 1), np.nan)
        settings = replace(study.settings, solver_factr=_LOOSE, random_state=number).for_model
        for place, fold in enumerate(parts, start=1):
            train, test = prepare(fold.train, fold.test)
            asked = steer(fold.train).arguments()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of fits that nobody keeps
                model = ClassifierModel(**settings)
                try:
                    model.fit(train, target[fold.train], **asked)
                except ValueError as error:
                    done = number * len(parts) + place
                    raise _FitError(
                        f"The verdict rests on the held-out rows alone: fit {done} of {total} to rows left out in turn"
                        f" failed. {error}"
                    ) from error
            familiarity = model.familiarity(test)
            among = familiarity_quantile(familiarity, quantile_reference(familiarity))
            found[fold.test] = np.column_stack([model.predict_proba(test), among])
            if progress is not None:
                progress(number * len(parts) + place, total)
        yield found


def _rows(study: Study) -> tuple[CheckedTable, NDArray[np.int64]]:
    """Return all rows with a class that the model knows as rows to learn from, and the positions of their classes."""
    rows = np.sort(np.concatenate([study.split.train, study.split.held_out]))
    codes = pd.Index(study.classes).get_indexer(pd.Index(study.labels.loc[rows])).astype(np.int64)
    split = replace(study.split, train=rows[codes >= 0], held_out=rows[:0])
    return CheckedTable(study.table, study.roles, study.labels, split, study.guidance), codes[codes >= 0]
