"""Widgets whose values outlive them.

Streamlit forgets what a widget holds when it is not drawn, and with it every choice of a page that one has left.
So the choice is kept in the session, for as long as its table or its model, and the widget is drawn from there again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from dashboard.services.params import EnumParam, ListedParam, Param
from dashboard.services.strangers import JOINER
from dashboard.session.session import Session

_TURNS, _NAMES = "widgets.turns", "widgets.names"
_INDEXED, _DEFAULT = ("selectbox", "radio"), ("multiselect", "segmented_control", "pills")


def says(key: str) -> Any:
    """Return what the widget with this key holds; for callbacks."""
    return st.session_state[key]


def shows(key: str, value: Any) -> None:
    """Make the widget with this key hold `value` when it is drawn next, whatever is chosen at that moment.

    For callbacks, and before a widget is drawn for the first time; :func:`held` otherwise.
    """
    st.session_state[key] = value


def anew(key: str, value: Any, *, within: Any = None, names: Sequence[str] = ()) -> str:
    """Return the key of a widget that holds `value`, which is to be its default as well.

    No widget is told what it holds: the browser would take that for a change, and lose a click that comes at the same
    moment. Where the value was changed elsewhere, another widget takes the place of the first and begins with the value
    as its default. Behind a button that is closed the first would not hear of the change either: the browser does not
    draw it then, holds on to what was chosen there last, and says it again with the next run.

    So it is where options are called otherwise or stand elsewhere: what the browser holds is the text of one.

    Parameters
    ----------
    key : str
        Key of the first of these widgets.
    within : number, timedelta or None
        How far what a slider holds may be from the value, which is written with fewer digits.
    names : sequence of str
        What the options are called.
    """
    turns = st.session_state.setdefault(_TURNS, {})
    here = _at_turn(key, turns.setdefault(key, 0))
    known, called = st.session_state.setdefault(_NAMES, {}), hash(tuple(names))
    other = known.get(key, called) != called
    known[key] = called
    if here in st.session_state:
        held = st.session_state[here]
        other |= held != value if within is None else abs(held - value) > within
    turns[key] += other
    return _at_turn(key, turns[key])


def heard(key: str, take: Callable[[Any], None]) -> Callable[[], None]:
    """Return a callback that hands over what a widget says, unless another has taken its place meanwhile.

    A browser that has not drawn the page yet still says what the first one held.

    Parameters
    ----------
    key : str
        From :func:`anew`.
    take : callable
        Receives the value.
    """

    def taken() -> None:
        if any(_at_turn(first, turn) == key for first, turn in st.session_state.get(_TURNS, {}).items()):
            take(says(key))

    return taken


def _at_turn(key: str, turn: int) -> str:
    """Return the key of the widget that takes the place of the first one after so many changes from elsewhere."""
    return f"{key}.{turn}" if turn else key


def held(
    draw: Callable[..., Any],
    label: str,
    *of: Any,
    key: str,
    value: Any,
    taken: Callable[[Any], None],
    within: Any = None,
    clearable: bool = False,
    **options: Any,
) -> None:
    """Draw a widget that holds `value` until a person chooses otherwise.

    Parameters
    ----------
    draw : callable
        Of Streamlit, such as ``st.selectbox``.
    *of : object
        What it takes after the label: options, or bounds.
    key, within
        As for :func:`anew`.
    taken : callable
        Receives what is chosen; of a list that opens, only what it offers, unless more can be typed in.
    clearable : bool
        Whether it can be emptied, which says None. Only what is empty by default can, so that it is told what it holds.
    **options
        Handed on.
    """
    name = "index" if draw.__name__ in _INDEXED else "default" if draw.__name__ in _DEFAULT else "value"
    if clearable:
        shows(key, value)
        draw(label, *of, key=key, on_change=lambda: taken(says(key)), **{name: None}, **options)
        return
    offered = list(of[0]) if name != "value" else []
    key = anew(key, value, within=within, names=[*map(options.get("format_func", str), offered)])
    first = offered.index(value) if name == "index" and value is not None else value

    def take(said: Any) -> None:
        if name != "index" or said in offered or options.get("accept_new_options"):
            taken(said)

    draw(label, *of, key=key, on_change=heard(key, take), **{name: first}, **options)


def is_drawn(key: str) -> bool:
    """Tell whether the last run has drawn the widget with this key."""
    return key in st.session_state


def toggle(session: Session, param: Param[bool], label: str, *, key: str, help: str | None = None) -> bool:
    """Show a switch for a page's value and return the value."""
    held(st.toggle, label, key=key, value=session.get(param), taken=partial(session.put, param), help=help)
    return session.get(param)


def choose(
    session: Session,
    param: EnumParam[Any] | ListedParam,
    label: str,
    *,
    key: str,
    words: Callable[[Any], str],
    value: Any = None,
    taken: Callable[[Any], None] | None = None,
) -> None:
    """Show the options of a page's value side by side.

    Parameters
    ----------
    label : str
        Read out to those who cannot see the options.
    words : callable
        What each option is called.
    value : object or None
        What holds now; None for what is kept.
    taken : callable or None
        Receives a choice instead of its being kept.
    """
    held(
        st.segmented_control,
        label,
        param.options,
        key=key,
        value=session.get(param) if value is None else value,
        taken=taken or partial(session.put, param),
        format_func=words,
        required=True,
        label_visibility="collapsed",
    )


def pick(
    session: Session,
    param: Param[Any],
    options: Sequence[Any],
    label: str,
    *,
    key: str,
    words: Callable[[Any], str],
    usual: Any = None,
    help: str | None = None,
    in_line: bool = False,
) -> Any:
    """Show the options of a page's value as a list that opens, and return the value.

    Parameters
    ----------
    options : sequence
        What can be chosen now. A value that is none of them, from an address say, counts as the usual one.
    words : callable
        What each option is called, as plain text.
    usual : object
        The option that holds as long as none is chosen; None for the first.
    help : str or None
        Explains the choice.
    in_line : bool
        Read the label out only: the options say what they are.
    """
    now = session.get(param)
    now = now if now in options else options[0] if usual is None else usual
    held(
        st.selectbox,
        label,
        options,
        key=key,
        value=now,
        taken=partial(session.put, param),
        format_func=words,
        help=help,
        label_visibility="collapsed" if in_line else "visible",
    )
    return now


def pick_place(
    label: str, names: Sequence[str], place: int, *, key: str, taken: Callable[[int], None], **options: Any
) -> None:
    """Show names as a list that opens, of which several may be alike: what is chosen is a place among them.

    Parameters
    ----------
    names : sequence of str
        As plain text.
    place : int
        Which of them holds now.
    taken : callable
        Receives the place of a choice.
    **options
        Handed on.
    """
    places, seen = range(len(names)), Counter[str]()
    apart = []  # the browser says a place by its text, of which Streamlit takes the last that is alike
    for name in names:
        apart.append(name + JOINER * seen[name])
        seen[name] += 1
    held(st.selectbox, label, places, key=key, value=place, taken=taken, format_func=apart.__getitem__, **options)
