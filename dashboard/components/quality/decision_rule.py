"""The rule that decides cases: said in words, and changed in a small form that opens on demand."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.components import words
from dashboard.services.quality.rules import rule_words
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import quality as text
from proset.common.errors import StudyError
from proset.study.decision import MOST_PROBABLE, DecisionRule

if TYPE_CHECKING:
    from proset.study import Study

_MOST_CLASSES = 30  # costs of more are for a script
_LARGEST_COST = 1e6


class RuleKind(StrEnum):
    """Ways to decide between the classes."""

    PROBABLE = "probable"
    CUTOFF = "cutoff"
    COSTS = "costs"


def show(session: Session, study: Study, *, key: str) -> None:
    """Show the button that opens the form."""
    rule = session.rule
    label = "Rule" if rule == MOST_PROBABLE else "Rule: changed"
    with st.popover(label, icon=":material/gavel:", help=text.RULE, key=f"{key}.rule"):
        st.caption(text.RULE_NOTE)
        _kind(session, study, rule, key=key)
        if rule.cutoff is not None:
            _cutoff(session, study, rule, key=key)
        elif rule.costs is not None:
            _costs(session, study, rule, key=key)
        _leave(session, rule, key=key)
        st.button(
            "Back to the most probable class",
            key=f"{key}.rule.back",
            icon=":material/undo:",
            disabled=rule == MOST_PROBABLE,
            on_click=_decide,
            args=(session, MOST_PROBABLE),
        )


def say(session: Session, study: Study) -> str:
    """Return the rule in words, ready for a caption."""
    return words.caption(rule_words(session.rule, study.classes))


def _decide(session: Session, rule: DecisionRule) -> None:
    """Decide by another rule; one that cannot be is refused in words."""
    try:
        session.decide_by(rule)
    except StudyError as error:
        session.notice(str(error), kind="error")


def _kind(session: Session, study: Study, rule: DecisionRule, *, key: str) -> None:
    """Show what can decide between the classes."""
    count = len(study.classes)
    kinds = [
        RuleKind.PROBABLE,
        *([RuleKind.CUTOFF] if count == 2 else []),
        *([RuleKind.COSTS] if count <= _MOST_CLASSES else []),
    ]
    now = (
        RuleKind.CUTOFF if rule.cutoff is not None else RuleKind.COSTS if rule.costs is not None else RuleKind.PROBABLE
    )
    now = now if now in kinds else kinds[0]  # costs of many classes, from a script
    name = widgets.anew(f"{key}.rule.kind", now)

    def taken(kind: RuleKind) -> None:
        cutoff = 0.5 if kind == RuleKind.CUTOFF else None
        costs = tuple(map(tuple, (1.0 - np.eye(count)).tolist())) if kind == RuleKind.COSTS else None
        _decide(session, DecisionRule(cutoff=cutoff, costs=costs, leave_below=rule.leave_below))

    st.radio(
        text.RULE,
        kinds,
        index=kinds.index(now),
        format_func=lambda kind: text.RULE_KINDS[kind],
        key=name,
        on_change=widgets.heard(name, taken),
    )


def _cutoff(session: Session, study: Study, rule: DecisionRule, *, key: str) -> None:
    """Show the probability above which the second class is said."""
    now = round(100 * (rule.cutoff or 0.0), 6)
    name = widgets.anew(f"{key}.rule.cutoff", now)

    def taken(percent: float) -> None:
        _decide(session, DecisionRule(cutoff=percent / 100, leave_below=rule.leave_below))

    st.number_input(
        f"Say {words.label(study.classes[1])} where its probability is above (%)",
        0.0,
        100.0,
        value=now,
        step=1.0,
        format="%g",
        key=name,
        on_change=widgets.heard(name, taken),
    )


def _costs(session: Session, study: Study, rule: DecisionRule, *, key: str) -> None:
    """Show what each error costs, a number each; for many classes as a table."""
    st.caption(text.COSTS)
    costs = np.asarray(rule.costs)
    names = [words.bare(name) for name in study.classes]
    # Columns are numbered, because classes may be called alike once they are shortened.
    columns = [f"c{j}" for j in range(len(names))]
    frame = pd.DataFrame(costs, columns=columns)
    frame.insert(0, "actual", names)
    number = st.column_config.NumberColumn
    name = f"{key}.rule.costs.{abs(hash(rule.costs))}"

    def taken() -> None:
        changed = costs.copy()
        for row, cells in widgets.says(name)["edited_rows"].items():
            for column, value in cells.items():
                changed[int(row), columns.index(column)] = 0.0 if value is None else value
        np.fill_diagonal(changed, 0.0)
        _decide(session, DecisionRule(costs=tuple(map(tuple, changed.tolist())), leave_below=rule.leave_below))

    st.data_editor(
        frame,
        key=name,
        on_change=taken,
        hide_index=True,
        disabled=["actual"],
        column_config={
            "actual": st.column_config.TextColumn("Actual", pinned=True),
            **{
                column: number(f"says {label}", min_value=0.0, max_value=_LARGEST_COST, required=True)
                for column, label in zip(columns, names, strict=True)
            },
        },
    )


def _leave(session: Session, rule: DecisionRule, *, key: str) -> None:
    """Show which cases are left to a person."""
    now = round(100 * rule.leave_below, 6)
    name = widgets.anew(f"{key}.rule.leave", now)

    def taken(percent: float) -> None:
        _decide(session, DecisionRule(cutoff=rule.cutoff, costs=rule.costs, leave_below=percent / 100))

    heard = widgets.heard(name, taken)
    st.number_input(text.LEAVE, 0.0, 100.0, value=now, step=1.0, format="%g", key=name, on_change=heard)
