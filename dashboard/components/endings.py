"""Endings of the steps of a fit, of classes or of a number."""

from __future__ import annotations

import streamlit as st

from dashboard.components import words
from dashboard.services.fit.verdict import solver_lines
from proset.study.any_study import AnyStudy

_LINES = 6


def show(study: AnyStudy) -> None:
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
