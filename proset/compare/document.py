"""A comparison as files: one table of measures and sizes, the estimates, all numbers as JSON, all of it as sheets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from proset.compare.cost import cost_table
from proset.compare.disputes import check_same, disagreements
from proset.compare.features import feature_matrix
from proset.compare.measures import MEASURES, FloatArray
from proset.compare.sizes import size_paths
from proset.compare.table import metric_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from proset.compare.result import Comparison, DriftTest
    from proset.study import Study

SHARES_ALONE = "class shares alone"
"""Name of the line that every system is held against."""


def summary_table(comparison: Comparison) -> pd.DataFrame:
    """Return the measures, times and sizes of all systems, and the measures of the class shares, in one table.

    Returns
    -------
    DataFrame
        Index ``key``; the columns of :attr:`proset.compare.MetricTable.frame`, then those of
        :func:`proset.compare.cost_table`. The last line, ``naive``, is the class shares alone.
    """
    measured = metric_table(comparison)
    frame = measured.frame.join(cost_table(comparison).drop(columns="title"))
    naive = pd.DataFrame({"title": SHARES_ALONE, **measured.naive, "failed": ""}, index=["naive"])
    kinds = frame.dtypes.to_dict()
    return pd.concat([frame, naive.reindex(columns=frame.columns).astype(kinds)]).rename_axis("key")


def fold_table(comparison: Comparison) -> pd.DataFrame:
    """Return the measures of each system on each fold: ``system``, ``title``, ``fold`` (from 1), and the measures."""
    naive = ("naive", SHARES_ALONE, comparison.naive_fold_scores)
    found = [*((entry.key, entry.title, entry.fold_scores) for entry in comparison.systems), naive]
    return by_fold(found, MEASURES)


def by_fold(found: Iterable[tuple[str, str, FloatArray]], measures: Sequence[str]) -> pd.DataFrame:
    """Return measures by fold of systems given by key, title and scores of shape (F, number of measures)."""
    frames = []
    for key, title, scores in found:
        frame = pd.DataFrame(scores, columns=list(measures))
        frame.insert(0, "fold", np.arange(1, len(scores) + 1))
        frame.insert(0, "title", title)
        frame.insert(0, "system", key)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def estimate_table(study: Study, comparison: Comparison) -> pd.DataFrame:
    """Return what each final model estimates for the measured rows, so that every measure on them can be checked.

    Returns
    -------
    DataFrame
        Index ``row`` (id); ``actual``, then for each system with a model and each class one column ``TITLE: CLASS``.

    Raises
    ------
    StudyError
        If the comparison is of another study.
    """
    check_same(study, comparison)
    index = pd.Index(comparison.measured, name="row")
    parts = [pd.DataFrame({"actual": study.labels.reindex(comparison.measured).to_numpy(dtype=object)}, index=index)]
    for entry in comparison.fitted:
        names = [f"{entry.title}: {name}" for name in comparison.classes]
        parts.append(pd.DataFrame(entry.probabilities, index=index, columns=names))
    return pd.concat(parts, axis=1)


def drift_table(drift: DriftTest) -> pd.DataFrame:
    """Return what was found of a shift, each line with what was shifted and how many rows there were of each part.

    Parameters
    ----------
    drift : DriftTest
        Of a comparison.

    Returns
    -------
    DataFrame
        :attr:`DriftTest.frame`, then ``halved_by`` (the column) or ``left_out`` (the class), the other is empty, and
        ``n_fitted``, ``n_usual``, ``n_shifted``.
    """
    counts = {name: getattr(drift, name) for name in ("n_fitted", "n_usual", "n_shifted")}
    return drift.frame.assign(halved_by=drift.column, left_out=drift.left_out, **counts)


def comparison_sheets(study: Study, comparison: Comparison) -> dict[str, pd.DataFrame]:
    """Return everything as sheets of a workbook, by name."""
    sheets = {
        "measures": summary_table(comparison).reset_index(),
        "folds": fold_table(comparison),
        "sizes": size_paths(comparison).to_frame(),
        "features": feature_matrix(comparison).to_frame().reset_index(),
        "disagreements": disagreements(study, comparison).to_frame(),
        "estimates": estimate_table(study, comparison).reset_index(),
    }
    if comparison.drift is not None:
        sheets["drift"] = drift_table(comparison.drift).reset_index()
    return sheets


def comparison_json(study: Study, comparison: Comparison) -> bytes:
    """Write all numbers of a comparison as JSON in UTF-8; what is not known is null."""
    matrix, rows, measured = feature_matrix(comparison), disagreements(study, comparison), metric_table(comparison)
    drift = comparison.drift
    document = {
        "table": study.table.name,
        "model": comparison.study_id,
        "plan": comparison.plan.to_state(),
        "classes": list(comparison.classes),
        "classes_that_no_fold_measures": list(comparison.unmeasured),
        "rows_learned_from": len(comparison.rows),
        "measured_on": comparison.which,
        "rows_measured": len(comparison.measured),
        "systems": {
            entry.key: {
                "title": entry.title,
                "about": entry.about,
                "settings": entry.settings,
                "failed": entry.failed,
                "notes": list(entry.notes),
                "uses_weights": entry.uses_weights,
            }
            for entry in comparison.systems
        },
        "measures": measured.to_frame(),
        "class_shares_alone": measured.naive.to_dict(),
        "equivalent_up_to": measured.threshold,
        "folds": fold_table(comparison),
        "sizes": size_paths(comparison).frame,
        "features": matrix.shares,
        "shared_prototypes": matrix.overlap,
        "agreement": rows.agreement,
        "disagreements": rows.rows,
        "drift": None if drift is None else {"words": " ".join(drift.words), "systems": drift.to_frame()},
        "cost": cost_table(comparison),
    }
    return as_json(document)


def as_json(document: dict[str, Any]) -> bytes:
    """Write frames, arrays and plain values as JSON in UTF-8; what is not known is null."""
    return json.dumps(_plain(document), ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace")


def _plain(value: Any) -> Any:
    """Turn frames, arrays and numbers of any kind into what JSON knows."""
    if isinstance(value, pd.DataFrame):
        own = not isinstance(value.index, pd.RangeIndex)  # positions say nothing
        return [_plain(line) for line in (value.reset_index() if own else value).to_dict("records")]
    if isinstance(value, dict):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if value is pd.NA or (isinstance(value, float) and not np.isfinite(value)):
        return None
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
