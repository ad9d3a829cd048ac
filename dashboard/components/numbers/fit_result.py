"""Result of a fit of a number: how far off it is on rows not seen, what it looks at, the prototypes it kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import endings, figure_panel, page, words
from dashboard.services.numbers import fit as service
from dashboard.session.session import current
from dashboard.texts import number_fit as text
from dashboard.texts.number_features import NEAR
from proset.common.words import count_words
from proset.plots.weights import plot_feature_weights
from proset.study import NumberStudy

if TYPE_CHECKING:
    import pandas as pd

_BARS = 20


def show(study: NumberStudy) -> None:
    """Show the finding, the measures beside "as everybody", weights and prototypes."""
    page.section(words.label(service.headline(study)))
    found = cache.derived(service.notice, study)  # its intervals by groups take a while
    words.notice(found.kind, found.text, found.advice)
    entries = service.measures(study)
    grid = st.grid(len(entries), min_column_width=page.measure_width(current()))
    for entry in entries:
        grid.metric(
            entry.label, entry.value, delta=entry.naive, delta_color="off", delta_arrow="off",
            help=entry.help, border=True,
        )  # fmt: skip
    st.caption(
        f"Measured on {words.caption(service.measured_on(study))}. As everybody: the distribution of all training rows,"
        " smoothed, for every case."
    )
    page.link(current(), "quality", "How far off it is, and whether its intervals hold", content=True)
    page.section(NEAR)
    weights, hidden = cache.derived(_heaviest, study)
    if weights.empty:
        st.markdown(":gray[No column is used.]")
    else:
        figure_panel.show(
            lambda: plot_feature_weights(weights, one_bar=True),
            owner=study,
            key="fit.weights",
            file_name="feature_weights",
            alt=f"Feature weights as bars; the largest is {weights.index[0]}.",
        )
        more = f" {count_words(hidden, 'more column')} of less weight can be had as a file." if hidden else ""
        st.caption(f"{text.WEIGHTS}{more}")
        page.link(current(), "features", text.ADDED, content=True)
        if chosen := service.found_words(study):
            st.caption(words.caption(chosen))
    endings.batches(study, service.batch_table(study), text.NOTHING)


def _heaviest(study: NumberStudy) -> tuple[pd.DataFrame, int]:
    return service.heaviest_columns(study, most=_BARS)
