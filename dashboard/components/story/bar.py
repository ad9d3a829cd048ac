"""The bar of a story: what this step shows and says, and the way to the next, on every page until one leaves it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import streamlit as st

from dashboard import cache
from dashboard.components import guard, keys, page, words
from dashboard.components.story import reading
from dashboard.services.addresses.parts import VIEW, Written
from dashboard.services.story.ground import Ground
from dashboard.services.story.place import DUE, STORY, StoryPlace
from dashboard.services.story.steps import opening, sentences, step_of, title_of
from dashboard.session import links
from dashboard.session.session import RULE, Session
from dashboard.texts import story as text

if TYPE_CHECKING:
    from proset.study import DecisionRule, Study

_STYLES = Path(__file__).with_name("story.css")
_LARGE = Path(__file__).with_name("presenter.css")
_IN_VIEW = Path(__file__).with_name("in_view.js").read_text(encoding="utf-8")
_NO_MENU = "<style>[data-testid='stSidebar'], [data-testid='stExpandSidebarButton'] { display: none; }</style>"


def begin(session: Session, name: str) -> None:
    """Open an example and its story at the first step."""
    guard.open_example(session, name)
    open_step(session, StoryPlace(name, 1))


def open_step(session: Session, place: StoryPlace) -> None:
    """Go where a step leads; without a model, to its page, and to its case as soon as there is one."""
    study, there = session.study, page.find(session, step_of(place).page)
    if study is None:
        session.put(STORY, place)
        session.put(DUE, True)
        page.go(session, there)
        return
    session.forget(DUE)
    # What is shown follows from the address alone, as if somebody had opened it as a link.
    session.follow_next_address()
    st.switch_page(page.for_streamlit(session, there, lambda: None), query_params=address(session, study, place))


def address(session: Session, study: Study, place: StoryPlace) -> Written:
    """Return the query parameters that open a step with the model at hand."""
    known = {name: value for name, value in links.query(session, None).items() if name not in VIEW}
    rule = session.chosen(RULE)
    if rule is not None:
        known[RULE.name] = RULE.write(rule)
    return known | cache.derived(_opening, study, place, session.rule) | {STORY.name: place.text}


def strip(session: Session) -> bool:
    """Show the bar if a story is under way, and that one may only read; return whether there is a story."""
    place = session.get(STORY)
    if place is None:
        reading.line(session)
        return False
    st.html(_STYLES)
    study = session.study
    if study is not None and session.get(DUE):
        open_step(session, place)
    if session.presenter:
        st.html(_NO_MENU)
        st.html(_LARGE)
        _in_view(session, place)
    with (
        st.container(border=True, key="story"),
        st.container(horizontal=True, vertical_alignment="center", gap="medium", key="story-line"),
    ):
        st.markdown(_says(session, study, place))
        with st.container(width="content", gap="xsmall"):
            with st.container(horizontal=True, gap="xsmall", key="story-keys"):
                _moves(session, place)
                reading.link(session, study, place, address)
            reading.line(session)
    return True


def _in_view(session: Session, place: StoryPlace) -> None:
    """Bring what a step speaks of right below the bar, once, and let the arrow keys scroll from there."""
    step = step_of(place)
    if session.page is page.find(session, step.page):
        # Names of ours only; the same words are not run again, so a page that was scrolled stays where it is.
        script = f"/* {place.text} */ {{ const SHOWS = '{step.shows}';\n{_IN_VIEW} }}"  # a block: it runs for each step
        st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)


def _says(session: Session, study: Study | None, place: StoryPlace) -> str:
    """Return title and sentences of a step."""
    title, said = (title_of(place), text.WAITING) if study is None else cache.derived(_said, study, place, session.rule)
    count = text.STEP.format(step=place.step, steps=len(text.STORIES[place.story].steps))
    return f"**{count}: {words.markdown(title)}** {words.markdown(said)}"


def _moves(session: Session, place: StoryPlace) -> None:
    """Show the buttons: back, on, return to the page of the step, leave, and larger type."""
    before, after, here = place.moved(-1), place.moved(1), page.find(session, step_of(place).page)
    forward, backward = (keys.PAGE_DOWN, keys.PAGE_UP) if session.presenter else (keys.STORY_NEXT, keys.STORY_BACK)
    if session.page is not here:
        label = text.RETURN.format(page=here.text.menu)
        if st.button(label, type="primary", key="story.return", icon=":material/keyboard_return:"):
            open_step(session, place)
    if st.button(text.BACK, key="story.back", shortcut=backward, disabled=before is None) and before is not None:
        open_step(session, before)
    prominence: Literal["primary", "secondary"] = "primary" if session.page is here else "secondary"
    label = text.NEXT if after is not None else text.OWN
    if st.button(label, type=prominence, key="story.next", shortcut=forward):
        if after is not None:
            open_step(session, after)
        else:
            session.forget(STORY)
            session.ask_for_file()
            page.go(session, page.find(session, "data"))
    st.button(text.LEAVE, key="story.leave", shortcut=keys.LEAVE, on_click=session.forget, args=(STORY,))
    st.button(
        text.USUAL if session.presenter else text.LARGER,
        key="story.presenter",
        shortcut=keys.PRESENTER,
        help=text.LARGER_HELP,
        on_click=lambda: session.present(larger=not session.presenter),
    )


def _ground(study: Study, place: StoryPlace, rule: DecisionRule) -> Ground:
    """Return what a step is said of."""
    return Ground(place.story, study, rule, cache.keeper(study))


def _said(study: Study, place: StoryPlace, rule: DecisionRule) -> tuple[str, str]:
    """Return title and sentences, kept with the study."""
    ground = _ground(study, place, rule)
    return title_of(place, ground), sentences(place, ground)


def _opening(study: Study, place: StoryPlace, rule: DecisionRule) -> Written:
    """Return case and values of a step, kept with the study."""
    return opening(place, _ground(study, place, rule))
