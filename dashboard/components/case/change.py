"""Changes of the estimate of a case: the smallest single one, and values to change at will."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard.components import fold, words
from dashboard.components.case import what_if
from dashboard.components.case.once import once
from dashboard.services.case.folds import Folds
from dashboard.services.case.what_if import Edits, kept
from dashboard.services.cases import CaseRef
from dashboard.session.session import Session
from proset import explain
from proset.explain.cases.flip import MOST_VALUES

if TYPE_CHECKING:
    from proset.explain.cases.flip import SmallestFlip
    from proset.study import Study
    from proset.study.decision import DecisionRule

_UNUSUAL = 0.05
"""Share of the held-out rows below which the changed case is called unfamiliar."""


def show(session: Session, study: Study, case: CaseRef, row: int | pd.DataFrame, folds: Folds) -> None:
    """Show the smallest change that flips the case, and the controls while they are unfolded."""
    ranges, rule = what_if.ranges_of(study), session.rule
    flip = once(_flip, study, row, rule)
    first = flip.smallest
    unusual = first is not None and first.quantile is not None and first.quantile < _UNUSUAL
    warned = " Such a case would be unfamiliar to the model." if unusual else ""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(words.markdown(flip.words + warned))
        if first is not None:
            edits = Edits(case).changed(first.feature, kept(ranges[first.feature], first.after))

            def take() -> None:
                what_if.change(session, case, edits)
                session.put(folds, folds.with_part(session.get(folds), "whatif", opened=True))

            st.button("Try it", key="case.flip", icon=":material/tune:", on_click=take)
    if flip.coarse:
        st.caption(
            f"Columns with more than {MOST_VALUES:,} values between smallest and largest were tried in as many equal "
            "steps, and then to their precision around the nearest that flips."
        )
    if box := fold.part(session, folds, "whatif", "What if: change values and see", icon=":material/tune:"):
        with box:
            what_if.show(session, study, case)


def _flip(study: Study, row: int | pd.DataFrame, rule: DecisionRule) -> SmallestFlip:
    return explain.smallest_flip(study, row, rule=rule, ranges=what_if.ranges_of(study))
