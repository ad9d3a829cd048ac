"""A model of a number before and after it was asked for something: quality on the same rows, and what changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import tables, words
from dashboard.services.numbers.before_after import REVIEWED, moved_frame, quality_frame, sentences
from dashboard.texts import guidance as text
from proset.data.number_target import text_number
from proset.study.number_before_after import number_before_after

if TYPE_CHECKING:
    from proset.study import NumberStudy
    from proset.study.number_before_after import NumberBeforeAfter

_LINES = 10


def show(former: NumberStudy, study: NumberStudy, *, key: str, corrected: Mapping[int, str] | None = None) -> None:
    """Say what became of a model, with the rows whose answers moved most.

    After a review (`corrected` is what it says of held-out rows) also where nobody reviews, and as corrected.
    """
    reviewed = corrected is not None
    change = cache.derived(_compared, study, former, tuple(sorted((corrected or {}).items())))
    target = str(study.roles.target)
    for line in sentences(change, target, reviewed=reviewed):
        st.markdown(words.markdown(line))
    for which in REVIEWED if reviewed else ("quality",):
        frame = quality_frame(change, which)
        if not frame.empty:
            st.dataframe(
                frame, key=f"{key}.{which}", hide_index=True, height=tables.height(len(frame), len(frame)),
                width="content", alt="Quality of the model before and after, on held-out rows.",
            )  # fmt: skip
    st.caption(text.BY_CHANCE)
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
                "actual": number(f"{words.bare(target)}, actual", format="%.6g"),
                "before": number("Median before", format="%.4g"),
                "after": number("after", format="%.4g"),
                "inside_before": plain("Inside 90 % before"),
                "inside_after": plain("after"),
            },
            alt="Held-out rows whose median moved.",
        )


def _compared(study: NumberStudy, former: NumberStudy, corrected: tuple[tuple[int, str], ...]) -> NumberBeforeAfter:
    """Compare; kept with the later model."""
    given = {row: number for row, text in corrected if (number := text_number(text)) is not None}
    return number_before_after(former, study, corrected=given)
