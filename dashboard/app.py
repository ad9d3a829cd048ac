"""The dashboard: page set-up, the frame that every page shares, and the way between pages."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException

from dashboard import pages
from dashboard.components import frame, guard, page, words
from dashboard.components.jobs import job_panel
from dashboard.components.story import bar
from dashboard.services.page import Page
from dashboard.session import kept, links, returning
from dashboard.session.session import Session
from proset.common.errors import ProsetError

_MENU_WIDTH = 210


def main() -> None:
    """Draw one run of the app: open a shared link, take in finished work, then the frame and the chosen page."""
    st.set_page_config(page_title="proset", page_icon=frame.ICON, layout="wide", initial_sidebar_state=_MENU_WIDTH)
    visitor = returning.come_back()
    visitor.pages = pages.PAGES
    drawn = [page.for_streamlit(visitor, entry, partial(_draw, visitor, entry)) for entry in visitor.pages]
    # The frame draws the links, because those of st.navigation drop what the address says.
    chosen = st.navigation(drawn, position="hidden")
    visitor.page = visitor.pages[next(i for i, known in enumerate(drawn) if known.url_path == chosen.url_path)]
    mode = links.follow_address(visitor)
    if mode is not None:
        job_panel.start(visitor, mode)
    job_panel.collect(visitor)
    links.check_values(visitor)
    # Before the page is drawn, so that a step which is cut short by the next one is still a step.
    links.write_address(visitor)
    visitor.begin_run()
    frame.look(visitor)
    frame.sidebar(visitor)
    frame.header(visitor)
    with page.room():
        frame.notices(visitor)
    leaves = False
    try:
        try:
            chosen.run()
        except ProsetError as error:
            words.notice("error", error)
        frame.work(visitor)
    except RerunException:
        leaves = True  # the next run writes the address; one that turns to another page has written that of the page
        visitor.show_again()
        raise
    finally:
        if not leaves:
            links.write_address(visitor)
    if kept.keep(visitor):
        visitor.show_again()
        st.rerun()


def _draw(visitor: Session, entry: Page) -> None:
    """Draw a page, or what it lacks."""
    with page.room():
        story = bar.strip(visitor)
    # One level deeper, all is drawn anew: tables measure their text once, and would stay as small as they were.
    with st.container() if visitor.presenter else nullcontext():
        page.head(visitor, entry)
        if guard.allows(visitor, entry):
            if visitor.of_number:
                entry.number(visitor, visitor.number)
            else:
                entry.render(visitor, visitor.study)
            if not story:  # it has the next step
                page.step(visitor)


if __name__ == "__main__":
    main()
