"""Searches of the reference models as text to print."""

from __future__ import annotations

import pandas as pd

from proset.selection.rules import SettingChoice


def knn_report(table: pd.DataFrame, choice: SettingChoice, seconds: float) -> str:
    """Write down the optimal and the chosen k with their losses and the threshold, in lines of at most 80 characters.

    Parameters
    ----------
    table, choice, seconds
        As in :class:`proset.reference_models.KnnResult`.
    """
    lines = [f"k nearest neighbours: {len(table)} values of k, {seconds:.1f} s"]
    return "\n".join(lines + _stage("Cross-validation", table, choice, {"k": ".0f"}))


def xgb_report(
    stage_1: pd.DataFrame,
    choice_1: SettingChoice,
    stage_2: pd.DataFrame,
    choice_2: SettingChoice,
    *,
    seconds: float,
    note: str | None,
) -> str:
    """Write down what is optimal and what is chosen in both stages, in lines of at most 80 characters.

    Parameters
    ----------
    stage_1, choice_1, stage_2, choice_2, seconds
        As in :class:`proset.reference_models.XgbResult`.
    note : str or None
        What a reader should know about the search, as a sentence.
    """
    lines = [f"XGBoost: {len(stage_1)} settings, then up to {len(stage_2):,} iterations, {seconds:.1f} s"]
    lines += _stage("Stage 1", stage_1, choice_1, {"max_depth": ".0f", "colsample": ".2f", "subsample": ".2f"})
    lines += _stage("Stage 2", stage_2, choice_2, {"iterations": ",.0f"})
    return "\n".join(lines + ([note] if note else []))


def _stage(title: str, table: pd.DataFrame, choice: SettingChoice, columns: dict[str, str]) -> list[str]:
    """Lay out one stage: a head, then optimal, threshold and chosen below it."""
    width = 11
    lines = ["", f"{title:<10}" + "".join(f"{name:>{width}}" for name in (*columns, "log-loss", "sd"))]
    for name, label in (("optimal", choice.optimal), ("chosen", choice.chosen)):
        row = table.loc[label]
        cells = [format(row[column], spec) for column, spec in columns.items()]
        cells += [f"{row['mean']:.4f}", f"{row['sd']:.4f}"]
        lines.append(f"{name:<10}" + "".join(f"{cell:>{width}}" for cell in cells))
    threshold = f"{choice.threshold:.4f}"
    lines.insert(3, f"{'threshold':<10}" + " " * (width * len(columns)) + f"{threshold:>{width}}")
    return lines
