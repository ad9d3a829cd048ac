"""Results of a comparison of systems that answer with a number, as the Compare page says them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.compare.found import MOST_LISTED
from proset.common.words import percent, rough

if TYPE_CHECKING:
    from collections.abc import Callable

    from proset.compare import NumberComparison, NumberDisputes, NumberTable

COLUMNS = {"crps": "CRPS", "rmse": "RMSE", "mae": "MAE", "covered": "Held by 90 %", "width": "Width of 90 %"}
"""The measures by name, in the order of the table, with their headings."""


def not_the_model(found: NumberComparison) -> str:
    """Return why the proset of a comparison is not the model of the other pages: a key of the page's texts, or ""."""
    if "proset" not in found.plan.systems:
        return ""
    if found.plan.tuned:
        return "tuned"
    return "fewer" if found.plan.max_rows is not None else ""


def measure_lines(table: NumberTable) -> pd.DataFrame:
    """Return the measures as texts: index ``System``, ordered by CRPS, the straight line and everybody last.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare_numbers, number_table
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> table = number_table(compare_numbers(study, ComparePlan(("knn", "gbmap"), n_folds=2, max_rows=200)))
    >>> list(measure_lines(table).index)
    ['Nearest neighbours', 'gbmap', 'a straight line', 'as everybody']
    """
    own = table.frame[table.frame["equivalent"].notna() | (table.frame["failed"] != "")]
    frame = pd.concat([own.sort_values("crps_mean", kind="stable"), table.frame.drop(own.index)])
    lines = {}
    for name in COLUMNS:
        say = percent if name == "covered" else rough
        values = frame[[f"{name}_mean", f"{name}_sd", f"{name}_held_out"]].astype("float64").to_numpy()
        lines[name] = [_cell(mean, sd, last, say) for mean, sd, last in values]
    marks = {True: "yes", False: ""}
    lines["equivalent"] = ["" if pd.isna(value) else marks[bool(value)] for value in frame["equivalent"]]
    return pd.DataFrame(lines, index=pd.Index(frame["title"], name="System"))


def _cell(mean: float, sd: float, held_out: float, say: Callable[[float], str]) -> str:
    """Write a mean with its deviation, and the value on the measured rows."""
    first = "–" if mean != mean else f"{say(mean)} ± {say(sd)}"
    return first if held_out != held_out else f"{first} ({say(held_out)})"


def cost_lines(found: NumberComparison) -> pd.DataFrame:
    """Return what each system costs and is made of.

    Index ``System``; ``fit`` (seconds), ``predict`` (milliseconds for 1,000 rows), ``prototypes``, ``columns``.
    """
    lines = [
        (entry.fit_seconds, 1_000.0 * entry.predict_seconds, entry.n_prototypes, entry.n_features)
        for entry in found.systems
    ]
    index = pd.Index([entry.title for entry in found.systems], name="System")
    frame = pd.DataFrame(lines, columns=["fit", "predict", "prototypes", "columns"], index=index)
    return frame.astype({"fit": "float64", "predict": "float64", "prototypes": "Int64", "columns": "Int64"})


def dispute_lines(found: NumberDisputes) -> pd.DataFrame:
    """Return the rows on which systems disagree most, as they are listed: index ``row``.

    Columns are ``gap``, ``actual``, the median of each system under its key, and ``apart`` (a mark).
    """
    frame = found.frame.head(MOST_LISTED)
    keys = list(found.titles)
    shown = frame[["gap", "actual", *keys]].map(lambda value: float(f"{value:.4g}"))
    shown["apart"] = frame["apart"].map({True: "exclude each other", False: ""})
    return shown
