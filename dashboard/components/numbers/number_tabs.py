"""More on a case of a number in tabs: what a tab shows is computed when it is opened."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import streamlit as st

from dashboard.components import figure_panel, words
from dashboard.components.case import known
from dashboard.components.features import stability
from dashboard.components.numbers import number_moves
from dashboard.services.numbers.number_evidence import N_NEAREST, NumberEvidence
from dashboard.services.params import EnumParam, Number
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import number_case as text
from proset.common.errors import StudyError
from proset.common.words import number, percent
from proset.explain.numbers.contrasts import signed, to_width
from proset.explain.numbers.number_shapley import Functional, NumberShap, median_row
from proset.explain.phrases import mean_of_batches
from proset.plots.number_changes import plot_number_shap
from proset.study.settings import Bounds


class NumberTab(StrEnum):
    """Tabs below a case."""

    NEAREST = "nearest"
    MOVED = "moved"
    CHANGE = "change"
    SEEDS = "seeds"


class AnswerKind(StrEnum):
    """Answers whose parts can be told."""

    MEDIAN = "median"
    MEAN = "mean"
    LOWER = "lower"
    UPPER = "upper"
    ABOVE = "above"


TAB = EnumParam("below", NumberTab.MOVED)
"""The tab that is open."""
ANSWER = EnumParam("answer", AnswerKind.MEDIAN)
"""Answer that is divided among the columns."""
BEYOND = Number("beyond", 0.0, of_model=True, bounds=Bounds(-1e15, 1e15))
"""Number that may be exceeded; where none was chosen, the median of the training rows."""
BESIDE = Number("versus", -1, of_model=True, bounds=Bounds(-1, 10**9, whole=True))
"""Row that the case is compared with; -1 is the one nearest to the median of the training rows."""
PARAMS = (TAB, ANSWER, BEYOND, BESIDE, number_moves.BY)
_SEEN = 0.001  # of the largest part: what a picture of them cannot show
_LABELS = {
    NumberTab.NEAREST: f"{N_NEAREST} nearest known cases",
    NumberTab.MOVED: "What moved it",
    NumberTab.CHANGE: "Smallest change",
    NumberTab.SEEDS: "Other seeds",
}
_REFERENCE, _BEYOND = "number.reference", "number.beyond"


def show(session: Session, evidence: NumberEvidence) -> None:
    """Show the tabs and the one that is open."""
    if not evidence.study.used_columns:
        return
    widgets.choose(session, TAB, "More on this case", key="number.tab", words=_LABELS.__getitem__)
    if session.get(TAB) is NumberTab.MOVED:
        _moved(session, evidence)
    elif session.get(TAB) is NumberTab.CHANGE:
        number_moves.show(session, evidence)
    elif session.get(TAB) is NumberTab.SEEDS:
        stability.of_case(session, evidence.study, evidence.case.row)
    else:
        _nearest(session, evidence)


def _nearest(session: Session, evidence: NumberEvidence) -> None:
    """List the nearest known cases; a ticked one opens."""
    found = evidence.nearest.frame
    lines = found.assign(
        name=list(map(evidence.study.short_name, found["name"], found["row"].tolist())),
        prototype=found["prototype"].map({True: "prototype", False: ""}),
    )
    own = {"target": st.column_config.NumberColumn(words.bare(evidence.study.roles.target), width="small")}
    known.ticked(session, lines, own, key=f"number.nearest.{evidence.ref.text}", has="number")
    st.caption(text.NEAREST_NOTE.format(mean=mean_of_batches(evidence.study)))


def _moved(session: Session, evidence: NumberEvidence) -> None:
    """Show how the columns lead from the answer for another row to that for the case."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        widgets.choose(session, ANSWER, "Which answer", key="number.answer.kind", words=text.ANSWERS.__getitem__)
        functional, at = _asked(session, evidence)
        _box(session, evidence)
    row, told = _reference(session, evidence)
    found = evidence.shap(row, functional, at)
    target = str(evidence.study.roles.target)
    if not found.columns:
        st.caption(f"In the columns that the model uses this case is the same as {told}.")
        return
    top = ", ".join(f"{name} {signed(value)}" for name, value in zip(found.columns, found.values.tolist(), strict=True))
    figure_panel.show(
        plot_number_shap(found, unit=target),
        key="number.shap",
        file_name=f"{evidence.stem}-moved",
        alt=f"From the {found.what} for {told} to that for this case, column by column: {top}.",
    )
    base, answer = (_written(value, evidence, found) for value in (found.base, found.answer))
    ends = f"From {base}, the {found.what} for {told} (dotted), to {answer} for this case (solid)."
    st.caption(words.caption(" ".join(filter(None, (ends, _how(found), _beyond_sure(found))))))


def _asked(session: Session, evidence: NumberEvidence) -> tuple[Functional, float | None]:
    """Return which answer is asked for, and the level or the number that goes with it, which is asked for here."""
    kind, (low, high) = session.get(ANSWER), evidence.study.interval_levels
    if kind in (AnswerKind.MEDIAN, AnswerKind.MEAN):
        return ("median" if kind is AnswerKind.MEDIAN else "mean"), None
    if kind is not AnswerKind.ABOVE:
        return "quantile", low if kind is AnswerKind.LOWER else high
    study, chosen = evidence.study, session.chosen(BEYOND)
    usual = float(f"{study.targets.reindex(study.split.train).median():.4g}")
    beyond = usual if chosen is None else float(chosen)

    def take(said: float | None) -> None:
        session.put(BEYOND, usual if said is None else float(said))

    widgets.held(
        st.number_input,
        text.BEYOND,
        key=_BEYOND,
        value=beyond,
        taken=take,
        format="%.6g",
        step=float(f"{0.1 * study.unit:.1g}"),
        width=160,
        label_visibility="collapsed",
    )
    return "above", beyond


def _written(value: float, evidence: NumberEvidence, found: NumberShap) -> str:
    """Write an answer: a chance in per cent, anything else as finely as the interval is wide."""
    return percent(value) if found.functional == "above" else to_width(value, evidence.answer.width, digits=4)


def _beyond_sure(found: NumberShap) -> str:
    """Say why bars leave the range of a chance, where they do."""
    ends = found.base + np.cumsum(found.values)
    leaves = found.functional == "above" and len(ends) and (ends.max() > 1.0 or ends.min() < 0.0)
    return text.BEYOND_SURE if leaves else ""


def _how(found: NumberShap) -> str:
    """Say how the parts were computed."""
    if len(found.columns) == 1:
        return "In no other column that the model uses do the two differ."
    if found.exact:
        return f"Exact Shapley values: the model was asked for all {found.evaluations:,} combinations of columns."
    most = float(found.errors.max())
    little = most < _SEEN * float(np.abs(found.values).max())
    off = "next to nothing" if little else f"about {number(float(f'{most:.2g}'))}"
    return (
        f"Shapley values along random orders of the columns, {found.evaluations:,} answers: a part may be off by {off}."
        " Their sum is exact."
    )


def _reference(session: Session, evidence: NumberEvidence) -> tuple[int, str]:
    """Return the row to compare with, and what it is called."""
    study, row = evidence.study, int(session.get(BESIDE))
    if row in study.table.frame.index:
        return row, f"row {row}"
    usual = median_row(study)
    return usual, f"row {usual}, whose number is nearest to the median of the training rows"


def _box(session: Session, evidence: NumberEvidence) -> None:
    """Show the box for the row to compare with."""

    def find() -> None:
        said = widgets.says(_REFERENCE)
        try:
            session.put(BESIDE, evidence.study.row_of(said) if said.strip() else -1)
        except StudyError as error:
            session.miss(error)

    st.text_input(
        "Compare with row",
        key=_REFERENCE,
        on_change=find,
        placeholder="Compare with another row",
        max_chars=200,
        width=220,
        label_visibility="collapsed",
    )
