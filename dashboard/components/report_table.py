"""The report of figure 4.5 as a table that can be sorted."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from dashboard.components import words

_ROW_HEIGHT = 35
_LINES_SHOWN = 14
_CLASSES_WITH_BARS = 3
_FIRST = ("dominant set", "sample name", "target", "prototype weight", "similarity", "impact")
_CLASS_PREFIX = "p class "


def show(report: pd.DataFrame, classes: tuple[str, ...], *, features: bool, key: str) -> None:
    """Show the report; `features` adds the four columns of every active feature."""
    shares = [f"{_CLASS_PREFIX}{name}" for name in classes]
    front = [*_FIRST, *shares, "batch"]
    rest = [name for name in report.columns if name not in {*front, "sample"}] if features else []
    shown = report[[*front, *rest]].copy()
    shown["dominant set"] = report["dominant set"].eq(1).fillna(False).astype(bool)
    st.dataframe(
        shown,
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
        # With many classes, bars would push most of them out of sight.
        columns[name] = (
            config.ProgressColumn(f"p {label}", format="%.3f", min_value=0.0, max_value=1.0, help=text)
            if len(shares) <= _CLASSES_WITH_BARS
            else config.NumberColumn(f"p {label}", format="%.3f", help=text)
        )
    for name in rest:
        if name.endswith((" value", " weight", " similarity")):
            columns[name] = config.NumberColumn(name, format="%.4g")
    return columns
