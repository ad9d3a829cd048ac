"""Change values of a case and see what the model of a number would say."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dashboard.components import figure_panel, words
from dashboard.components.case import what_if, what_if_controls
from dashboard.services.case.what_if import applied, change_words, kept
from dashboard.services.numbers.number_evidence import NumberEvidence, answer_words
from dashboard.session import links, widgets
from dashboard.session.session import Session
from proset import explain
from proset.common.words import listed, percent
from proset.explain.numbers.contrasts import signed
from proset.explain.numbers.number_changed import NumberWhatIf
from proset.plots.number_changes import plot_number_what_if

_FEW, _MOST = 6, 60
_LINE = '<span class="case-strip" aria-hidden="true"></span>'


@st.fragment
def show(session: Session, evidence: NumberEvidence) -> None:
    """Show what the model says of the changed case, and the controls."""
    links.write_address(session)
    own, edits = evidence.case.cells, session.get(what_if.EDITS).of(evidence.ref)
    changes, left_out = applied(edits, evidence.ranges, own)
    if left_out:
        words.notice("warning", f"Changes of {listed(left_out)} do not fit this case; they are left out.")
    found = explain.number_what_if(evidence.study, evidence.case, changes)
    _outcome(evidence, found)
    _controls(session, evidence, found.case.cells)
    what_if.buttons(session, evidence, found)


def _outcome(evidence: NumberEvidence, found: NumberWhatIf) -> None:
    """Show the answer for the changed case, beside that for the case as it is."""
    moved = f" <small>{signed(found.after.median - found.before.median)}</small>" if found.changes else ""
    st.html(f'<h3 class="case-head">What if: {words.html(answer_words(found.after))}{moved}</h3>')
    figure_panel.show(
        plot_number_what_if(found, unit="", height=140),
        key="number.whatif",
        file_name=f"{evidence.stem}-what-if",
        alt=f"The case as it is: {answer_words(found.before)}. Changed: {answer_words(found.after)}.",
        tools=False,
    )
    if not found.changes:
        st.caption("Nothing is changed yet. Change a value below.")
    else:
        before, after = map(percent, found.quantiles)
        st.caption(words.caption(
            f"{change_words(found.changes, evidence.ranges)} Familiarity {after} (was {before}). Grey: as it is. All "
            "else on the page is about the case as it is."
        ))  # fmt: skip
    if beyond := found.after.beyond_words:
        words.notice("warning", beyond)
    if found.note:
        words.notice("warning", f"Something had to be assumed: {found.note}.")


def _controls(session: Session, evidence: NumberEvidence, now: dict[str, Any]) -> None:
    """Show the controls: those of the heaviest columns, or of all."""
    case, ranges, own = evidence.ref, evidence.ranges, evidence.case.cells

    def took(column: str, value: Any) -> None:
        scope, edits = ranges[column], session.get(what_if.EDITS).of(case)
        same = value is None or scope.text(value) == scope.text(own.get(column))
        changed = edits.without(column) if same else edits.changed(column, kept(scope, value))
        what_if.change(session, case, changed)

    many = len(ranges) > _FEW
    shown = _MOST if not many or session.get(what_if.ALL_COLUMNS) else _FEW
    changed = dict(session.get(what_if.EDITS).of(case).values)
    names = [name for i, name in enumerate(ranges) if i < shown or name in changed]
    what_if_controls.show(
        {name: ranges[name] for name in names},
        own,
        now,
        key=f"whatif.{case.text}.{len(names)}",
        took=took,
        track=lambda _: _LINE,
    )
    if many:
        label = f"All {len(ranges)} columns in use, not only the {_FEW} heaviest"
        widgets.toggle(session, what_if.ALL_COLUMNS, label, key="whatif.columns")
