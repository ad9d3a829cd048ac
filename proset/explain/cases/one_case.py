"""One case of a study as a frame of one row and as a row of the matrix, wherever it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from proset.common.errors import StudyError

if TYPE_CHECKING:
    from proset.data.design import Encoded
    from proset.study import Study

CaseLike = int | pd.DataFrame
"""A row id of the study's table, or a frame of one row that holds at least the columns that the model uses."""


def one_row(study: Study, case: CaseLike) -> tuple[pd.DataFrame, Encoded]:
    """Return one case as a frame of one row and encoded.

    Parameters
    ----------
    study : Study
        A fitted study.
    case : int or DataFrame
        A row id, or a row that need not be in the table.

    Returns
    -------
    frame : DataFrame
        One row; in a new one, what means missing is missing and the days between dates are counted.
    encoded : Encoded
        The same as the model sees it.

    Raises
    ------
    StudyError
        If the table has no such row, or the frame does not hold exactly one.
    DesignError
        If the frame lacks a column or a cell does not fit it.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> one_row(study, 17)[1].X.shape
    (1, 2)
    """
    if not isinstance(case, pd.DataFrame):
        encoded = study.encode([int(case)])
        return study.table.frame.loc[[int(case)]], encoded
    if len(case) != 1:
        raise StudyError(f"One row can be explained at a time, but {len(case):,} were given.", hint="Choose one row.")
    frame = study.prepared(case)
    return frame, study.design.transform(frame, only=study.used_columns)
