"""The address of the page: what it says is opened, and what is open it says.

The session and the address follow each other. When the browser goes Back or Forward, or opens a link, the address wins:
the session shows what it says. After everything else the session wins, and the address is written anew; that is one
step in the history of the browser.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboard.services.addresses import address as addresses
from dashboard.services.addresses.address import Address
from dashboard.services.addresses.held import KNOWN, NOT_HELD, HeldAddress, held_key, write_held
from dashboard.services.addresses.parts import Params, View, last, read_view, unknown
from dashboard.services.fit.modes import Mode, found_quickly
from dashboard.services.page import Page
from dashboard.services.params import NOT_THERE, Param, names
from dashboard.services.story.place import DUE, PRESENTER, READ, STORY, in_full, other_story
from dashboard.session import kept
from dashboard.session.opened import OpenTable
from dashboard.session.session import RULE, Session
from dashboard.texts import kept as kept_text
from proset.selection import is_quick
from proset.study.any_study import AnyStudy
from proset.study.recipe import Recipe


def follow_address(session: Session) -> Mode | None:
    """Show what the address asks for, if the browser has gone there; return how to make a model that is lacking.

    Parts of the address that are not allowed are dropped with a notice.
    """
    first = session.once("link")
    if not (first or went_through_history()):
        return None
    given, short = _asked(session, first=first)
    if not given:
        session.close()
        return None
    key = held_key(given)
    if key is not None:
        _follow_held(session, key, given)
        return None
    mode = _follow_sample(session, given)
    if short:
        session.put(DUE, True)
    return mode


def _asked(session: Session, *, first: bool) -> tuple[Params, bool]:
    """Return what the address asks for, and whether it is a short link to a step; a link may say that one only reads.

    Going Back or Forward changes nothing about what is kept.
    """
    notes: list[str] = []
    given, short = in_full(shown(), notes)
    if first and READ.name in given and last(given, READ.name) != READ.write(False):
        session.only_read()  # whatever else it says: who meant this shall not write
    session.present(larger=PRESENTER.name in given and PRESENTER.read(last(given, PRESENTER.name)) is True)
    for note in notes:
        session.notice(note)
    left_out = _of_other_pages(session) | {READ.name, PRESENTER.name}
    return {name: texts for name, texts in given.items() if name not in left_out}, short


def _of_other_pages(session: Session) -> set[str]:
    """Return what only other pages have in their addresses.

    On its way to another page the browser may have written the values of the next beside the name of the former.
    """
    every = chain.from_iterable(page.params for page in session.pages)
    return names(every) - names(_params(session))


def went_through_history() -> bool:
    """Tell whether this run was caused by Back or Forward."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def check_values(session: Session) -> None:
    """Take back values of the page for which the model has nothing, and say so; the address knows nothing of models."""
    study = session.fitted
    for param in () if study is None else _params(session):
        if not param.fits(session.get(param), study):
            session.notice(NOT_THERE.format(name=param.name, value=session.get(param), what="this model"))
            session.forget(param)


def write_address(session: Session) -> None:
    """Make the address say what is shown; one that differs is a new step in the history of the browser."""
    if session.follows_address:
        return
    wanted = query(session, session.page)
    session.address = {name: value if isinstance(value, list) else [value] for name, value in wanted.items()}
    if shown() != session.address:
        st.query_params.from_dict(wanted)


def query(session: Session, page: Page | None) -> dict[str, str | list[str]]:
    """Return the query parameters that reopen what is shown, on a page; empty if nothing is open."""
    read_only: dict[str, str | list[str]] = {READ.name: READ.write(True)} if session.read_only else {}
    larger: dict[str, str | list[str]] = {PRESENTER.name: PRESENTER.write(True)} if session.presenter else {}
    return _of_table(session, page) | read_only | larger


def _of_table(session: Session, page: Page | None) -> dict[str, str | list[str]]:
    """Return the part of an address that is about the table that is open."""
    params = _of_page(page)
    address = current_address(session, page)
    if address is not None:
        if session.written is None or session.written[0] is not address.recipe:
            session.written = address.recipe, addresses.write_recipe(address.sample, address.recipe)
        return addresses.write(address, params, session.written[1])
    opened = session.opened
    return write_held(HeldAddress(opened.key, opened.current, _view(session, page)), params) if opened else {}


def current_address(session: Session, page: Page | None) -> Address | None:
    """Return what a shared address should reopen: the current model if there is one, else the choices so far."""
    opened = session.opened
    if opened is None or opened.sample is None:
        return None
    recipe = opened.recipe if opened.fitted is None else shared_recipe(opened.fitted)
    fitted = opened.fitted is not None or session.working
    own = opened.fitted is not None and not is_quick(recipe.plan)
    return Address(opened.sample, recipe, fitted=fitted, own=own, view=_view(session, page))


def shared_recipe(study: AnyStudy) -> Recipe:
    """Return the recipe by which an address makes a model again: with a plan only where a quick fit finds the same."""
    found = study.search is not None and is_quick(study.search.plan) and not study.search.by_hand
    return study.recipe if found else replace(study.recipe, plan=None)


def _view(session: Session, page: Page | None) -> View:
    """Return what is looked at on a page."""
    opened = session.opened
    chosen = {param.name: session.chosen(param) for param in _of_page(page)}
    own = {name: value for name, value in chosen.items() if value is not None}
    return View(opened.selection, opened.walk, own) if opened else View()


def _follow_held(session: Session, key: str, given: Params) -> None:
    """Show a table that this session holds, with the model that was shown."""
    opened = session.opened if session.opened and session.opened.key == key else session.former.with_key(key)
    held = opened is not None
    opened = opened or kept.bring(session, key)
    if opened is None:
        session.notice(NOT_HELD if kept.place(session) is None else kept_text.NOT_HELD)
        return
    _reopen(session, opened)
    model = opened.find("".join(given.get("model", [])[-1:]))
    if model is not None:
        opened.switch(model)
    if not held and set(given) <= KNOWN:
        return  # it says no more than which study: what was looked at there is shown
    notes: list[str] = []
    own = _params(session)
    _look(session, read_view(given, own, opened.has, notes), own, number=opened.number is not None)
    for note in [*notes, *unknown(given, KNOWN, own)]:
        session.notice(note)


def _follow_sample(session: Session, given: Params) -> Mode | None:
    """Show a bundled data set, as it was left if it was open before."""
    own = _params(session)
    sample = "".join(given.get("data", [])[-1:])
    known = _held_sample(session, sample)
    # Rows that are not the table's are known to what is held only.
    address, table, notes = addresses.read(given, own, known.has if known else None)
    for note in notes:
        session.notice(note)
    if address is None or table is None:
        return None
    if known is None:
        known = kept.bring_sample(session, sample, partial(_has_what_is_asked, address))
    if known is None:
        known = session.open_table(table, sample=address.sample, roles=address.recipe.roles)
    _reopen(session, known)
    missing = _take_recipe(known, address)
    _look(session, address.view, own, number=known.recipe.roles.number if missing else known.number is not None)
    if not missing or session.fitting:
        return None
    return Mode.OWN if _is_own(address, addresses.write_recipe(address.sample, address.recipe)) else Mode.QUICK


def _held_sample(session: Session, sample: str) -> OpenTable | None:
    """Return a bundled data set that is open or was, as it was left."""
    if session.opened is not None and session.opened.sample == sample:
        return session.opened
    return session.former.sample(sample)


def _take_recipe(opened: OpenTable, address: Address) -> bool:
    """Show the model of an address, or take over its choices; return True if its model is not there."""
    if address.fitted:
        wanted = addresses.write_recipe(address.sample, address.recipe)
        made = [key for key, study in opened.models.items() if _made_so(address, study, wanted)]
        if made:
            if opened.current not in made:
                opened.switch(made[-1])
            return False
    elif opened.fitted is not None:
        # The address is older than the first model, and going back to before it would hide it.
        return False
    recipe = address.recipe
    roles = replace(recipe.roles, guessed=opened.recipe.roles.guessed)
    opened.edit(roles=roles, split=recipe.split, settings=recipe.settings)
    return address.fitted


def _has_what_is_asked(address: Address, opened: OpenTable) -> bool:
    """Tell whether a study has the model that an address asks for, or work under way that will make it."""
    wanted = addresses.write_recipe(address.sample, address.recipe)
    made = any(_made_so(address, study, wanted) for study in opened.models.values())
    return made or (opened.stopped is not None and not opened.models)


def _is_own(address: Address, wanted: addresses.Written) -> bool:
    """Tell whether an address states settings that a quick fit would find."""
    return address.own or any(name in wanted for name in found_quickly(number=address.recipe.roles.number))


def _made_so(address: Address, study: AnyStudy, wanted: addresses.Written) -> bool:
    """Tell whether an address asks for a model."""
    recipe = shared_recipe(study)
    return (
        _is_own(address, wanted) != is_quick(recipe.plan) and addresses.write_recipe(address.sample, recipe) == wanted
    )


def _reopen(session: Session, opened: OpenTable) -> None:
    """Open a table as it was left, unless it is open."""
    if session.opened is not opened:
        session.reopen(opened)


def _look(session: Session, view: View, params: tuple[Param[Any], ...], *, number: bool) -> None:
    """Select, look through and choose what an address says; what it does not say is as usual.

    Parameters
    ----------
    number : bool
        Whether its model is one of a number. Then it says nothing of how cases are decided between classes.
    """
    if session.opened is None:
        return
    session.select(view.case)
    session.opened.walk = view.cases
    for param in params:
        if param.name in view.own:
            session.put(param, view.own[param.name])
        elif not (number and param == RULE):
            session.forget(param)
    place = session.get(STORY)
    if place is not None and (left_out := other_story(place, session.opened.sample)):
        session.forget(STORY)
        session.notice(left_out)


def _params(session: Session) -> tuple[Param[Any], ...]:
    """Return what the page that is drawn declares, and what stands in every address."""
    return _of_page(session.page)


def _of_page(page: Page | None) -> tuple[Param[Any], ...]:
    """Return what stands in the address of a page."""
    return (*(page.params if page else ()), STORY)


def shown() -> dict[str, list[str]]:
    """Return the query parameters of the page that is drawn as they are."""
    return {name: st.query_params.get_all(name) for name in st.query_params}
