"""Report: the model or one case as a file that can be handed on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, page, report_part, words
from dashboard.components.case import selected
from dashboard.components.features import stability
from dashboard.components.slices import followed
from dashboard.services.params import ListedParam
from dashboard.services.report import ABOUT, PARTS, PartNames, ReportSubject, Wish
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import report as text
from dashboard.texts import slices as slice_text

if TYPE_CHECKING:
    from proset.report.document import ReportPart
    from proset.study import Study

WITHOUT = PartNames("without", ())
"""Parts that are left out."""
INSIDE = ListedParam("inside", "", words=PARTS)
"""The part that is looked at; empty for the first one."""
PARAMS = (ABOUT, WITHOUT, INSIDE)


def render(session: Session, study: Study) -> None:
    """Draw the page."""
    # In one line in a wide window, in two in a narrow one; filled once it is known what there is to hand on.
    with st.container(horizontal=True, vertical_alignment="center", key="report-file"):
        choice, chosen, files = (st.container(width="content") for _ in range(3))
    with choice:
        widgets.choose(session, ABOUT, "What to report on", key="report.about", words=lambda option: text.ABOUT[option])
    wish = _wish(session, study)
    if session.get(ABOUT) is ReportSubject.CASE and wish.evidence is None:
        st.info(text.NO_CASE, icon=":material/person_search:")
        page.next_steps(session, "map", "case")
        return
    followed.say(session, slice_text.REPORT if wish.evidence is None else slice_text.REPORT_CASE)
    with chosen:
        parts = _parts(session, wish)
    if left_out := [title for name, title in wish.titles.items() if name not in parts]:
        st.caption(f"Left out of the file: {', '.join(left_out)}.")
    if parts:
        with files:
            _files(wish, parts)
        _inside(session, wish, parts)
    else:
        words.notice("info", text.NOTHING)


def _wish(session: Session, study: Study) -> Wish:
    """Return what is reported on."""
    evidence = selected.evidence(session, study) if session.get(ABOUT) is ReportSubject.CASE else None
    chosen = None if session.within is None else session.slice
    return Wish(study, session.rule, stability.result(session, study), evidence, chosen)


def _parts(session: Session, wish: Wish) -> tuple[str, ...]:
    """Let parts be left out; return those that stay."""
    titles, left_out = wish.titles, session.get(WITHOUT)

    def taken(kept: list[str]) -> None:
        # What only the other kind of report has stays as it was chosen there.
        elsewhere = tuple(name for name in session.get(WITHOUT) if name not in titles)
        session.put(WITHOUT, (*elsewhere, *(name for name in titles if name not in kept)))

    with st.popover(text.PARTS, icon=":material/checklist:", help=text.PARTS_HELP):
        widgets.held(
            st.pills,
            text.PARTS,
            list(titles),
            key=f"report.parts.{'case' if wish.evidence else 'model'}",
            value=[name for name in titles if name not in left_out],
            taken=taken,
            selection_mode="multi",
            format_func=lambda name: titles[name],
        )
    return tuple(name for name in titles if name not in left_out)


def _files(wish: Wish, parts: tuple[str, ...]) -> None:
    """Offer the report and the workbook: what this page is for, so they do not hide in the menu."""
    with st.container(horizontal=True, vertical_alignment="center"):
        report_part.download(lambda: wish.document(parts), wish.stem)
        st.download_button(
            "Download the workbook (.xlsx)",
            wish.workbook,
            file_name=f"{wish.stem}.xlsx",
            mime=downloads.XLSX,
            key="report.xlsx",
            icon=":material/table:",
            on_click="ignore",
        )


def _inside(session: Session, wish: Wish, parts: tuple[str, ...]) -> None:
    """Show one part as the file will hold it, the first with the picture beside it; only these are computed."""
    chosen = session.get(INSIDE)
    chosen = chosen if chosen in parts else parts[0]
    widgets.held(
        st.segmented_control,
        text.INSIDE,
        list(parts),
        key="report.inside",
        value=chosen,
        taken=partial(session.put, INSIDE),
        format_func=lambda name: wish.titles[name],
        required=True,
        label_visibility="collapsed",
    )
    shown = report_part.shown_with(chosen, parts)
    report_part.first_page([_part(wish, name) for name in shown], key="report")


def _part(wish: Wish, name: str) -> ReportPart:
    """Return one part, made once; rows that are not in the table may change under their number."""
    case = None if wish.evidence is None else wish.evidence.case
    keep = cache.keeper(wish.study)
    key = (name, case, wish.rule, wish.stability, wish.chosen)
    return keep("report part", lambda: wish.document((name,)).parts[0], *key)
