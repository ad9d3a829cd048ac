"""The known cases nearest to a case, ready to be listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from proset.explain.cases.near_cases import NearestCases

MOST_CLASSES = 3
"""Classes whose nearest cases are listed."""


def nearest_by_class(
    found: NearestCases, probabilities: pd.Series, actual: str | None
) -> tuple[tuple[str, pd.DataFrame], ...]:
    """Return the nearest cases of each class.

    Parameters
    ----------
    found : NearestCases
        From :func:`proset.explain.nearest_cases`.
    probabilities : Series
        Estimated probabilities, index class.
    actual : str or None
        The actual class.

    Returns
    -------
    tuple of (str, DataFrame)
        Most probable class first; of many classes the actual one and the three that have most similar cases.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> near = explain.nearest_cases(study, 1)
    >>> [label for label, _ in nearest_by_class(near, study.probabilities.loc[1], "setosa")][0]
    'setosa'
    """
    best = found.frame.groupby("class")["similarity"].max().sort_values(ascending=False, kind="stable")
    kept = {*best.index[:MOST_CLASSES], *([actual] if actual is not None else [])}
    order = probabilities.sort_values(ascending=False, kind="stable").index
    return tuple((name, found.of(name)) for name in order if name in kept and name in best.index)
