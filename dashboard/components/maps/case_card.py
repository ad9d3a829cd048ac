"""The selected case in a line, with the way to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import page, words
from dashboard.components.case import selected
from dashboard.services.case.case import Headline
from dashboard.session.session import Session
from proset.common.words import percent

if TYPE_CHECKING:
    from proset.study import Study

_SIGNS = {
    True: ":gray-badge[:material/check: right]",
    False: ":gray-badge[:material/close: misclassified]",
    None: ":gray-badge[no actual class]",
}
_LEFT = ":gray-badge[:material/person: left to a person]"


def show(session: Session, study: Study, finding: str, *, drawn: bool) -> None:
    """Show the selected case, or what the page has found and how to select one; without a map, from the list."""
    evidence = selected.evidence(session, study)
    if evidence is None:
        page.finding(finding, "Click a mark on the map, or tick a line below it." if drawn else "")
        return
    lines = evidence.headline
    name, familiar = f"**{words.markdown(lines.name)}** · {lines.part}", words.markdown(lines.familiarity)
    st.markdown(f"{name}: {verdict(lines)}  \nThis case: {familiar}.", width="content")
    page.link(session, "case", "Open the case", content=True)


def verdict(lines: Headline) -> str:
    """Return estimate, actual class and whether they agree, in Markdown; with a sign, so that colour is not needed."""
    said = f"Estimate **{words.markdown(lines.predicted)}** ({percent(lines.confidence)})"
    actual = f", actual **{words.markdown(lines.actual)}**" if lines.actual is not None else ""
    return f"{said}{actual} {_LEFT if lines.left else _SIGNS[lines.correct]}"
