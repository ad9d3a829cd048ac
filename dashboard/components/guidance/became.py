"""A model before and after it was asked for something: quality on the same held-out rows, and what changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, tables, words
from dashboard.services import exports
from dashboard.services.review.before_after import calibration_words, quality_frame, sentence, sides_words
from dashboard.session.session import Session
from dashboard.texts import guidance as text
from dashboard.texts import review as review_text
from proset import explain
from proset.plots.map_change import plot_map_change
from proset.study.before_after import before_after

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from proset.study import DecisionRule, Study
    from proset.study.before_after import BeforeAfter

# In pixels, so that the difference in log-loss, which decides, is in sight on a narrow screen.
_WIDTHS = {"Rows": 245, "Log-loss": 110, "difference, 95 % interval": 190}


def show(session: Session, former: Study, study: Study, corrected: Mapping[int, str], *, key: str) -> None:
    """Say what became of a model, with the cases that change sides and both maps as one."""
    change = compared(session, former, study, corrected)
    st.markdown(sentence(change))
    frame = quality_frame(change)
    st.dataframe(
        frame,
        key=f"{key}.quality",
        hide_index=True,
        height=tables.height(len(frame), len(frame)),
        width="content",
        column_config={name: st.column_config.TextColumn(width=_WIDTHS.get(name)) for name in frame.columns},
        alt="Quality of the model before and after, on held-out rows.",
    )
    found = [cache.derived(explain.calibration, one) for one in (former, study)]
    for line in filter(None, (calibration_words(found[0], found[1]), *sides_words(change))):
        st.markdown(words.markdown(line))
    st.caption(text.BY_CHANCE)
    if len(change.sides):
        with st.expander(review_text.SIDES.format(count=len(change.sides))):
            st.dataframe(
                change.sides.reset_index(),
                key=f"{key}.sides",
                hide_index=True,
                alt="Held-out rows that are said to be of another class now.",
            )
    if st.toggle(text.MAPS, key=f"{key}.maps", help=text.MAPS_HELP):
        figure_panel.show(
            cache.derived(_drawn, study, former),
            key=f"{key}.map",
            file_name=exports.file_stem(study.table.name, "map-before-and-after"),
            alt="The map of the first batch after the change; with the buttons, before it.",
        )


def compared(session: Session, former: Study, study: Study, corrected: Mapping[int, str]) -> BeforeAfter:
    """Return both models beside each other, by the rule of the session."""
    return cache.derived(_compared, study, former, session.rule, tuple(sorted(corrected.items())))


def _compared(study: Study, former: Study, rule: DecisionRule, corrected: tuple[tuple[int, str], ...]) -> BeforeAfter:
    """Compare; kept with the later model."""
    return before_after(former, study, rule=rule, corrected=dict(corrected))


def _drawn(study: Study, former: Study) -> go.Figure:
    """Draw both maps; kept with the later model."""
    return plot_map_change(explain.batch_map(former), explain.batch_map(study))
