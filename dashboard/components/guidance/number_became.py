"""A model of a number before and after it was asked for something: quality on the same rows, and what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import tables, words
from dashboard.services.numbers.before_after import moved_frame, quality_frame, sentences
from dashboard.texts import guidance as text
from proset.study.number_before_after import number_before_after

if TYPE_CHECKING:
    from proset.study import NumberStudy
    from proset.study.number_before_after import NumberBeforeAfter

_LINES = 10


def show(former: NumberStudy, study: NumberStudy, *, key: str, reviewed: bool = False) -> None:
    """Say what became of a model, with the rows whose answers moved most; after a review also where nobody reviews."""
    change, target = cache.derived(_compared, study, former), str(study.roles.target)
    for line in sentences(change, target, reviewed=reviewed):
        st.markdown(words.markdown(line))
    for apart in (True, False) if reviewed else (False,):
        frame = quality_frame(change, reviewed=apart)
        if not frame.empty:
            st.dataframe(
                frame, key=f"{key}.quality.{apart}", hide_index=True, height=tables.height(len(frame), len(frame)),
                width="content", alt="Quality of the model before and after, on held-out rows.",
            )  # fmt: skip
    moved = moved_frame(change)
    if moved.empty:
        return
    number, plain = st.column_config.NumberColumn, st.column_config.TextColumn
    with st.expander(text.MOVED.format(count=len(moved)), key=f"{key}.rows"):
        st.dataframe(
            moved,
            key=f"{key}.moved",
            hide_index=True,
            height=tables.height(len(moved), _LINES),
            column_config={
                "row": number("Row", format="%d"),
                "actual": number(f"{words.bare(target)}, true", format="%.6g"),
                "before": number("Median before", format="%.4g"),
                "after": number("after", format="%.4g"),
                "inside_before": plain("Inside 90 % before"),
                "inside_after": plain("after"),
            },
            alt="Held-out rows whose median moved.",
        )


def _compared(study: NumberStudy, former: NumberStudy) -> NumberBeforeAfter:
    """Compare; kept with the later model."""
    return number_before_after(former, study)
