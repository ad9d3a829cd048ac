"""Batches of a fit, of classes or of a number, and how its steps ended."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.components import page, words
from dashboard.services.fit.verdict import made_words, solver_lines
from proset.study.any_study import AnyStudy

_LINES = 6


def batches(study: AnyStudy, frame: pd.DataFrame, without: str) -> None:
    """Show how many prototypes were kept and how the search for weights ended; `without` stands where no batch is."""
    page.section("Prototypes")
    if frame.empty:
        st.markdown(f":gray[{without}]")
    else:
        st.dataframe(frame, width="content")
    _endings(study)
    st.caption(words.caption(made_words(study)))


def _endings(study: AnyStudy) -> None:
    """Say how each batch and each step after the last one ended; of many only trouble is not folded."""
    lines = solver_lines(study)
    many = len(lines) > _LINES
    for converged, line in lines:
        if not (many and converged):
            icon = ":material/check:" if converged else ":orange[:material/warning:]"
            st.markdown(f"{icon} {words.markdown(line)}")
    if many and (well := [line for converged, line in lines if converged]):
        with st.expander(f"{len(well)} steps that ended well", icon=":material/check:"):
            for line in well:
                st.markdown(words.markdown(line))
