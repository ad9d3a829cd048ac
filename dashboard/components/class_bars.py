"""The estimate of one case as a bar per class, with the actual class marked."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.components import shares, words

_ROW_HEIGHT = 35
_LINES_SHOWN = 10


def show(probabilities: pd.Series, *, predicted: str, actual: str | None, key: str) -> None:
    """Show one bar per class, most probable first, and say which class is estimated and which is the actual one."""
    frame = probabilities.sort_values(ascending=False, kind="stable").rename("probability").to_frame()
    frame.index = frame.index.astype(str)
    frame["share"] = frame["probability"]
    frame["which"] = [_which(name, predicted=predicted, actual=actual) for name in frame.index]
    st.dataframe(
        shares.in_words(
            frame.rename_axis("class").reset_index()[["class", "share", "probability", "which"]], ["share"]
        ),
        key=key,
        hide_index=True,
        height=_ROW_HEIGHT * (1 + min(len(frame), _LINES_SHOWN)) + 3,
        column_config={
            "class": st.column_config.TextColumn("Class", width="small"),
            "share": st.column_config.NumberColumn("Probability", width="small"),
            # A bar without a number: the browser would round 99.96 % to 100 %.
            "probability": st.column_config.ProgressColumn("", format=" ", min_value=0.0, max_value=1.0, width="small"),
            "which": st.column_config.TextColumn("", width=150),
        },
        alt=words.bare(f"Probability of each class; the estimate is {predicted}."),
    )


def _which(name: str, *, predicted: str, actual: str | None) -> str:
    """Say what a class is in this case."""
    words = [word for word, held in (("estimate", name == predicted), ("actual", name == actual)) if held]
    return " and ".join(words)
