"""The sum of the contributions of prototypes and class shares that is the estimate of a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.components.case import report_table
from dashboard.services.case.ledger import ledger

if TYPE_CHECKING:
    from proset.explain.cases.case import CaseReport

# Sums of some hundred float64 numbers agree far better than this.
_ADDS_UP = 1e-9


def show(report: CaseReport) -> None:
    """Show the sum as one line and as a table, and whether it holds to the last digit."""
    found = ledger(report)
    parts = found.sum
    st.markdown(f"Estimate for **{words.markdown(parts.label)}**: {words.markdown(parts.words)}")
    if parts.gap < _ADDS_UP:
        st.caption("The contributions add up to the estimate.")
    else:
        st.caption(f"The contributions miss the estimate by {parts.gap:.0e}.")
    report_table.show(found.frame, key="case.report")
    if found.left:
        st.caption("The last line stands for prototypes that no longer matter; the report to download has them all.")
