"""One case as the systems of a comparison see it, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.common.words import number, percent, shown

if TYPE_CHECKING:
    from proset.compare import Comparison, SystemCase
    from proset.study import Study

_MOST_NAMED = 3
_COUNTS = ("contribution", "similarity", "distance")
_ADD_TO_ESTIMATES = ("proset", "knn")  # the scores of the others are no probabilities


def truth_words(study: Study, found: Comparison, row: int) -> str:
    """Say what the table says of a row, and whether systems have learned from it."""
    label = study.labels.get(row)
    known = "The table does not say its class" if pd.isna(label) else f"The table says '{shown(label)}'"
    learned = bool(np.isin(row, found.rows))
    return f"{known}. " + (
        "All systems have learned from this row, so that they know its class."
        if learned
        else "No system has learned from this row."
    )


def said_words(study: Study, one: SystemCase, row: int) -> str:
    """Say which class a system states, how sure it is, and whether that is right."""
    label = study.labels.get(row)
    said = f"'{shown(one.predicted)}', {percent(float(one.probabilities.max()))}"
    if pd.isna(label):
        return said
    return f"{said} – {'right' if str(label) == str(one.predicted) else 'wrong'}"


def shares_words(one: SystemCase) -> str:
    """Name the most probable other classes, and how familiar the case is."""
    others = one.probabilities.drop(one.predicted).sort_values(ascending=False, kind="stable").head(_MOST_NAMED)
    parts = [f"{shown(name, 24)} {percent(float(share))}" for name, share in others.items()]
    text = f"Otherwise {', '.join(parts)}." if parts else ""
    if not np.isnan(one.quantile):
        text += f" More familiar than or as familiar as {percent(one.quantile)} of the held-out rows."
    return text.strip()


def prototype_lines(one: SystemCase) -> pd.DataFrame:
    """Return the prototypes that count most: case, class, and what they count, as text.

    ``attrs["counts"]`` names what the last column is: share (of the probability), contribution, similarity, distance.
    """
    found = one.prototypes
    lines = pd.DataFrame(
        {
            "case": [
                f"near row {row}" if made else f"Row {row}"
                for row, made in zip(found["row"], found["made"], strict=True)
            ],
            "class": [shown(name, 30) for name in found["class"]],
        }
    )
    kind = next((name for name in _COUNTS if found[name].notna().any()), None) if len(found) else None
    if kind is not None:
        shares = kind == "contribution" and one.key in _ADD_TO_ESTIMATES
        words = percent if shares else number
        lines["counts"] = ["" if np.isnan(value) else words(float(value)) for value in found[kind].astype(float)]
        lines.attrs["counts"] = "share" if shares else kind
    return lines


def notes(one: SystemCase) -> list[str]:
    """Say which features the system gives most weight, and what else there is to know."""
    found = list(one.notes)
    if "share" in one.features and one.features["share"].notna().any():
        top = one.features["share"].sort_values(ascending=False, kind="stable").head(_MOST_NAMED)
        named = [f"{shown(name, 30)} {percent(float(share))}" for name, share in top.items() if share > 0.0]
        if named:
            found.insert(0, f"Most of its weight: {', '.join(named)}.")
    return found
