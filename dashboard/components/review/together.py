"""Several people: how far they agree, on what they differ, and the minutes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard.components import downloads, page, tables, words
from dashboard.components.downloads import Download
from dashboard.components.review import settle
from dashboard.components.review.records import until_now
from dashboard.services import exports
from dashboard.services.review.queue import OPENLY
from dashboard.services.review.together import reviewers, visible
from dashboard.session import verdicts, widgets
from dashboard.session.session import Session
from dashboard.texts import review as text
from proset.common.words import count_words, listed
from proset.report.html_file import to_html
from proset.report.minutes import agreement_facts, review_minutes
from proset.workspace.agreement import agreement
from proset.workspace.outcomes import OutcomeState, meaning, outcomes
from proset.workspace.verdicts import not_taken_back

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy
    from proset.workspace import Record
    from proset.workspace.agreement import Agreement
    from proset.workspace.outcomes import CaseOutcome

_MOST = 50  # disputes with a button


def show(session: Session, study: AnyStudy) -> None:
    """Offer the minutes; show agreement and disputes where somebody else has reviewed, too."""
    every, openly = verdicts.records(session), session.get(OPENLY)
    if every or session.reviewer:
        stem = exports.file_stem(study.table.name, "minutes")
        make = partial(_minutes, partial(until_now, session, session.reviewer, openly=openly), study.table.name)
        downloads.show(Download(text.MINUTES, f"{stem}.html", downloads.HTML, make), key="review.minutes")
    others = [name for name in reviewers(every) if name != session.reviewer]
    if not others:
        return
    page.section(text.TOGETHER)
    with st.container(horizontal=True, vertical_alignment="center"):
        widgets.toggle(session, OPENLY, text.OPENLY, key="review.openly", help=text.OPENLY_HELP)
        st.button(text.AGAIN, key="review.again", icon=":material/refresh:")
    seen = visible(every, session.reviewer, openly=openly)
    hidden = "" if openly else f"{text.HIDDEN.format(names=listed(others))} {text.ON_SEEN} "
    drawn = count_words(len(list(not_taken_back(seen))), "verdict")
    st.caption(words.caption(hidden + text.AS_OF.format(count=drawn)))
    _agreement(agreement(seen), by_class=bool(study.classes))
    _disputes(session, study, outcomes(seen))


def _minutes(said: Callable[[], tuple[Record, ...]], name: str) -> bytes:
    """Write the minutes of all that is said until they are asked for."""
    return to_html(review_minutes(said(), name)).encode("utf-8")


def _agreement(found: Agreement, *, by_class: bool) -> None:
    """Show how far people agree; of numbers nearly every pair of answers is another one."""
    if not found.raw.n:
        st.markdown(text.NO_OVERLAP)
        return
    frame = pd.DataFrame(agreement_facts(found), columns=pd.Index(["Measure", "Value (95 % interval), cases"]))
    st.dataframe(
        frame,
        key="review.agreement",
        hide_index=True,
        width="content",
        height=tables.height(len(frame), len(frame)),
        alt="How far people agree, with intervals and the number of cases.",
    )
    if found.words:
        st.markdown(words.markdown(found.words))
    if not by_class:
        st.caption(text.NUMBERS_DIFFER)
    with st.expander(text.MATRIX):
        pair = len(found.reviewers) == 2
        about = (
            text.MATRIX_HELP.format(first=found.reviewers[0], second=found.reviewers[1]) if pair else text.MATRIX_MORE
        )
        st.caption(words.caption(about))
        counted = [(text.BY_CLASS, found.by_class)] if by_class else []
        with st.container(horizontal=True, gap="large"):
            for title, counts in (*counted, (text.BY_VERDICT, found.by_verdict)):
                with st.container(width="content"):
                    st.markdown(f"**{title}**")
                    st.dataframe(
                        counts.rename_axis(""),
                        key=f"review.matrix.{title}",
                        width="content",
                        alt="Counts of pairs of answers.",
                    )


def _disputes(session: Session, study: AnyStudy, found: dict[int, CaseOutcome]) -> None:
    """List on what people differ, with a way to settle it, and what was settled."""
    disputed = [row for row, one in found.items() if one.state is OutcomeState.DISPUTED]
    st.markdown(f"**{text.DISPUTES.format(count=len(disputed))}**" if disputed else text.NO_DISPUTES)
    with st.container(horizontal=True, key="review-disputes"):
        for row in disputed[:_MOST]:
            if st.button(text.SETTLE.format(row=row), key=f"review.settle.{row}", icon=":material/balance:"):
                settle.show(session, study, row)
    for row, one in found.items():
        if one.state is OutcomeState.SETTLED and one.word is not None:
            said = text.SETTLED_BY.format(row=row, result=meaning(one.word).words, name=one.word.reviewer)
            st.markdown(f"- {words.markdown(said)}")
