"""Words that mean "missing" in this table only: suggestions, one click each; words of one's own; and the way back."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.services.data import reading as service
from dashboard.session import verdicts, widgets
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from proset.common.errors import ProsetError
from proset.data.missing_words import ColumnUnit, MissingWord, declare

_SHOWN, _FOLDED = 5, 40
_WORD, _WHERE = "missing.word", "missing.where"
_HELP = (
    "These cells then count as missing wherever the table is used, and in new rows as well. What is declared from now"
    " on can be taken back."
)


def show(session: Session, opened: OpenTable) -> None:
    """Show what stands out as meaning missing, each with one click."""
    sure, _ = _groups(opened)
    for at, group in enumerate(sure[:_SHOWN]):
        _suggestion(session, opened, group, f"sure.{at}")
    if len(sure) > 1:
        every = [word for group in sure for word in group.words]
        st.button(
            f"Count all {len(sure)} as missing",
            key="missing.all", on_click=declare_here, args=(session, opened, every), help=_HELP,
        )  # fmt: skip
    if sure and (opened.models or session.working):
        st.caption(words.caption(fate_of_models(session, opened)))


def form(session: Session, opened: OpenTable) -> None:
    """Show, folded, what else may mean missing, what was declared to, and a form for words of one's own."""
    sure, others = _groups(opened)
    declared = opened.table.dialect.missing
    told = session.problem is not None and session.problem.place == service.MISSING
    with st.expander("Values that mean 'missing' in this table", icon=":material/block:", expanded=told):
        for at, group in enumerate([*sure[_SHOWN:], *others][:_FOLDED]):
            _suggestion(session, opened, group, f"more.{at}")
        if declared:
            _declared(session, opened)
        _own_word(session, opened)
        if told and session.problem is not None:
            words.notice("error", session.problem.text)
        st.caption(words.caption(f"{_HELP} {fate_of_models(session, opened)}"))


def _groups(opened: OpenTable) -> tuple[list[service.MissingGroup], Sequence[service.MissingGroup]]:
    """Return the words that surely mean missing, and those that may."""
    groups = cache.derived(service.missing_groups, opened.table, opened.recipe.roles.target)
    sure = [group for group in groups if service.is_sure(group)]
    return sure, groups[len(sure) :]


def fate_of_models(session: Session, opened: OpenTable) -> str:
    """Say what reading cells in another way does to models, verdicts and work."""
    first, said = opened.original is None, bool(opened.models) and bool(verdicts.records(session))
    return service.models_words(len(opened.models), first=first, working=session.working, said=said)


def _suggestion(session: Session, opened: OpenTable, group: service.MissingGroup, key: str) -> None:
    """Show one suggestion on one line."""
    icon = ":orange[:material/help:]" if service.is_sure(group) else ":gray[:material/help:]"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"{icon} {words.markdown(group.message)}", width="stretch")
        st.button(
            "Count as missing",
            key=f"missing.{key}",
            on_click=declare_here,
            args=(session, opened, group.words),
            help=words.help_text(_HELP),
        )


def _declared(session: Session, opened: OpenTable) -> None:
    """List what was declared; what was declared here can be taken back."""
    before = opened.original.table.dialect.missing if opened.original is not None else opened.table.dialect.missing
    st.markdown("**Counted as missing**")
    for at, (text, group) in enumerate(service.declared_groups(opened.table.dialect)):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(words.markdown(text), width="stretch")
            if set(group) - set(before):
                st.button("Take back", key=f"missing.back.{at}", on_click=take_back, args=(session, opened, group))
    if before:
        st.caption(
            "What was declared before this table was opened here, in another window or on another day, cannot be taken"
            " back here: to begin without it, open the file again."
        )


def _own_word(session: Session, opened: OpenTable) -> None:
    """Show the form for a word of one's own."""
    places = [None, *map(str, opened.table.frame.columns)]
    with st.form("missing.own", border=False, clear_on_submit=True):
        word, where = st.columns(2)
        word.text_input("Word or number", key=_WORD, placeholder="k.A. or -999")
        where.selectbox(
            "Where",
            range(len(places)),  # a column may be called as the table is here
            key=_WHERE,
            format_func=lambda at: words.bare(places[at] or service.WHOLE_TABLE),
        )
        st.form_submit_button("Count as missing", on_click=_take_own, args=(session, opened))


def _take_own(session: Session, opened: OpenTable) -> None:
    """Declare the word of the form."""
    place = widgets.says(_WHERE)
    column = str(opened.table.frame.columns[place - 1]) if place else None
    try:
        word = service.own_word(opened.table, widgets.says(_WORD) or "", column)
    except ProsetError as error:
        session.refuse(service.ReadingProblem.of(error, service.MISSING))
        return
    declare_here(session, opened, [word])


def declare_here(
    session: Session, opened: OpenTable, chosen: Sequence[MissingWord] = (), units: Sequence[ColumnUnit] = ()
) -> None:
    """Read cells in another way: another table is open from now on, with the roles and the split of this one."""
    try:
        declared = declare(opened.table, chosen, units=units)
    except ProsetError as error:
        session.refuse(service.ReadingProblem.of(error, service.MISSING))
        return
    session.open_declared(declared, service.roles_after(opened.recipe.roles, opened.guess, declared), opened)


def take_back(session: Session, opened: OpenTable, chosen: Sequence[MissingWord | ColumnUnit]) -> None:
    """Let words and units be what they were; without any declared here, the table and its models are back."""
    if opened.original is None:
        return
    former, now = opened.original.table, opened.table.dialect
    words_left = [word for word in now.missing if word not in (*chosen, *former.dialect.missing)]
    units_left = [unit for unit in now.units if unit not in (*chosen, *former.dialect.units)]
    if not words_left and not units_left:
        session.reopen(opened.original)
        return
    declared = declare(former, words_left, units=units_left)
    session.open_declared(declared, service.roles_after(opened.recipe.roles, opened.guess, declared), opened)
