"""The address of the page: opened once per session, kept up to date after every run."""

from __future__ import annotations

import streamlit as st

from dashboard import state
from dashboard.services import address as addresses
from dashboard.services.address import Address


def open_address() -> bool:
    """Open what the address asks for; return True if a model is to be fitted as well.

    Parts of the address that are not allowed are dropped with a notice.
    """
    params = {name: st.query_params.get_all(name) for name in st.query_params}
    address, table, notes = addresses.read(params)
    for note in notes:
        state.add_notice(note)
    if address is None or table is None:
        return False
    state.set_table(table, sample=address.sample, roles=address.roles)
    state.set_split_settings(address.split)
    state.set_fit_settings(address.settings)
    state.select_row(address.row)
    return address.fitted


def write_address() -> None:
    """Make the address say what is shown; for uploaded data it says nothing."""
    wanted = query()
    shown = {name: st.query_params.get_all(name) for name in st.query_params}
    if shown != {name: value if isinstance(value, list) else [value] for name, value in wanted.items()}:
        st.query_params.from_dict(wanted)


def query() -> dict[str, str | list[str]]:
    """Return the query parameters that reopen what is shown; empty for uploaded data."""
    address = current_address()
    return addresses.write(address) if address else {}


def current_address() -> Address | None:
    """Return what the address should reopen: the fitted model if there is one, else the choices so far."""
    sample, roles, study = state.sample_name(), state.roles(), state.study()
    if sample is None or roles is None:
        return None
    fit_expected = study is not None or state.job() is not None
    if study is not None:
        return Address(sample, study.roles, study.split.settings, study.settings, fit_expected, state.selected_row())
    return Address(sample, roles, state.split_settings(), state.fit_settings(), fit_expected, state.selected_row())
