"""SHAP values for pages: of one case in the table's words and units, and what counts over many rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.common.words import count_words
from proset.data.date_differences import with_differences
from proset.data.missing_words import mask_missing
from proset.engine.kernels.similarity import row_blocks
from proset.explain.familiarity_attribution import FamiliarityAttribution, attribute_familiarity
from proset.explain.shapley import ShapSteps, ShapValues, importance_frame, shap_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from dashboard.services.references import Reference
    from proset.study import Study

EXACT_FOR_ONE_CASE, EVALUATIONS_FOR_ONE_CASE = 16, 50_000
QUICK_EVALUATIONS = 1_000
QUICK_WORK = 250_000_000
"""Products that a page computes at once, in about 0.3 s; what takes more is a job."""
_MOST_QUICK, _FEWEST_QUICK = 5_000, 50
_VALUES_AT_ONCE = 2_000_000


def case_matrix(study: Study, case: int | pd.DataFrame) -> list[int] | NDArray[np.float64]:
    """Return a case as explanations take it beside a study: a row id, or the encoded row of new or edited data.

    Parameters
    ----------
    study : Study
        A fitted study.
    case : int or DataFrame
        A row id, or one row with the columns that the model uses.
    """
    if not isinstance(case, pd.DataFrame):
        return [int(case)]
    return study.design.transform(_as_read(study, case), only=study.used_columns).X.astype(np.float64)


def _as_read(study: Study, frame: pd.DataFrame) -> pd.DataFrame:
    """Return new data as the table would hold it: words for missing values masked, days between dates counted."""
    frame = mask_missing(frame, study.table.dialect.missing)
    return with_differences(frame, study.table.derived, used=study.used_columns)


def case_shap(study: Study, case: int | pd.DataFrame, reference: Reference) -> ShapValues:
    """Return the SHAP values of one case for all classes.

    Parameters
    ----------
    study : Study
        A fitted study.
    case : int or DataFrame
        A row id, or one row of new or edited data; the latter's label in ``index`` is 0.
    reference : Reference
        From :mod:`dashboard.services.references`.

    Returns
    -------
    ShapValues
        Of one case.

    Examples
    --------
    >>> from dashboard.services.references import references
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> found = case_shap(study, study.table.frame.loc[[17]], references(study)[0])
    >>> bool(np.allclose(found.values, case_shap(study, 17, references(study)[0]).values))
    True
    """
    return shap_values(
        study,
        case_matrix(study, case),
        reference,
        exact_up_to=EXACT_FOR_ONE_CASE,
        max_evaluations=EVALUATIONS_FOR_ONE_CASE,
    )


def case_familiarity(study: Study, case: int | pd.DataFrame, reference: Reference) -> FamiliarityAttribution:
    """Return which columns make one case more or less familiar than a reference; arguments as :func:`case_shap`."""
    return attribute_familiarity(study, case_matrix(study, case), reference)


def steps_frame(
    study: Study, steps: ShapSteps, case: int | pd.DataFrame, reference: Reference, *, most: int | None = None
) -> pd.DataFrame:
    """Return SHAP values beside the values of the table that they come from.

    Parameters
    ----------
    study : Study
        A fitted study.
    steps : ShapSteps
        From ``case_shap(...).steps(...)``.
    case, reference
        As for :func:`case_shap`.
    most : int, optional
        Columns listed at most, those that count most.

    Returns
    -------
    DataFrame
        Index: columns of the table whose SHAP value is not 0, by descending size. Columns: ``here`` and ``reference``
        (the cells of the table as they are), ``SHAP value`` and ``standard error`` (0 where exact).
    """
    names = list(steps.ordered.index[:most])
    cells = cell_values(study, case, reference)
    return cells.loc[names].assign(**{"SHAP value": steps.values[names], "standard error": steps.standard_error[names]})


def cell_values(study: Study, case: int | pd.DataFrame, reference: Reference) -> pd.DataFrame:
    """Return what the table says of a case and of a reference, as figures take it.

    Parameters
    ----------
    study : Study
        A fitted study.
    case, reference
        As for :func:`case_shap`.

    Returns
    -------
    DataFrame
        Index: the columns that the model uses. Columns: ``here`` and ``reference``.
    """
    names = list(study.used_columns)
    frame = _as_read(study, case) if isinstance(case, pd.DataFrame) else study.table.frame.loc[[int(case)]]
    there = study.table.frame.loc[reference.row]
    return pd.DataFrame(
        {
            "here": pd.Series([frame[name].iloc[0] for name in names], index=names, dtype=object),
            "reference": pd.Series([there[name] for name in names], index=names, dtype=object),
        },
        index=pd.Index(names, name="column", dtype="str"),
    )


def how_words(found: ShapValues) -> str:
    """Say how SHAP values were computed, and how far off they may be.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> how_words(SimpleNamespace(exact=np.array([True]), evaluations=np.array([64])))
    'Exact: the model was evaluated for all 64 combinations of columns.'
    """
    most = int(found.evaluations.max(initial=1))
    if found.exact.all():
        return f"Exact: the model was evaluated for all {most:,} combinations of columns."
    error = 100.0 * float(found.standard_error.max(initial=0.0))
    return (
        f"Estimated from {most:,} evaluations of the model along random orders of the columns: "
        f"a value may be off by about {max(error, 0.01):.2g} percentage points. The sum is exact."
    )


@dataclass(frozen=True, eq=False)
class Importance:
    """What counts over many rows.

    Attributes
    ----------
    frame : DataFrame
        Mean absolute SHAP value: index columns of the table, most important first, one column per class.
    rows : int
        Rows that it is the mean of.
    words : str
        Which rows these are, as a sentence.
    """

    frame: pd.DataFrame
    rows: int
    words: str


def quick_rows(study: Study) -> int:
    """Return how many rows a page goes through at once."""
    evaluations = min(QUICK_EVALUATIONS, 2 ** min(len(study.used_columns), 20))
    work = evaluations * max(1, len(study.prototypes))
    return max(_FEWEST_QUICK, min(_MOST_QUICK, QUICK_WORK // work))


def global_importance(
    study: Study,
    reference: Reference,
    *,
    most: int | None = None,
    every: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Importance:
    """Average the absolute SHAP values of the held-out rows.

    Parameters
    ----------
    study : Study
        A fitted study.
    reference : Reference
        What rows are compared with.
    most : int or None
        If there are more rows, that many of them are drawn, the same ones each time; None means :func:`quick_rows`.
    every : bool
        Take all rows.
    progress : callable, optional
        Called with the number of rows done and of all rows.

    Returns
    -------
    Importance

    Examples
    --------
    >>> from dashboard.services.references import references
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> found = global_importance(study, references(study)[0], most=10)
    >>> found.frame.shape, found.words
    ((2, 3), 'Mean over 10 of the 45 held-out rows, drawn at random, compared with the reference point (row 62).')
    """
    rows = explained_rows(study, most=most, every=every)
    features, classes = list(study.roles.features), list(study.classes)
    total = np.zeros((len(features), len(classes)))
    for block in row_blocks(len(rows), total.size, max_elements=_VALUES_AT_ONCE):
        tell = None if progress is None else partial(_tell, progress, block.start, len(rows))
        found = shap_values(study, rows[block], reference, max_evaluations=QUICK_EVALUATIONS, progress=tell)
        total += np.abs(found.values).sum(axis=0)
    frame = importance_frame(total / max(1, len(rows)), features, classes)
    return Importance(frame, len(rows), importance_words(study, reference, len(rows)))


def _tell(progress: Callable[[int, int], None], before: int, total: int, done: int, _: int) -> None:
    """Tell how many of all rows are done when some of a block are."""
    progress(before + done, total)


def explained_rows(study: Study, *, most: int | None = None, every: bool = False) -> NDArray[np.int64]:
    """Return the rows whose SHAP values are averaged; arguments as :func:`global_importance`.

    Returns
    -------
    int64 array
        Ascending row ids: of held-out rows, of training rows where none are held out.
    """
    held_out = study.split.held_out
    rows = np.sort(held_out if len(held_out) else study.split.train)
    limit = len(rows) if every else quick_rows(study) if most is None else most
    return rows if len(rows) <= limit else np.sort(np.random.default_rng(0).choice(rows, limit, replace=False))


def importance_words(study: Study, reference: Reference, taken: int) -> str:
    """Say over how many rows the mean is, which they are, and what they are compared with."""
    every = len(explained_rows(study, every=True))
    count = count_words(every, "held-out row" if len(study.split.held_out) else "training row")
    some = f"{taken:,} of the {count}, drawn at random" if taken < every else f"all {count}"
    return f"Mean over {some}, compared with {reference.words}."
