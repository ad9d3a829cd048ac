"""A comparison of systems that answer with a number as files: all numbers as JSON, and as sheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.compare.document import as_json, by_fold
from proset.compare.numbers.levels import LEVELS, NUMBER_MEASURES
from proset.compare.numbers.number_disputes import number_disputes
from proset.compare.numbers.number_result import NumberComparison, number_table

if TYPE_CHECKING:
    from proset.study.number_study import NumberStudy


def number_summary(comparison: NumberComparison) -> pd.DataFrame:
    """Return measures, times and sizes of all systems; index ``key``.

    The columns of :attr:`proset.compare.NumberTable.frame`, then ``fit_seconds``, ``predict_seconds`` (for 1,000 rows),
    ``n_prototypes`` and ``n_features``.
    """
    frame = number_table(comparison).to_frame()
    entries = {entry.key: entry for entry in comparison.systems}
    for name in ("fit_seconds", "predict_seconds"):
        frame[name] = [getattr(entries[key], name) if key in entries else np.nan for key in frame.index]
    for name in ("n_prototypes", "n_features"):
        counts = [getattr(entries[key], name) if key in entries else None for key in frame.index]
        frame[name] = pd.array(counts, dtype="Int64")
    return frame


def number_folds_table(comparison: NumberComparison) -> pd.DataFrame:
    """Return the measures of each system on each fold: ``system``, ``title``, ``fold`` (from 1), and the measures."""
    entries = (*comparison.systems, comparison.line, comparison.everybody)
    return by_fold(((entry.key, entry.title, entry.fold_scores) for entry in entries), NUMBER_MEASURES)


def number_answers_table(comparison: NumberComparison) -> pd.DataFrame:
    """Return what each final model says of the measured rows, so that every measure on them can be checked.

    Columns ``system``, ``row``, ``actual``, ``mean`` and the quantiles, such as ``5 %``.
    """
    frames = []
    for entry in comparison.fitted:
        frame = pd.DataFrame(entry.quantiles, columns=[f"{100 * level:.0f} %" for level in LEVELS])
        frame.insert(0, "mean", entry.means)
        frame.insert(0, "actual", comparison.actual)
        frame.insert(0, "row", comparison.measured)
        frame.insert(0, "system", entry.key)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=["system", "row", "actual"])


def number_comparison_json(study: NumberStudy, comparison: NumberComparison) -> bytes:
    """Write all numbers of a comparison as JSON in UTF-8; what is not known is null.

    Examples
    --------
    >>> import json
    >>> from proset.compare import ComparePlan, compare_numbers
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = compare_numbers(study, ComparePlan(("knn",), n_folds=2, max_rows=200))
    >>> [line["key"] for line in json.loads(number_comparison_json(study, found))["measures"]]
    ['knn', 'line', 'everybody']
    """
    entries = ("title", "about", "settings", "failed", "notes")
    disputes = number_disputes(comparison)
    return as_json(
        {
            "table": study.table.name,
            "model": comparison.study_id,
            "plan": comparison.plan.to_state(),
            "target": comparison.target,
            "rows_learned_from": len(comparison.rows),
            "measured_on": comparison.which,
            "rows_measured": len(comparison.measured),
            "systems": {entry.key: {name: getattr(entry, name) for name in entries} for entry in comparison.systems},
            "measures": number_summary(comparison),
            "equivalent_up_to": number_table(comparison).threshold,
            "folds": number_folds_table(comparison),
            "differences": disputes.agreement,
            "disagreements": disputes.frame,
        }
    )


def number_comparison_sheets(comparison: NumberComparison) -> dict[str, pd.DataFrame]:
    """Return the sheets of a workbook: measures, folds, answers, rows on which systems disagree."""
    return {
        "Measures": number_summary(comparison).reset_index(),
        "Folds": number_folds_table(comparison),
        "Answers": number_answers_table(comparison),
        "Disagreements": number_disputes(comparison).frame.reset_index(),
    }
