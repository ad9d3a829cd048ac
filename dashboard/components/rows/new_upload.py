"""Upload of new rows: the columns the file has to hold, and why one was refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from dashboard.components import words
from dashboard.components.data import source
from dashboard.services.data.reading import FILE_TYPES, ReadingProblem
from dashboard.services.new_data import PLACE, read_rows, rows_to_try
from dashboard.session import widgets
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from dashboard.texts import new as text
from proset.common.errors import ProsetError
from proset.common.words import count_words
from proset.data.reading.dialect import Dialect, MissingWord

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.services.new_data import NewRows
    from proset.study.any_study import AnyStudy

S = TypeVar("S")
_KEY, _OPTIONS = "new.file", "new.options"
_NAMED, _FEW = 3, 12


def show(session: Session, study: AnyStudy, opened: OpenTable, unfit: ProsetError | None = None) -> None:
    """Show the upload; with rows in hand, which file, why it does not fit the model, and the way to another one."""
    rows = opened.new_rows
    if rows is None:
        _upload(session, study, opened)
        _refused(session, study, opened)
        _instead(session, study, opened)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{words.markdown(rows.table.name)}**", width="content")
        # A key of its own for each file: the box is closed once it has been opened.
        with st.popover("Another file", icon=":material/upload_file:", key=f"new.other.{id(rows)}"):
            _upload(session, study, opened)
            st.caption(text.KEPT)
            _needed(study)
        st.button(
            "Close it", key="new.close", icon=":material/close:", type="tertiary", on_click=_close, args=(session,)
        )
    _refused(session, study, opened)
    if unfit is not None:  # the rows stay: another model may take them
        words.notice("error", unfit)
        _instead(session, study, opened)


def scored(
    session: Session, study: AnyStudy, opened: OpenTable | None, score: Callable[[NewRows], S]
) -> tuple[NewRows, S] | None:
    """Show the upload; return the rows in hand with what a model says of them, if there are any that it can take."""
    if opened is None:
        return None
    rows, found, refused = opened.new_rows, None, None
    if rows is not None:
        try:
            with st.spinner(text.COMPARING, show_time=True):
                found = score(rows)
        except ProsetError as error:
            refused = error
    show(session, study, opened, refused)
    return None if rows is None or found is None else (rows, found)


def _instead(session: Session, study: AnyStudy, opened: OpenTable) -> None:
    """Say which columns a file has to hold, and offer rows to who has none."""
    _needed(study)
    if len(study.split.held_out):
        st.button(
            text.TRY, key="new.try", icon=":material/science:", help=text.TRY_HELP,
            on_click=_try, args=(session, study, opened),
        )  # fmt: skip


def _upload(session: Session, study: AnyStudy, opened: OpenTable) -> None:
    """Show the box for a file."""
    st.file_uploader(
        text.UPLOAD,
        type=list(FILE_TYPES),
        key=_KEY,
        on_change=_open,
        args=(session, study, opened),
        help=text.UPLOAD_HELP,
    )


def _open(
    session: Session, study: AnyStudy, opened: OpenTable, missing: tuple[MissingWord, ...] = (), *, said: bool = False
) -> None:
    """Read the file, as was said if a person did; one that is refused changes nothing."""
    file = widgets.says(_KEY)
    session.refuse(None)
    if file is None:
        return
    try:
        options = source.stated(_OPTIONS) if said else {}
        rows = read_rows(study, file.getvalue(), file.name, missing=missing, **options)
        if opened.new_rows is not None:
            study.score(rows.frame.iloc[:1])  # rows that are open give way only to what the model can take
        opened.bring(rows)
    except ProsetError as error:
        problem = ReadingProblem.of(error, PLACE)
        # What was agreed to stays so while more is asked.
        asked = tuple(dict.fromkeys((*problem.words, *missing))) if problem.words else ()
        session.refuse(replace(problem, words=asked))


def _try(session: Session, study: AnyStudy, opened: OpenTable) -> None:
    """Take held-out rows for new ones."""
    session.refuse(None)
    opened.bring(rows_to_try(study))


def _close(session: Session) -> None:
    """Take the rows away."""
    if session.opened is not None:
        session.opened.bring(None)


def _refused(session: Session, study: AnyStudy, opened: OpenTable) -> None:
    """Say why a file was refused, and offer to read it in another way while it is at hand."""
    problem = session.problem
    if problem is None or problem.place != PLACE:
        return
    words.notice("error", problem.text)
    if widgets.is_drawn(_KEY):
        _other_ways(session, study, opened, problem.words)
    elif problem.option:
        st.caption(text.OTHER_WAY)
    if opened.new_rows is not None:
        st.caption(words.caption(text.STILL_THERE.format(name=opened.new_rows.table.name)))


def _other_ways(session: Session, study: AnyStudy, opened: OpenTable, missing: tuple[MissingWord, ...]) -> None:
    """Offer to count words as missing, and to say how the file is written."""
    if missing:
        told = ", ".join(
            f"'{words.label(text)}'" for text in list(dict.fromkeys(word.text for word in missing))[:_NAMED]
        )
        more = " and others" if len({word.text for word in missing}) > _NAMED else ""
        st.button(
            f"Count {told}{more} as missing",
            key="new.missing",
            type="primary",
            on_click=_open,
            args=(session, study, opened, missing),
        )
    with st.expander("How the file is read", icon=":material/tune:"), st.form(_OPTIONS, border=False):
        source.csv_options(Dialect(), _OPTIONS)
        st.form_submit_button("Read it this way", on_click=_open, args=(session, study, opened), kwargs={"said": True})


def _needed(study: AnyStudy) -> None:
    """Say which columns a file has to hold."""
    used = study.used_columns
    if not used:
        st.caption(text.NO_COLUMN)
        return
    needed, names = text.NEEDED.format(columns=count_words(len(used), "column")), map(words.markdown, used)
    if len(used) <= _FEW:
        st.markdown(f"{needed}: {' · '.join(names)}")
    else:
        with st.expander(needed):
            st.markdown(" · ".join(names))
