"""Quality of each system of a comparison on some of the rows that it was measured on, without a new fit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.compare.disputes import check_same
from proset.engine.metrics import losses_of
from proset.study.intervals import share_interval

if TYPE_CHECKING:
    from proset.compare.result import Comparison
    from proset.study import Study


def measures_within(study: Study, comparison: Comparison, cases: Iterable[int] | None = None) -> pd.DataFrame:
    """Measure the final model of each system on some of the measured rows.

    Parameters
    ----------
    cases : iterable of int or None
        Row ids; those that were not measured do not count. None for all measured rows.

    Returns
    -------
    DataFrame
        Index ``key``, only systems with a model; ``title``, ``rows``, ``wrong`` (by the most probable class),
        ``share`` (that is wrong, in [0, 1]), ``low``, ``high`` (its 95 % interval, by whole groups where the split has
        groups) and ``log_loss``; nan without rows.

    Raises
    ------
    StudyError
        If the comparison is of another study.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False))
    >>> measures_within(study, found, study.split.held_out[:20])["rows"].tolist()
    [20, 20]
    """
    check_same(study, comparison)
    inside = comparison.measured_among(cases)
    rows = comparison.measured[inside]
    actual = pd.Index(comparison.classes).get_indexer(pd.Index(study.labels.reindex(rows).astype("str")))
    groups = study.groups_of(rows)
    lines = []
    for entry in comparison.fitted:
        estimates = entry.probabilities[inside]
        wrong = estimates.argmax(axis=1) != actual
        share = share_interval(wrong, groups)
        # Of a class that the system has not learned nothing is stated.
        stated = np.where(actual >= 0, estimates[np.arange(len(rows)), actual], 0.0)
        loss = float(losses_of(stated).mean()) if len(rows) else np.nan
        lines.append((entry.title, len(rows), int(wrong.sum()), share.value, share.low, share.high, loss))
    columns = ["title", "rows", "wrong", "share", "low", "high", "log_loss"]
    index = pd.Index([entry.key for entry in comparison.fitted], dtype="str", name="key")
    return pd.DataFrame(lines, columns=columns, index=index).astype({"title": "str", "rows": "int64", "wrong": "int64"})
