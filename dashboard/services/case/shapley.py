"""SHAP values of one case for pages, in the table's words and units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.explain.attribution.familiarity_attribution import FamiliarityAttribution, attribute_familiarity
from proset.explain.attribution.shapley import ShapValues, shap_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dashboard.services.references import Reference
    from proset.study import Study

EXACT_FOR_ONE_CASE, EVALUATIONS_FOR_ONE_CASE = 16, 50_000


def case_matrix(study: Study, case: int | pd.DataFrame) -> list[int] | NDArray[np.float64]:
    """Return a case as explanations take it beside a study: a row id, or the encoded row of new or edited data.

    Parameters
    ----------
    case : int or DataFrame
        A row id, or one row with the columns that the model uses.
    """
    if not isinstance(case, pd.DataFrame):
        return [int(case)]
    return study.design.transform(study.prepared(case), only=study.used_columns).X.astype(np.float64)


def case_shap(study: Study, case: int | pd.DataFrame, reference: Reference) -> ShapValues:
    """Return the SHAP values of one case for all classes.

    Parameters
    ----------
    case : int or DataFrame
        A row id, or one row of new or edited data; the latter's label in ``index`` is 0.
    reference : Reference
        From :mod:`dashboard.services.references`.

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


def cell_values(study: Study, case: int | pd.DataFrame, reference: Reference) -> pd.DataFrame:
    """Return what the table says of a case and of a reference, as figures take it.

    Parameters
    ----------
    case, reference
        As for :func:`case_shap`.

    Returns
    -------
    DataFrame
        Index: the columns that the model uses. Columns: ``here`` and ``reference``.
    """
    names = list(study.used_columns)
    frame = study.prepared(case) if isinstance(case, pd.DataFrame) else study.table.frame.loc[[int(case)]]
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
