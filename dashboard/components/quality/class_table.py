"""Held-out rows by class, as a table in which what fails stands out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard.components import tables
from proset.plots import style

if TYPE_CHECKING:
    from proset.study.verdict import Verdict

_LINES_SHOWN = 10
_NARROW, _WIDE = 70, 120  # pixels, so that all of it can be seen in a narrow window
# At low opacity: readable under black text and under white text.
_WEAK = f"font-weight: bold; background-color: {style.tinted(style.WRONG, 0.2)}"


def show(verdict: Verdict, *, key: str) -> None:
    """Show one line per class; nothing without held-out rows."""
    if not verdict.n_decided:
        return
    config = st.column_config
    frame = verdict.table()
    st.dataframe(
        tables.in_words(frame, ["found share", "right when said"], _looks(verdict, frame)),
        key=key,
        width="content",
        height=tables.height(len(verdict.classes), _LINES_SHOWN),
        placeholder="",
        column_config=tables.fitted(
            {
                "class": config.TextColumn("Class", pinned=True),
                "rows": config.NumberColumn("Rows", help="Rows of the class that no person decides.", width=_NARROW),
                "found": None,
                "said": config.NumberColumn("Said", help="How often the model says the class.", width=_NARROW),
                "found share": config.NumberColumn("Found", help="Share of its rows that are found.", width=_NARROW),
                "right when said": config.NumberColumn(
                    "Right when said", help="Share of the rows said to be of the class that are of it.", width=_WIDE
                ),
            }
        ),
        alt="How many rows of each class are found, and how often the class is right when it is said.",
    )


def _looks(verdict: Verdict, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the look of each cell: what fails is marked."""
    failed = {
        "found share": [entry.mostly_missed for entry in verdict.classes],
        "right when said": [entry.mostly_wrong for entry in verdict.classes],
        "said": [entry.never_said for entry in verdict.classes],
    }
    looks = {name: [_WEAK if bad else "" for bad in failed.get(name, [False] * len(frame))] for name in frame.columns}
    return pd.DataFrame(looks, index=frame.index)
