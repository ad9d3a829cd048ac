"""One case as the systems of a comparison see it, as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.frames import free_names
from proset.common.words import number, percent, shown

if TYPE_CHECKING:
    from proset.compare import Comparison, SystemCase
    from proset.study import Study

_MOST_NAMED = 3
_MOST_DECIMALS = 6
_COUNTS = {
    "pvm": "distance",
    "smp": "similarity",
    "gbmap": "distance",
}  # what decides; of the others, what a prototype adds
_ADD_TO_ESTIMATES = ("proset", "knn")  # the scores of the others are no probabilities
_PLAIN = ("pvm", "knn")  # distance in all columns of the matrix alike


def truth_words(study: Study, found: Comparison, row: int) -> str:
    """Say what the table says of a row, and whether systems have learned from it."""
    label = study.labels.get(row)
    known = "The table does not say its class" if pd.isna(label) else f"The table says '{shown(label)}'"
    learned = bool(np.isin(row, found.rows))
    return f"{known}. " + (
        "Every system has learned from this row, so that being right here says little."
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


def shares_words(one: SystemCase, which: str) -> str:
    """Name the most probable other classes, and how familiar the case is."""
    others = one.probabilities.drop(one.predicted).sort_values(ascending=False, kind="stable").head(_MOST_NAMED)
    parts = [f"'{shown(name, 24)}' {percent(float(share))}" for name, share in others.items()]
    text = f"Otherwise {', '.join(parts)}." if parts else ""
    if not np.isnan(one.quantile):
        text += f" At least as familiar to it as {percent(one.quantile)} of the {which}."
    return text.strip()


def prototype_lines(study: Study, one: SystemCase) -> pd.DataFrame:
    """Return the prototypes that count most, the most important first: case, class, and what counts of them, as text.

    What counts differs from system to system, see :data:`dashboard.texts.compare.COUNTS`.
    """
    found, column = one.prototypes, _COUNTS.get(one.key, "contribution")
    names = prototype_names(study, one)
    if column != "contribution" and len(found):
        order = np.argsort(found[column].to_numpy(dtype=float) * (1 if column == "distance" else -1), kind="stable")
        found, names = found.iloc[order], [names[i] for i in order]
    lines = pd.DataFrame({"case": names, "class": [shown(name, 30) for name in found["class"]]})
    if len(found) and found[column].notna().any():
        values = found[column].to_numpy(dtype=np.float64)
        lines["counts"] = [percent(value) for value in values] if one.key in _ADD_TO_ESTIMATES else aligned(values)
        lines.loc[np.isnan(values), "counts"] = ""
    return lines


def aligned(values: NDArray[np.float64]) -> list[str]:
    """Write numbers below each other with the same decimals: three digits of the largest, but all before the point.

    Examples
    --------
    >>> aligned(np.array([5.492, -0.8807])), aligned(np.array([41.93, 43.2])), aligned(np.array([0.0, 1234.5]))
    (['5.49', '-0.88'], ['41.9', '43.2'], ['0', '1,234'])
    """
    largest = float(np.nanmax(np.abs(values), initial=0.0))
    decimals = max(0, 2 - math.floor(math.log10(largest))) if 0.0 < largest < math.inf else 0
    return [f"{value:,.{decimals}f}" if decimals <= _MOST_DECIMALS else number(float(value)) for value in values]


def prototype_names(study: Study, one: SystemCase) -> list[str]:
    """Return what the prototypes are called: rows as on the other pages, or points that lie near one."""
    rows = one.prototypes["row"]
    names = [shown(name, 30) for name in study.names_of(study.table.frame.loc[rows.to_list()])]
    own = [f"Row {row}" if name == f"row {row}" else name for name, row in zip(names, rows, strict=True)]
    made = one.prototypes["made"]
    return [f"Near {name}" if near else alone for name, alone, near in zip(names, own, made, strict=True)]


def values_frame(study: Study, one: SystemCase) -> pd.DataFrame:
    """Return the values of the case and of the prototypes, feature by feature, in the units of the table."""
    values = one.features.drop(columns="share")
    names = ["This case", *prototype_names(study, one)][: values.shape[1]]
    return values.set_axis(free_names(names, (), word="point"), axis=1).map(lambda value: shown(value, 40))


def looks_at(one: SystemCase) -> str:
    """Say which features the system gives most weight; empty where it has no weights, or the same for all."""
    if one.key in _PLAIN or "share" not in one.features or one.features["share"].isna().all():
        return ""
    top = one.features["share"].sort_values(ascending=False, kind="stable").head(_MOST_NAMED)
    named = [f"{shown(name, 30)} {percent(float(share))}" for name, share in top.items() if share > 0.0]
    return f"In all cases, most of its weight: {', '.join(named)}." if named else "It uses no feature."
