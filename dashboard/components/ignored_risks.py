"""Findings that somebody went on in spite of, said again where the measures stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import page, words
from dashboard.components.data import finding_actions
from proset.data.risks import flattering
from proset.study.risks import ignored_risks

if TYPE_CHECKING:
    from dashboard.session.opened import OpenTable
    from dashboard.session.session import Session
    from proset.data.issues import Issue
    from proset.study import Study

_LEAD = "Found on the Data page and left as it is; the measures may be better than the model:"


def of_recipe(session: Session, opened: OpenTable) -> None:
    """Show what the next fit would go on in spite of."""
    _show(session, flattering(finding_actions.asked(opened)))


def of_study(session: Session, study: Study) -> None:
    """Show what a model was fitted in spite of."""
    _show(session, cache.derived(ignored_risks, study))


def _show(session: Session, issues: Iterable[Issue]) -> None:
    """Show the findings as lines below one sentence; nothing where there is none."""
    lines = [f"- {words.caption(issue.message)}" for issue in issues]
    if not lines:
        return
    # frame.css: the way to Data stays beside it
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="answer-ignored"):
        with st.container(gap="xsmall"):
            st.markdown(f":orange[:material/warning:] **{_LEAD}**")
            st.caption("\n".join(lines))
        page.link(session, "data", "Decide on the Data page", content=True)
