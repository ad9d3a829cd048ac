"""Verdicts that come from a file: exported by somebody else, or written by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.services.data.reading import ReadingProblem
from dashboard.session import verdicts, widgets
from dashboard.session.session import Session
from dashboard.texts import review as text
from proset.common.errors import ProsetError
from proset.common.words import count_words
from proset.workspace.review_file import ENDINGS, read_lines_guarded

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy
    from proset.workspace.review_import import ReviewImport

_KEY = "review.file"
_PLACE = "verdicts"
_MOST_PROBLEMS = 20


def show(session: Session, study: AnyStudy) -> None:
    """Offer to bring a file; say what came of the last one."""
    fold = st.expander(text.BRING, key="review.bring", on_change="rerun", icon=":material/upload_file:")
    if not fold.open:
        return
    with fold:
        st.file_uploader(
            text.BRING_FILE,
            type=[ending.removeprefix(".") for ending in ENDINGS],
            key=_key(session),
            on_change=_bring,
            args=(session, study),
        )
        st.caption(text.BRING_NUMBERS if not study.classes else text.BRING_CLASSES)
        problem, opened = session.problem, session.opened
        if problem is not None and problem.place == _PLACE:
            words.notice("error", problem.text)
        elif opened is not None and opened.brought is not None:
            _say(*opened.brought)


def _key(session: Session) -> str:
    """Return the key of the box, which forgets its file with the table."""
    return _KEY if session.opened is None else f"{_KEY}.{session.opened.key}"


def _bring(session: Session, study: AnyStudy) -> None:
    """Take what stands in the file; one that is refused changes nothing."""
    file = widgets.says(_key(session))
    session.refuse(None)
    if file is None:
        return
    try:
        verdicts.bring(session, study, read_lines_guarded(file.getvalue(), name=file.name), name=file.name)
    except ProsetError as error:
        session.refuse(ReadingProblem.of(error, _PLACE))


def _say(name: str, done: ReviewImport) -> None:
    """Say what came of a file, with each line that was not taken."""
    added = count_words(len(done.added), "verdict")
    kind = "success" if done.added and not done.problems else "info"
    before = text.BROUGHT_BEFORE.format(count=done.n_known) if done.n_known else ""
    words.notice(kind, text.BROUGHT.format(added=added, name=name, before=before))
    if not done.problems:
        return
    more = len(done.problems) - _MOST_PROBLEMS
    lines = [*done.problems[:_MOST_PROBLEMS], *([text.MORE_LINES.format(count=more)] if more > 0 else [])]
    left = text.NOT_TAKEN.format(count=count_words(len(done.problems), "line"))
    st.markdown("\n".join([left, "", *(f"- {words.markdown(line)}" for line in lines)]))
