"""Change values of a case and see what the model would say, undo it, or open the copy as a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from dashboard.components import figure_panel, words
from dashboard.components.case import link, what_if_controls
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.case.what_if import Edits, EditsParam, History, applied, change_words, kept
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.params import Flag, Param
from dashboard.session import links, widgets
from dashboard.session.session import Session
from proset import explain
from proset.common.words import listed, percent
from proset.explain.phrases import similarity_words
from proset.plots.what_if import plot_what_if

if TYPE_CHECKING:
    from proset.explain.cases.edited import WhatIf

EDITS = EditsParam("edit", Edits())
"""The changed values of the case that is shown."""
ALL_COLUMNS = Flag("columns", False)
"""Controls also for columns of little weight."""
_HISTORY = Param("case.history", History())
_ORIGINS: Param[dict[int, str]] = Param("case.origins", {})
_FEW, _MOST = 8, 60
_ASIDE = 400
_MOST_COPIES = 50


@st.fragment
def show(session: Session, evidence: CaseEvidence) -> None:
    """Show the controls and what the model says of the changed case."""
    links.write_address(session)
    ranges, own, edits = evidence.ranges, evidence.case.cells, session.get(EDITS).of(evidence.ref)
    changes, left_out = applied(edits, ranges, own)
    if left_out:
        words.notice("warning", f"Changes of {listed(left_out)} do not fit this case; they are left out.")
    found = explain.what_if(evidence.study, evidence.case, changes, rule=evidence.rule)
    _buttons(session, evidence, found)
    with st.container(horizontal=True, gap="large"):
        left, right = st.container(), st.container(width=_ASIDE)
    with left:
        _controls(session, evidence, {**own, **changes})
    with right:
        _outcome(session, evidence, found)


def _controls(session: Session, evidence: CaseEvidence, now: dict[str, Any]) -> None:
    """Show the controls: those of the heaviest columns, or of all."""
    case, ranges, own = evidence.ref, evidence.ranges, evidence.case.cells

    def took(column: str, value: Any) -> None:
        scope, edits = ranges[column], session.get(EDITS).of(case)
        same = value is None or scope.text(value) == scope.text(own.get(column))
        change(session, case, edits.without(column) if same else edits.changed(column, kept(scope, value)))

    many = len(ranges) > _FEW
    shown = _MOST if not many or session.get(ALL_COLUMNS) else _FEW
    # What is changed has a control, whatever its weight.
    names = [name for i, name in enumerate(ranges) if i < shown or name in dict(session.get(EDITS).of(case).values)]
    what_if_controls.show(
        {name: ranges[name] for name in names}, own, now, key=f"whatif.{case.text}.{len(names)}", took=took
    )
    if many:
        with st.container(horizontal=True):
            label = f"Show all {len(ranges)} columns that the model uses, not only the {_FEW} heaviest"
            widgets.toggle(session, ALL_COLUMNS, label, key="whatif.columns")
        if len(ranges) > _MOST and session.get(ALL_COLUMNS):
            st.caption(f"The {_MOST} heaviest of {len(ranges):,} columns have a control.")


def change(session: Session, case: CaseRef, edits: Edits) -> None:
    """Take over changes of a case, and remember what was before."""
    session.put(_HISTORY, session.get(_HISTORY).of(case).did(session.get(EDITS).of(case)))
    _keep(session, edits)


def _keep(session: Session, edits: Edits) -> None:
    """Keep changes; none at all are the usual value, which the address leaves out."""
    session.put(EDITS, edits if edits.values else EDITS.usual)


def _buttons(session: Session, evidence: CaseEvidence, found: WhatIf) -> None:
    """Show the buttons: undo, redo, reset, open."""
    case = evidence.ref
    history, edits = session.get(_HISTORY).of(case), session.get(EDITS).of(case)

    def travel(forward: bool) -> None:
        moved, shown = history.redo(edits) if forward else history.undo(edits)
        session.put(_HISTORY, moved)
        _keep(session, shown)

    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Undo", key="whatif.undo", icon=":material/undo:", disabled=not history.past, on_click=travel,
                  args=(False,))  # fmt: skip
        st.button("Redo", key="whatif.redo", icon=":material/redo:", disabled=not history.future, on_click=travel,
                  args=(True,))  # fmt: skip
        st.button("Reset", key="whatif.reset", icon=":material/restart_alt:", disabled=not edits.values,
                  on_click=change, args=(session, case, Edits(case)))  # fmt: skip
        if st.button("Open as a case", key="whatif.open", icon=":material/person_search:", disabled=not found.changes,
                     on_click=lambda: link.follow(session, keep_copy(session, evidence, found))):  # fmt: skip
            st.rerun()
        said = change_words(found.changes, evidence.ranges) or "Nothing is changed yet."
        st.caption(words.caption(said))


def keep_copy(session: Session, evidence: CaseEvidence, found: WhatIf) -> CaseRef:
    """Keep a changed case as a row of its own and return it; nobody knows the class that it would have."""
    assert session.opened is not None
    rows = session.opened.others.get(CaseSource.EDITED)
    number = 1 if rows is None or rows.empty else int(rows.index.max()) + 1
    copy = found.frame.set_axis(pd.Index([number], name="row"))
    target = evidence.study.roles.target
    if target in copy.columns:
        copy = copy.assign(**{str(target): pd.Series([None], index=copy.index, dtype="object")})
    every = copy.astype(object) if rows is None else pd.concat([rows, copy.astype(object)]).tail(_MOST_COPIES)
    session.opened.keep_edited(every)
    origin = f"A copy of {evidence.ref.label.lower()}. {change_words(found.changes, evidence.ranges)}"
    origins = session.get(_ORIGINS)
    session.put(_ORIGINS, {**origins, number: origin})
    return CaseRef(CaseSource.EDITED, number)


def origin_words(session: Session, case: CaseRef) -> str:
    """Say what an edited copy was made of; nothing of other cases."""
    return session.get(_ORIGINS).get(case.row, "") if case.source is CaseSource.EDITED else ""


def _outcome(session: Session, evidence: CaseEvidence, found: WhatIf) -> None:
    """Show what the model says of the changed case, beside what it says of the case as it is."""
    before, after = found.before, found.after
    turned = ":orange-badge[flipped]" if before.predicted != after.predicted else ""
    share = percent(float(after.probabilities[after.predicted]))
    st.markdown(f"Estimate **{words.markdown(after.predicted)}**, {share} {turned}")
    figure_panel.show(
        plot_what_if(found),
        key="case.whatif",
        file_name="what-if",
        alt=f"Probability of each class: bars for the changed case, a line for the case as it is. {found.words}",
    )
    _table(evidence, found)
    if after.left:
        st.caption("The decision rule leaves the changed case to a person.")
    if after.note:
        words.notice("warning", f"Something had to be assumed: {after.note}.")
    st.caption("Leading prototypes of the changed case")
    with st.container(gap="xxsmall"):
        for place, line in enumerate(found.leading.head(3).to_dict("records")):
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                target = CaseRef.in_table(int(line["row"]))
                link.button(session, target, str(line["name"]), key=f"whatif.leading.{place}", in_fragment=True)
                adds = (
                    f"adds {percent(float(line['share']))} · similarity {similarity_words(float(line['similarity']))}"
                )
                st.markdown(f":small[{words.markdown(line['class'])} · {adds}]")


def _table(evidence: CaseEvidence, found: WhatIf) -> None:
    """Show familiarity and nearness before and after."""
    # A row of the table is compared with all others; a copy of it finds its own row as well, if that is a known case.
    before, own = evidence.report.where.novelty, evidence.case.row
    after = before if not found.changes else explain.novelty(evidence.study, found.frame)
    itself = ", its own row" if found.changes and own is not None and int(after.nearest[0]) == own else ""
    near = [similarity_words(float(part.similarity[0])) for part in (before, after)]
    st.markdown(
        "| | as it is | changed |\n|---|---|---|\n"
        f"| Familiarity | {percent(found.before.quantile)} | {percent(found.after.quantile)} |\n"
        f"| Similarity of the nearest known case | {near[0]} | {near[1]}{itself} |"
    )
