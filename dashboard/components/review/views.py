"""Filters of the queue, each with a chip that takes it away, and views, which are filters with a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.services.review.filters import (
    CASES,
    FILTERS,
    LONGEST_NAME,
    PAIR,
    PART,
    QueueFilter,
    ReviewPart,
    ReviewView,
    Span,
    pair_classes,
    pairs,
)
from dashboard.services.review.these import THESE, TheseRows
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import review as text
from proset.common.words import count_words, shown

if TYPE_CHECKING:
    from dashboard.services.params import Param
    from dashboard.session.opened import OpenTable
    from proset.explain.review.listed import ReviewQueue
    from proset.study.any_study import AnyStudy

_KEY, _NAME = "review.view", "review.view.name"
_SPANS = ("sure", "familiar", "near")
_LONGEST = 30


def chosen(session: Session) -> QueueFilter:
    """Return the filters that are chosen, whether or not all of them are followed."""
    return QueueFilter(**{field: session.get(param) for field, param in FILTERS.items()})


def show(session: Session, study: AnyStudy, queue: ReviewQueue, *, blind: bool) -> None:
    """Show the button that opens filters and views; blind, none that tells what is hidden."""
    opened = session.opened
    assert opened is not None
    now = chosen(session)
    followed = now.untold() if blind else now
    offered = [view for view in opened.views if view.fits(study.classes) and not (blind and view.tells)]
    current = next((view for view in offered if (view.filter, view.slice) == (now, session.slice)), None)
    count = len(followed.words(study.classes))
    name = shown(current.name, _LONGEST) if current else count_words(count, "filter") if count else text.ALL_VIEW
    with st.popover(words.label(text.VIEW.format(name=name)), icon=":material/filter_alt:", key=f"{_KEY}.menu"):
        _choice(session, offered, current, chosen=now != QueueFilter())
        _filters(session, study, queue, blind=blind)
        _keep(session, opened, study, now, current)


def chips(session: Session, study: AnyStudy, followed: QueueFilter, these: TheseRows | None) -> None:
    """Show what is followed, each with the way to take it away."""
    said = followed.words(study.classes)
    if these is not None:
        _chip(session, "these", THESE, these.words(study.classes))
    for field, told in said.items():
        _chip(session, field, FILTERS[field], told)


def take_away(session: Session) -> None:
    """Let all cases come."""
    for param in (*FILTERS.values(), THESE):
        session.forget(param)
    session.follow(None)


def _chip(session: Session, name: str, param: Param, told: str) -> None:
    """Show one filter as a button."""
    st.button(
        words.label(told),
        key=f"review.chip.{name}",
        icon=":material/close:",
        help=text.TAKE_AWAY,
        on_click=session.forget,
        args=(param,),
    )


def _choice(session: Session, offered: list[ReviewView], current: ReviewView | None, *, chosen: bool) -> None:
    """Show all views by their names."""
    own = current is None and chosen
    names = [text.ALL_VIEW, *(words.bare(view.name) for view in offered), *([text.OWN_VIEW] if own else [])]
    now = len(names) - 1 if own else offered.index(current) + 1 if current else 0

    def taken(place: int) -> None:
        if place <= len(offered):
            _follow(session, offered[place - 1] if place else None)

    widgets.pick_place(text.VIEWS, names, now, key=_KEY, taken=taken)


def _follow(session: Session, view: ReviewView | None) -> None:
    """Let the cases of a view come; all of them without one."""
    take_away(session)
    if view is None or session.opened is None:
        return
    for field, param in FILTERS.items():
        session.put(param, getattr(view.filter, field))
    if view.slice is not None:
        session.opened.keep_slice(view.slice)
        session.follow(view.slice)


def _filters(session: Session, study: AnyStudy, queue: ReviewQueue, *, blind: bool) -> None:
    """Show every filter."""
    if study.classes and not blind:
        counts = pairs(queue, study.classes)

        def named(option: str) -> str:
            both = pair_classes(option, study.classes)
            if both is None:
                return text.ALL_PAIRS
            return words.bare(text.PAIR_WORDS.format(actual=both[0], said=both[1], count=counts.get(option, 0)))

        now = session.get(PAIR)
        there = ["", *counts, *([now] if now not in counts and pair_classes(now, study.classes) else [])]
        widgets.pick(session, PAIR, there, text.PAIR, key="review.pair", words=named)
    parts = [part for part in ReviewPart if part is ReviewPart.BOTH or (queue.frame["part"] == part.value).any()]
    if session.get(PART) not in parts:
        parts.append(session.get(PART))
    with st.container(horizontal=True):
        widgets.pick(session, PART, parts, text.ROWS, key="review.rows", words=text.PARTS.__getitem__)
        states = text.STATES.__getitem__
        widgets.pick(session, CASES, CASES.options, text.CASES, key="review.cases", words=states)
    for field in _SPANS:
        if field != "sure" or (study.classes and not blind):
            _span(session, field)


def _span(session: Session, field: str) -> None:
    """Show both ends of a range."""
    param: Param[Span] = FILTERS[field]
    low, high = session.get(param)
    now = (round(100 * low), round(100 * high))
    key = widgets.anew(f"review.{field}", now)

    def taken(ends: tuple[int, int]) -> None:
        session.put(param, (ends[0] / 100.0, ends[1] / 100.0))

    st.slider(text.SPAN_LABELS[field], 0, 100, value=now, key=key, on_change=widgets.heard(key, taken))


def _keep(session: Session, opened: OpenTable, study: AnyStudy, now: QueueFilter, current: ReviewView | None) -> None:
    """Ask for the name under which what is chosen is kept; a view can be renamed and deleted."""
    if current is None and now == QueueFilter():
        st.caption(text.NO_FILTER)
        return
    key = f"{_NAME}.{'' if current is None else current.name}"
    if not widgets.is_drawn(key):
        widgets.shows(key, "" if current is None else current.name)
    name = st.text_input(text.VIEW_NAME, key=key, max_chars=LONGEST_NAME, help=text.VIEW_KEPT)

    def keep() -> None:
        if not name.strip():
            return
        classes = study.classes if pair_classes(now.pair, study.classes) else ()
        made = ReviewView(name, now, session.slice, classes)
        opened.keep_view(made, instead="" if current is None else current.name)

    with st.container(horizontal=True):
        label = text.SAVE_VIEW if current is None else text.RENAME_VIEW
        st.button(label, key=f"{_KEY}.save", disabled=not name.strip(), on_click=keep)
        if current is not None:
            st.button(
                text.DROP_VIEW,
                key=f"{_KEY}.drop",
                icon=":material/delete:",
                type="tertiary",
                on_click=opened.drop_view,
                args=(current.name,),
            )
