"""Time and memory of each system."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from proset.compare.result import Comparison


def cost_table(comparison: Comparison) -> pd.DataFrame:
    """Return time and size of the final models.

    Returns
    -------
    DataFrame
        Index ``key``; ``title``, ``fit_seconds`` (of one fit, tuning included), ``predict_seconds`` (for 1,000 rows),
        ``size_bytes``, ``n_prototypes``, ``n_features`` (columns of the table); missing without a model.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False))
    >>> cost_table(found)["n_prototypes"].to_dict()
    {'proset': 28, 'knn': 105}
    """
    lines = [
        {
            "title": entry.title,
            "fit_seconds": entry.fit_seconds,
            "predict_seconds": entry.predict_seconds,
            "size_bytes": pd.NA if entry.model is None else entry.size_bytes,
            "n_prototypes": pd.NA if entry.n_prototypes is None else entry.n_prototypes,
            "n_features": pd.NA if entry.n_features is None else entry.n_features,
        }
        for entry in comparison.systems
    ]
    index = pd.Index([entry.key for entry in comparison.systems], dtype="str", name="key")
    counts = dict.fromkeys(("size_bytes", "n_prototypes", "n_features"), "Int64")
    times = dict.fromkeys(("fit_seconds", "predict_seconds"), "float64")
    return pd.DataFrame(lines, index=index).astype(counts | times)
