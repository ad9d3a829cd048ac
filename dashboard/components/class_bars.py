"""The estimate of one case as a bar per class, with the actual class marked."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.components import words

_ROW_HEIGHT = 35
_LINES_SHOWN = 10


def show(probabilities: pd.Series, *, predicted: str, actual: str | None, key: str) -> None:
    """Show one bar per class, most probable first, and say which class is estimated and which is the actual one."""
    frame = probabilities.sort_values(ascending=False, kind="stable").rename("probability").to_frame()
    frame.index = frame.index.astype(str)
    frame["which"] = [_which(name, predicted=predicted, actual=actual) for name in frame.index]
    st.dataframe(
        frame.rename_axis("class").reset_index()[["class", "probability", "which"]],
        key=key,
        hide_index=True,
        height=_ROW_HEIGHT * (1 + min(len(frame), _LINES_SHOWN)) + 3,
        column_config={
            "class": st.column_config.TextColumn("Class", width="small"),
            "probability": st.column_config.ProgressColumn(
                "Probability", format="percent", min_value=0.0, max_value=1.0
            ),
            "which": st.column_config.TextColumn("", width="small"),
        },
        alt=words.bare(f"Probability of each class; the estimate is {predicted}."),
    )


def _which(name: str, *, predicted: str, actual: str | None) -> str:
    """Say what a class is in this case."""
    words = [word for word, held in (("estimate", name == predicted), ("actual", name == actual)) if held]
    return " and ".join(words)
