"""The report of figure 4.5 as a table that can be sorted."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dashboard.components import words
from dashboard.components.shares import in_words

_ROW_HEIGHT = 35
_LINES_SHOWN = 14
_FIRST = ("dominant set", "sample name", "target", "prototype weight", "similarity", "impact")
_CLASS_PREFIX = "p class "


def show(report: pd.DataFrame, classes: tuple[str, ...], *, features: bool, key: str) -> None:
    """Show the report; `features` adds the four columns of every active feature."""
    shares = [f"{_CLASS_PREFIX}{name}" for name in classes]
    front = [*_FIRST, *shares, "batch"]
    rest = [name for name in report.columns if name not in {*front, "sample"}] if features else []
    shown = report[[*front, *rest]].copy()
    # The engine marks the baseline with a dominant set that exists; a tick at a line that is no prototype misleads.
    dominant = report["dominant set"].eq(1) & report["batch"].notna()
    shown["dominant set"] = dominant.fillna(False).astype(bool)
    shown.index = pd.RangeIndex(len(shown))
    st.dataframe(
        in_words(shown, shares),
        key=key,
        hide_index=True,
        height=_ROW_HEIGHT * (1 + min(len(shown), _LINES_SHOWN)) + 3,
        column_config=_columns(shares, rest),
        placeholder="",
        alt="One line each for the case, the baselines and the prototypes, with what they add to the estimate.",
    )


def _columns(shares: list[str], rest: list[str]) -> dict[str, Any]:
    """Return how the columns look."""
    config = st.column_config
    columns: dict[str, Any] = {
        "dominant set": config.CheckboxColumn(
            "Dominant", help="Belongs to the smallest group that settles which class comes first.", width="small"
        ),
        "sample name": config.TextColumn("Name", pinned=True, width=260),
        "target": config.TextColumn("Class"),
        "prototype weight": config.NumberColumn("Weight", format="%.3f"),
        "similarity": config.ProgressColumn("Similarity", format="%.3f", min_value=0.0, max_value=1.0),
        "impact": config.NumberColumn("Impact", format="%.3f", help="Weight times similarity."),
        "batch": config.NumberColumn("Batch", format="%d"),
    }
    for name in shares:
        label = name.removeprefix(_CLASS_PREFIX)
        text = words.help_text(
            f"What the line adds to the probability of '{label}'; the line of the case is the sum of all others."
        )
        columns[name] = config.NumberColumn(f"p {label}", help=text)
    for name in rest:
        if name.endswith((" value", " weight", " similarity")):
            columns[name] = config.NumberColumn(name, format="%.4g")
    return columns
