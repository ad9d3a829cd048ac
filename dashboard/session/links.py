"""The address of the page: opened once per session, kept up to date after every run."""

from __future__ import annotations

import streamlit as st

from dashboard.services import address as addresses
from dashboard.services.address import Address
from dashboard.services.page import Page
from dashboard.session.session import Session


def open_address(session: Session) -> bool:
    """Open what the address asks for; return True if a model is to be fitted as well.

    Parts of the address that are not allowed are dropped with a notice.
    """
    own = session.page.params if session.page else ()
    address, table, notes = addresses.read(_shown(), own)
    for note in notes:
        session.notice(note)
    if address is None or table is None:
        return False
    opened = session.open_table(table, sample=address.sample, roles=address.recipe.roles)
    opened.edit(split=address.recipe.split, settings=address.recipe.settings)
    session.select(address.case)
    for param in own:
        if param.name in address.own:
            session.put(param, address.own[param.name])
    return address.fitted


def write_address(session: Session) -> None:
    """Make the address say what is shown; for uploaded data it says nothing."""
    wanted = query(session, session.page)
    if _shown() != {name: value if isinstance(value, list) else [value] for name, value in wanted.items()}:
        st.query_params.from_dict(wanted)


def query(session: Session, page: Page | None) -> dict[str, str | list[str]]:
    """Return the query parameters that reopen what is shown, on a page; empty for uploaded data."""
    address = current_address(session, page)
    return addresses.write(address, page.params if page else ()) if address else {}


def current_address(session: Session, page: Page | None) -> Address | None:
    """Return what the address should reopen: the current model if there is one, else the choices so far."""
    opened = session.opened
    if opened is None or opened.sample is None:
        return None
    recipe = opened.recipe if opened.study is None else opened.study.recipe
    chosen = {param.name: session.chosen(param) for param in (page.params if page else ())}
    return Address(
        opened.sample,
        recipe,
        fitted=opened.study is not None or session.working,
        case=opened.selection,
        own={name: value for name, value in chosen.items() if value is not None},
    )


def _shown() -> dict[str, list[str]]:
    """Return the query parameters as they are."""
    return {name: st.query_params.get_all(name) for name in st.query_params}
