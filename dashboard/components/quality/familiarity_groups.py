"""Familiarity of the cases of each group as densities (figure 4.4): by class, result, part, or any column."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, words
from dashboard.services import exports
from dashboard.services.cases import Part, Within, part_rows
from dashboard.services.params import Number
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import familiarity as text
from proset import explain
from proset.explain.familiar.familiar_groups import CLASS, CORRECT, PART
from proset.plots.familiarity import plot_familiarity
from proset.study.settings import Bounds

if TYPE_CHECKING:
    from proset.explain.familiar.familiar_groups import Familiarity
    from proset.study import Study
    from proset.study.decision import DecisionRule

_WORDS = (CLASS, CORRECT, PART)
GROUPS = Number(
    "group", 0, bounds=Bounds(0, 100_000, whole=True),
    most=lambda study: len(_WORDS) + len(study.table.frame.columns) - 1,
)  # fmt: skip
"""By what cases are grouped: class, right or wrong, part, and from 3 on the columns of the table."""


def show(session: Session, study: Study) -> None:
    """Show the choice and the figure."""
    names: list[str] = [*_WORDS, *map(str, study.table.frame.columns)]
    chosen = int(session.get(GROUPS))
    now = chosen if chosen < len(names) else 0
    shown = [*map(text.GROUPS.__getitem__, _WORDS), *map(words.bare, names[len(_WORDS) :])]
    taken = partial(session.put, GROUPS)
    widgets.pick_place(text.GROUPED_BY, shown, now, key="familiarity.groups", taken=taken, width=280)
    # Of every row, where they are grouped by part.
    by = names[now], now < len(_WORDS)
    found: Familiarity = cache.derived(_grouped, study, session.part, session.rule, *by, session.within)
    figure = plot_familiarity(found, classes=study.classes)
    figure_panel.show(
        figure,
        key="familiarity.density",
        file_name=exports.file_stem(study.table.name, "familiarity"),
        alt="Density of familiarity, one curve for each group.",
    )
    st.caption(words.caption(" ".join(filter(None, (text.DENSITY, figure.layout.meta)))))


def _grouped(
    study: Study, part: Part, rule: DecisionRule, name: str, is_word: bool, within: Within | None
) -> Familiarity:
    judged = cache.judged(study, rule)
    rows = part_rows(judged, Part.ALL if is_word and name == PART else part, within).index
    # A column may be called like one of the words.
    own = name if is_word or name not in _WORDS else study.table.frame[name].loc[rows]
    return explain.familiarity(study, rows, groups=own, rule=rule)
