"""Changes of the estimate of a case: the smallest single one, and values to change at will."""

from __future__ import annotations

import streamlit as st

from dashboard.components import fold, page, words
from dashboard.components.case import what_if
from dashboard.services.case.folds import FOLDS
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.case.what_if import Edits, kept
from dashboard.session.session import Session
from proset.explain.cases.flip import MOST_VALUES

_UNUSUAL = 0.05
"""Share of the held-out rows below which the changed case is called unfamiliar."""


def show(session: Session, evidence: CaseEvidence) -> None:
    """Show the smallest change that flips the case, and the controls while they are unfolded."""
    page.section("What would change it")
    flip, case = evidence.flip, evidence.ref
    first = flip.smallest
    unusual = first is not None and first.quantile is not None and first.quantile < _UNUSUAL
    warned = " Such a case would be unfamiliar to the model." if unusual else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words.markdown(flip.words + warned))
        if first is not None:
            edits = Edits(case).changed(first.feature, kept(evidence.ranges[first.feature], first.after))

            def take() -> None:
                what_if.change(session, case, edits)
                session.put(FOLDS, FOLDS.with_part(session.get(FOLDS), "whatif", opened=True))

            st.button("Try it", key="case.flip", icon=":material/tune:", on_click=take)
    if flip.coarse:
        st.caption(
            f"Columns with more than {MOST_VALUES:,} values between smallest and largest were tried in as many equal "
            "steps, and then to their precision around the nearest that flips."
        )
    if box := fold.part(session, FOLDS, "whatif", "What if: change values and see", icon=":material/tune:"):
        with box:
            what_if.show(session, evidence)
