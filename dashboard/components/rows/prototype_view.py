"""One prototype: what it decides, what is like it, and what would change without it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from dashboard import cache
from dashboard.components import page, tables, words
from dashboard.components.guidance import ask
from dashboard.services import prototypes as service
from dashboard.services.case.case import case_name
from dashboard.services.cases import CaseRef
from dashboard.services.prototypes import PROTOTYPE, PrototypeRef
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import prototypes as text
from proset import explain

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.services.cases import CaseSet
    from proset.explain.structure.reverse_view import PrototypeView
    from proset.study import Study

_LINES, _VALUES = 6, 5
_HALF = 420


def show(session: Session, study: Study, view: PrototypeView, line: pd.Series, *, key: str) -> None:
    """Say what the prototype decides, and show the ways from it; `line` is its line in the table of all."""
    kind = f", batch {view.batch}" if service.several_batches(study.prototypes) else ""
    page.section(f"{words.label(case_name(study, view.row))}: {words.label(view.target)}{kind}")
    likely = str(line["others say"])
    own = words.markdown(service.own_words(float(line["own class"]), view.target, likely))
    sign = ":orange[:material/warning:] " if likely != view.target else ""
    said = (*map(words.markdown, (service.decides_words(view), service.without_words(view))), f"{sign}{own}")
    st.markdown("  \n".join(said))

    def wish() -> None:
        ask.row(session, study, view.row, key=key)

    ways(session, view.row, service.decided_cases(view), "Its cases one by one", key=key, beside=wish)


def lists(session: Session, study: Study, view: PrototypeView, alike: list[str], *, key: str) -> None:
    """Show the lists that belong to the prototype; `alike` says in which columns the cases it decides are so."""
    with st.container(horizontal=True, gap="medium", key="prototype-lists"):
        left, right = st.container(width="stretch"), st.container(width=_HALF)
    with left:
        _cases(session, view, alike, key=key)
    with right:
        _known(session, study, view, key=key)
        _prototypes(session, study, view, key=key)
    st.caption(text.TICK)


def ways(
    session: Session, row: int, cases: CaseSet, label: str, *, key: str, beside: Callable[[], None] | None = None
) -> None:
    """Show the ways to its own row and through its cases, and what else stands beside them."""

    def walk() -> None:
        session.look_through(cases)
        session.select(cases.picked[0] if cases.picked else None)

    with st.container(horizontal=True):
        own = st.button(
            "Its row in Case",
            key=f"{key}.open",
            icon=":material/person_search:",
            on_click=session.select,
            args=(CaseRef.in_table(row),),
        )
        through = st.button(label, key=f"{key}.walk", icon=":material/list:", disabled=not cases.picked, on_click=walk)
        if beside is not None:
            beside()
    if own or through:
        page.go(session, page.find(session, "case"))


def _cases(session: Session, view: PrototypeView, alike: list[str], *, key: str) -> None:
    """Show the cases it helps to settle, and the decisions that would change."""
    st.subheader(text.DECIDES, anchor=False)
    if view.decides.empty:
        st.caption("None.")
    else:
        frame = view.decides[["actual", "predicted", "correct", "share", "similarity"]].assign(alike=alike)
        _list(frame, ["share"], f"{key}.decides.{view.batch}.{view.row}", _open_case(session), _CASES)
    st.subheader(text.CHANGED, anchor=False)
    if view.changed.empty:
        st.caption("None.")
    else:
        _list(view.changed, [], f"{key}.changed.{view.batch}.{view.row}", _open_case(session), _CHANGES)


def values(study: Study, view: PrototypeView) -> None:
    """Show its values in the columns that its batch uses, beside those of the classes; a picture is drawn elsewhere."""
    if study.table.grid is not None:
        return
    page.section(text.VALUES.format(name=words.label(study.short_name(view.name, view.row))))
    st.caption(text.VALUES_BESIDE)
    weights = cache.derived(explain.feature_weights, study).weights[view.batch]
    places = cache.derived(explain.value_places, study, view.row)
    frame = service.values_frame(places, weights.index[weights > 0.0], view.target)
    beside = {name: st.column_config.TextColumn(words.bare(name)) for name in frame.columns[1:]}
    st.dataframe(
        frame,
        height=tables.height(len(frame), _VALUES),
        column_config={"column": "Column", "value": "Its value", **beside},
        alt="Values of the prototype in the columns that its batch uses, beside those of the classes.",
    )


def _known(session: Session, study: Study, view: PrototypeView, *, key: str) -> None:
    """Show the known cases most like it."""
    st.subheader(text.LIKE_KNOWN, anchor=False)
    frame = service.briefly_named(study, view.known)
    frame = frame if frame["prototype"].any() else frame.drop(columns="prototype")
    _list(frame, [], f"{key}.known.{view.batch}.{view.row}", _open_case(session), _KNOWN)


def _prototypes(session: Session, study: Study, view: PrototypeView, *, key: str) -> None:
    """Show the prototypes most like it; a tick opens one here."""
    st.subheader(text.LIKE_PROTOTYPES, anchor=False)
    if view.prototypes.empty:
        st.caption("It is the only one of its batch.")
        return

    def opened(row: int) -> None:
        session.put(PROTOTYPE, PrototypeRef(view.batch, row))

    frame = service.briefly_named(study, view.prototypes)
    _list(frame, [], f"{key}.prototypes.{view.batch}.{view.row}", opened, _KNOWN)


def _open_case(session: Session) -> Callable[[int], None]:
    """Return what selects a case."""
    return lambda row: session.select(CaseRef.in_table(row))


def _list(
    frame: pd.DataFrame, percents: list[str], key: str, picked: Callable[[int], None], columns: dict[str, Any]
) -> None:
    """Show a list in which a line can be ticked."""

    def ticked() -> None:
        rows = widgets.says(key)["selection"]["rows"]
        if rows:
            picked(int(frame.index[rows[0]]))

    near = [name for name in ("similarity",) if name in frame]
    st.dataframe(
        tables.in_words(frame, percents, even=["weight"] if "weight" in frame else [], near=near),
        key=key,
        on_select=ticked,
        selection_mode="single-row",
        height=tables.height(len(frame), _LINES),
        column_config=tables.fitted(columns),
    )


_config = st.column_config
_CASES = {
    "row": _config.NumberColumn("Row", format="%d", width=60),
    "actual": _config.TextColumn("Actual", width=85),
    "predicted": _config.TextColumn("Estimate", width=85),
    "correct": _config.Column("Right", width=50),
    "share": _config.NumberColumn("Share", width=65, help="How much of the case's estimate it makes up."),
    "similarity": _config.Column("Similarity", width=75),
    "alike": _config.TextColumn("Alike where it counts", width=230, help=text.ALIKE),
}
_CHANGES = {"row": _CASES["row"], "actual": "Actual", "before": "With it", "after": "Without it"}
_KNOWN = {
    "row": _CASES["row"],
    "name": "Name",
    "class": "Class",
    "weight": "Weight",
    "similarity": "Similarity",
    "prototype": "Prototype",
}
