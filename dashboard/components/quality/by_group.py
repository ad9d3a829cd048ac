"""Share of wrong answers in groups of rows: by class, by a column, or in the slices that are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import page, tables, words
from dashboard.components.review import unseen
from dashboard.services.params import Number
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import quality as text
from proset.common.words import measure
from proset.explain.familiar.familiar_groups import CLASS, CORRECT, PART
from proset.explain.slices.groups import quality_by
from proset.study.settings import Bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.services.cases import Within
    from proset.explain.slices.groups import QualityBy
    from proset.explain.slices.slice import Slice
    from proset.study import Study
    from proset.study.decision import DecisionRule
    from proset.study.unseen import Unseen

BY = Number("by", 0, bounds=Bounds(-1, 100_000, whole=True), most=lambda study: len(study.table.frame.columns))
"""By what rows are grouped: -1 the slices that are kept, 0 the class, from 1 on the columns of the table."""
_KEY = "quality.by"
_SLICES, _CLASS = -1, 0
_LINES = 10


def show(session: Session, study: Study) -> None:
    """Show the choice and the table; only rows that a model has not seen count, whatever part is looked at."""
    page.section(text.BY_GROUP)
    slices = session.opened.slices if session.opened is not None else ()
    names = [CLASS, *map(str, study.table.frame.columns)]
    # A column that is called like a word of the engine would be taken for it.
    columns = [place for place, name in enumerate(names) if place and name not in (CLASS, CORRECT, PART)]
    options = [*([_SLICES] if slices else []), _CLASS, *columns]
    labels = {_SLICES: text.BY_SLICE, _CLASS: text.BY_CLASS}
    now = widgets.pick(
        session,
        BY,
        options,
        text.GROUPED,
        key=_KEY,
        words=lambda place: labels.get(place) or words.bare(names[place]),
        in_line=True,
    )
    by, judges = slices if now == _SLICES else names[now], unseen.result(session, study)
    found: QualityBy = cache.derived(_by, study, by, judges, session.rule, session.within)
    losses = [measure(value) for value in found.frame["log_loss"]]
    wrong = [f"{wrong:,} of {rows:,}" for wrong, rows in zip(found.frame["wrong"], found.frame["rows"], strict=True)]
    frame = found.frame.drop(columns="rows").assign(log_loss=losses, wrong=wrong)
    config = st.column_config
    st.dataframe(
        tables.in_words(frame, ["share", "low", "high"]),
        key=f"{_KEY}.table",
        width="content",
        height=tables.height(len(frame), _LINES),
        column_config={
            "group": config.TextColumn("Group", width=130),  # at 800 px the last column would be cut
            "wrong": "Wrong",
            "share": "Share",
            "low": config.TextColumn("From", help=text.INTERVAL),
            "high": config.TextColumn("To", help=text.INTERVAL),
            "log_loss": "Log-loss",
        },
        alt="How often the model is wrong, by group.",
    )
    within = session.within
    inside = "" if within is None else f" Only rows in {within.words} count."
    overlap = f" {text.OVERLAP}" if found.overlap else ""
    st.caption(words.caption(f"Counted are {found.which}.{inside}{overlap}"))


def _by(
    study: Study, by: str | Sequence[Slice], judges: Unseen | None, rule: DecisionRule, within: Within | None
) -> QualityBy:
    return quality_by(study, by, cases=None if within is None else within.rows, unseen=judges, rule=rule)
