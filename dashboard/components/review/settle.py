"""A disputed case: who said what, side by side, and the signature that settles it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

import pandas as pd
import streamlit as st

from dashboard.components import words
from dashboard.session import verdicts
from dashboard.session.session import Session
from dashboard.texts import review as text
from proset.common.words import percent
from proset.data.number_target import number_text
from proset.study import NumberStudy
from proset.workspace.outcomes import CaseOutcome, OutcomeState, meaning, outcomes
from proset.workspace.verdicts import Judgement, ReviewVerdict, row_hash

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy

_LONGEST_NOTE = 4_000
_PLAIN = (ReviewVerdict.BOTH, ReviewVerdict.FAULTY, ReviewVerdict.UNDECIDABLE)


@st.dialog(text.SETTLE_IT, width="large")
def show(session: Session, study: AnyStudy, row: int) -> None:
    """Show a dispute, and keep what settles it."""
    found = outcomes(verdicts.records(session)).get(row)
    if found is None or found.state is not OutcomeState.DISPUTED:
        st.info(text.GONE)
        return
    st.markdown(f"**{text.SETTLE_CASE.format(row=row)}**")
    st.dataframe(_values(study, row), key="review.settle.case", hide_index=True, alt=f"What row {row} holds.")
    st.markdown(f"**{text.SETTLE_ROW}**")
    st.dataframe(
        _side_by_side(found, study),
        key="review.settle.words",
        alt=f"What people said of row {row}, one column for each.",
    )
    if not session.reviewer:
        st.info(text.SETTLE_NAME)
        return
    own = session.reviewer in {one.judgement.reviewer for one in found.words}
    if own:
        words.notice("warning", text.OWN_DISPUTE)
    label = study.table_labels.get(row)
    label = label if isinstance(label, str) else None
    options = [
        *((_verdict(name, label), name) for name in named(study, found, label)),
        *((one, None) for one in _PLAIN),
    ]
    chosen = st.selectbox(
        text.SETTLE_AS,
        range(len(options)),
        index=None,
        format_func=lambda place: _option(options[place], label),
        key="review.settle.as",
    )
    another = _another(study)
    note = st.text_area(text.SETTLE_NOTE, key="review.settle.note", max_chars=_LONGEST_NOTE)
    if st.button(text.SETTLE_IT, key="review.settle.it", type="primary", disabled=chosen is None and another is None):
        held = (_verdict(another, label), another) if another is not None else options[chosen or 0]
        refused = verdicts.say(session, [_judgement(session, study, found, row, held, note)])
        for why in refused.values():
            words.notice("error", why)
        if not refused:
            st.rerun()


def named(study: AnyStudy, found: CaseOutcome, label: str | None) -> Sequence[str]:
    """Return the classes, or the numbers that somebody has named and that of the table."""
    if not isinstance(study, NumberStudy):
        return study.classes
    meant = (meaning(one.judgement).label for one in found.words)
    return list(dict.fromkeys(name for name in (label, *meant) if name))


def _another(study: AnyStudy) -> str | None:
    """Ask for a number that nobody has named."""
    if not isinstance(study, NumberStudy):
        return None
    value = st.number_input(text.SETTLE_NUMBER, value=None, key="review.settle.number")
    return None if value is None else number_text(value)


def _verdict(name: str, label: str | None) -> ReviewVerdict:
    """Return the verdict that names a class."""
    return ReviewVerdict.TABLE if name == label else ReviewVerdict.OTHER


def _option(what: tuple[ReviewVerdict, str | None], label: str | None) -> str:
    """Name what can hold."""
    verdict, name = what
    if name is None:
        return text.VERDICTS[verdict]
    return words.bare(f"{name} ({text.VERDICTS['table']})" if name == label else name)


def _values(study: AnyStudy, row: int) -> pd.DataFrame:
    """Return what the row holds: the target, the columns that the model uses, then the others."""
    used = [study.roles.target, *study.used_columns]
    columns = [*used, *(name for name in study.table.frame.columns if name not in used)]
    return study.table.frame.loc[[row], columns]


def _side_by_side(found: CaseOutcome, study: AnyStudy) -> pd.DataFrame:
    """Return what people said, one column each; columns bear a number, as names may be alike once shortened."""
    columns = {}
    for number, one in enumerate(found.words, 1):
        said = one.judgement
        columns[f"{number}. {said.reviewer}"] = [
            text.VERDICTS[said.verdict],
            said.new_label or (said.label if said.verdict is ReviewVerdict.TABLE else said.cell) or "",
            _model_word(said, study),
            ", ".join(said.reasons),
            said.note,
            said.certainty or "",
            said.at.replace(tzinfo=None).isoformat(sep=" ", timespec="minutes"),
        ]
    lines = ["Verdict", "Should be, or faulty", "The model said", "Reasons", "Note", "Certainty", "When (UTC)"]
    return pd.DataFrame(columns, index=pd.Index(lines))


def _model_word(said: Judgement, study: AnyStudy) -> str:
    """Return what the model said when somebody looked, unless that was hidden."""
    if said.said is None or said.hidden:
        return text.SETTLE_HIDDEN if said.hidden else ""
    sure = "" if said.estimate is None or isinstance(study, NumberStudy) else f", {percent(said.estimate)}"
    return f"{said.said}{sure}"


def _judgement(
    session: Session, study: AnyStudy, found: CaseOutcome, row: int, what: tuple[ReviewVerdict, str | None], note: str
) -> Judgement:
    """Return what settles a dispute between all that stands."""
    own = session.reviewer in {one.judgement.reviewer for one in found.words}
    label = study.table_labels.get(row)
    return Judgement(
        entry=f"settle-{uuid4().hex}",
        row=row,
        row_hash=row_hash(study.table, row),
        label=label if isinstance(label, str) else None,
        new_label=what[1],
        verdict=what[0],
        note=note,
        settles=tuple(one.judgement.entry for one in found.words),
        reviewer=session.reviewer,
        at=datetime.now(UTC),
        model=study.id,
        place=text.SETTLE_OWN_PLACE if own else text.SETTLE_PLACE,
    )
