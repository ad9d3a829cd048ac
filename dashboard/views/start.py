"""Start: what this is, for whom, and the ways in."""

from __future__ import annotations

from base64 import b64encode

import streamlit as st

from dashboard import cache
from dashboard.components import guard, page, study_cards, words
from dashboard.components.data import source
from dashboard.components.figure_panel import is_dark
from dashboard.components.story import bar
from dashboard.services.data.fitted import STORED, stored_study
from dashboard.services.data.landing_map import landing_map
from dashboard.session import kept
from dashboard.session.session import Session
from dashboard.texts import start as text
from dashboard.texts.story import STORIES
from proset.common.words import count_words
from proset.data.samples import SAMPLES
from proset.study import Study

_PICTURE_WIDTH = 560


def render(session: Session, _: Study | None) -> None:
    """Draw the page."""
    with st.container(horizontal=True, gap="large", vertical_alignment="center"):
        words_side, picture = st.container(key="start-words"), st.container(width=_PICTURE_WIDTH)
    with words_side:
        _ways_in(session)
    with picture:
        _picture()
    held = session.opened is not None and not kept.is_kept(session)
    cards = kept.known_cards(session)
    if held or cards:
        page.section(text.GO_ON)
    if held:
        _former(session)
    study_cards.show(session, cards)
    study_cards.deleted(session)
    page.section(text.LOOK_AROUND)
    clicked = source.gallery(session, key="start", opened=lambda name: guard.open_example(session, name))
    if clicked:
        page.go(session, page.find(session, first_page(session)))
    study_cards.place(session)


def first_page(session: Session) -> str:
    """Return the page on which a model of the open table is looked at first."""
    return "quality" if session.of_number else "map"


def _ways_in(session: Session) -> None:
    """Say what this is, and show the two ways in."""
    st.markdown(f"{text.WHAT}\n\n{text.FOR}")
    with st.container(horizontal=True):
        first, *others = STORIES
        if st.button(text.SHOW, type="primary", key="start.story", icon=":material/play_circle:"):
            bar.begin(session, first)
        if st.button(text.OPEN, key="start.file", icon=":material/upload_file:"):
            session.ask_for_file()
            page.go(session, page.find(session, "data"))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(text.OTHERS, width="content")
        for name in others:
            if st.button(STORIES[name].title, type="tertiary", key=f"start.story.{name}"):
                bar.begin(session, name)
    st.caption(text.FILES)


def _picture() -> None:
    """Show the map of the first example with a word on each kind of mark."""
    known = stored_study(STORED[0])
    if not isinstance(known, Study):
        return
    drawn = cache.derived(_drawn, known, is_dark())
    data = b64encode(drawn.encode()).decode()
    st.html(f'<img alt="{words.html(text.PICTURE)}" style="width:100%" src="data:image/svg+xml;base64,{data}">')


def _drawn(study: Study, dark: bool) -> str:
    """Draw the picture, kept with the study."""
    return landing_map(study, text.MARKS, dark=dark)


def _former(session: Session) -> None:
    """Show the way back to the table that is open."""
    opened = session.opened
    assert opened is not None
    name = SAMPLES[opened.sample].title if opened.sample else opened.table.name
    fitted = opened.fitted
    made = "no model yet" if fitted is None else count_words(len(fitted.prototypes), "prototype")
    target = opened.recipe.roles.target
    with st.container(border=True, width="content"):
        st.markdown(f"**{words.markdown(name)}** :gray[{words.markdown(target or 'no target yet')} · {made}]")
        page.link(session, "fit" if fitted is None else first_page(session), content=True)
