"""Change values of a case and see what the model would say, undo it, or open the copy as a case."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from dashboard.components import keys, words
from dashboard.components.case import link, pictures, what_if_controls
from dashboard.components.case.markup import Palette
from dashboard.services.case.beside import value_lines
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.case.what_if import (
    Changed,
    ChangedCase,
    Edits,
    EditsParam,
    History,
    applied,
    bounds,
    change_words,
    kept,
)
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.params import Flag, Param
from dashboard.session import links, widgets
from dashboard.session.session import Session
from proset import explain
from proset.common.words import leading, listed, percent
from proset.explain.cases.flip import MOST_VALUES
from proset.explain.phrases import FEW, similarity_words

if TYPE_CHECKING:
    from proset.explain.cases.edited import WhatIf
    from proset.explain.cases.flips import SmallestFlip
    from proset.explain.cases.value_range import ValueRange

EDITS = EditsParam("edit", Edits())
"""The changed values of the case that is shown."""
ALL_COLUMNS = Flag("columns", False)
"""Controls also for columns of little weight."""
_HISTORY = Param("case.history", History())
_ORIGINS: Param[dict[int, str]] = Param("case.origins", {})
_FEW, _MOST = 6, 60
_EDGE = 0.001  # standard deviations of a column: nobody would make such a change
_MOST_COPIES = 50
_MOST_BARS = 3
_WITHIN_DATE = re.compile(r"(?<=\d)-(?=\d)")


@st.fragment
def show(session: Session, evidence: CaseEvidence) -> None:
    """Show what the model says of the changed case, and the controls."""
    links.write_address(session)
    ranges, own, edits = evidence.ranges, evidence.case.cells, session.get(EDITS).of(evidence.ref)
    changes, left_out = applied(edits, ranges, own)
    if left_out:
        words.notice("warning", f"Changes of {listed(left_out)} do not fit this case; they are left out.")
    found = explain.what_if(evidence.study, evidence.case, changes, rule=evidence.rule)
    # Of the case as it is changed: where the answer flips depends on all other values.
    flip = evidence.flip_of(found.frame, edits.values) if changes else evidence.flip
    _outcome(evidence, found)
    _controls(session, evidence, found.case.cells, flip)
    _smallest(session, evidence, flip)
    buttons(session, evidence, found)


def _controls(session: Session, evidence: CaseEvidence, now: dict[str, Any], flip: SmallestFlip) -> None:
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
    lines = {line.column: line for line in value_lines(evidence, names)}
    palette, against = Palette.of(evidence.study.classes), evidence.contradictions
    flips = {one.feature: ranges[one.feature].number(one.after) for one in flip.flips if one.size is not None}

    def track(scope: ValueRange) -> str:
        """Return the ranges of the two classes on the line of a slider, and where the answer flips."""
        line = lines[scope.column].between(*bounds(scope, own.get(scope.column)))
        line = line.flipping(flips.get(scope.column))
        return palette.strip(line, against.said, against.other, case=False)

    what_if_controls.show(
        {name: ranges[name] for name in names}, own, now, key=f"whatif.{case.text}.{len(names)}", took=took, track=track
    )
    if many:
        with st.container(horizontal=True):
            label = f"All {len(ranges)} columns in use, not only the {_FEW} heaviest"
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


def buttons(session: Session, evidence: ChangedCase, found: Changed) -> None:
    """Show the buttons: undo, redo, reset, open."""
    case = evidence.ref
    history, edits = session.get(_HISTORY).of(case), session.get(EDITS).of(case)

    def travel(forward: bool) -> None:
        moved, shown = history.redo(edits) if forward else history.undo(edits)
        session.put(_HISTORY, moved)
        _keep(session, shown)

    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center"):
        st.button("Undo", key="whatif.undo", icon=":material/undo:", disabled=not history.past, on_click=travel,
                  args=(False,))  # fmt: skip
        st.button("Redo", key="whatif.redo", icon=":material/redo:", disabled=not history.future, on_click=travel,
                  args=(True,))  # fmt: skip
        st.button("Reset", key="whatif.reset", icon=":material/restart_alt:", disabled=not edits.values,
                  on_click=change, args=(session, case, Edits(case)))  # fmt: skip
        if st.button("Open copy", key="whatif.open", icon=":material/person_search:", disabled=not found.changes,
                     on_click=lambda: link.follow(session, keep_copy(session, evidence, found))):  # fmt: skip
            st.rerun()


def keep_copy(session: Session, evidence: ChangedCase, found: Changed) -> CaseRef:
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


def show_origin(words_of_origin: str) -> None:
    """Say what an edited copy was made of."""
    st.caption(words.caption(words_of_origin))


def origin_words(session: Session, case: CaseRef) -> str:
    """Say what an edited copy was made of; nothing of other cases."""
    return session.get(_ORIGINS).get(case.row, "") if case.source is CaseSource.EDITED else ""


def _outcome(evidence: CaseEvidence, found: WhatIf) -> None:
    """Show what the model says of the changed case, beside what it says of the case as it is."""
    before, after = found.before.probabilities, found.after.probabilities
    palette = Palette.of(evidence.study.classes)
    turned = found.before.predicted != found.after.predicted
    share = leading(float(after[found.after.predicted]))
    mark = ' <span class="case-mark">flipped</span>' if turned else ""
    # Of two classes the other one has the rest.
    highest = (
        before.combine(after, max)
        .sort_values(ascending=False, kind="stable")
        .index[: _MOST_BARS if len(after) > 2 else 0]
    )
    bars = "".join(
        f"<p class='case-voice what'>{palette.named(name, name)}{palette.bar(name, float(after[name]))}"
        f"<span>{percent(float(after[name]))}</span></p>"
        for name in highest
    )
    said = palette.named(found.after.predicted, f"{found.after.predicted}, {share}")
    st.html(f'<h3 class="case-head">What if: {said}{mark}</h3>{bars}')
    st.caption(
        words.caption(" ".join(filter(None, (change_words(found.changes, evidence.ranges), _moved(evidence, found)))))
    )
    pictures.show_changed(evidence, found)
    if found.after.left:
        st.caption(f"The decision rule leaves the {'changed ' * bool(found.changes)}case to a person.")
    if found.after.note:
        words.notice("warning", f"Something had to be assumed: {found.after.note}.")


def _moved(evidence: CaseEvidence, found: WhatIf) -> str:
    """Say how familiarity and the nearest known case change, or how to begin."""
    if not found.changes:
        dashed = any(one.size is not None for one in evidence.flip.flips)
        return f"Nothing is changed yet. Change a value{'; where a line is dashed, the answer flips' * dashed}."
    # A row of the table is compared with all others; a copy of it finds its own row as well, if that is a known case.
    own, near = evidence.case.row, explain.novelty(evidence.study, found.frame)
    former = similarity_words(float(evidence.report.where.novelty.similarity[0]))
    itself = ", its own row" if own is not None and int(near.nearest[0]) == own else ""
    leading = found.leading[["name", "row"]].head(1).itertuples(index=False)
    names = "".join(f" Leading prototype: {evidence.study.short_name(*entry)}." for entry in leading)
    return (
        f"Familiarity {percent(found.after.quantile)} (was {percent(found.before.quantile)}), similarity of the "
        f"nearest known case {similarity_words(float(near.similarity[0]))}{itself} (was {former}).{names} "
        "All else on the page is about the case as it is."
    )


def _smallest(session: Session, evidence: CaseEvidence, flip: SmallestFlip) -> None:
    """Offer the smallest change that flips the case as it is changed."""
    first = flip.smallest
    if first is None:
        st.caption(words.caption(flip.words))
        return
    scope, before = evidence.ranges[first.feature], session.get(EDITS).of(evidence.ref)
    back = scope.text(first.after) == scope.text(evidence.case.cells.get(first.feature))
    edits = before.without(first.feature) if back else before.changed(first.feature, kept(scope, first.after))
    unusual = first.quantile is not None and first.quantile < FEW
    coarse = (
        f" Columns with more than {MOST_VALUES:,} values between smallest and largest were tried in as many equal "
        "steps, and then to their precision around the nearest that flips."
    )
    told = (
        flip.words
        + (" Such a case would be unfamiliar to the model." if unusual else "")
        + (coarse if flip.coarse else "")
    )
    former, after = (words.label(_WITHIN_DATE.sub("\N{NON-BREAKING HYPHEN}", text)) for text in first.texts)
    edge = first.size is not None and first.size < _EDGE  # where the smallest change has brought it
    st.button(
        f"{'At the edge' if edge else 'Smallest change'}: {words.label(first.feature)} {former} → {after}",
        key="case.flip",
        icon=":material/tune:",
        shortcut=keys.WHAT_IF,
        help=words.help_text(told),
        on_click=change,
        args=(session, evidence.ref, edits),
    )
