"""Switch between several models of one table."""

from __future__ import annotations

import streamlit as st

from dashboard.components import words
from dashboard.services.models import MOST_MODELS
from dashboard.session import widgets
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session

_KEY = "models.current"


def show(session: Session) -> None:
    """Show the models by what differs between them, and a way to remove one; nothing while there is only one."""
    opened = session.opened
    if opened is None or len(opened.models) < 2:
        return
    names = {key: words.bare(name) for key, name in opened.model_names.items()}
    # The browser holds on to the text of an option; with another model beside it, the same one reads differently.
    key = widgets.anew(f"{_KEY}.{'.'.join(opened.models)}", opened.current)
    with st.popover(f"Model {_place(names, opened.current)} of {len(names)}", type="tertiary", key=f"{_KEY}.menu"):
        _choice(opened, names, key)


def _place(names: dict[str, str], current: str | None) -> int:
    """Return which of the models is shown; the oldest is the first."""
    return list(names).index(current) + 1 if current in names else 0


def _choice(opened: OpenTable, names: dict[str, str], key: str) -> None:
    """Show the choice, and the button that removes a model."""
    offered = list(reversed(names))
    st.selectbox(
        "Model shown",
        offered,
        index=None if opened.current is None else offered.index(opened.current),
        format_func=names.__getitem__,
        key=key,
        on_change=widgets.heard(key, opened.switch),
        help="Every page shows this one, and the settings are those it was fitted with. "
        f"A fit adds a model; at most {MOST_MODELS} are kept, then the oldest goes.",
    )
    st.button(
        "Remove this model",
        key="models.remove",
        icon=":material/delete:",
        type="tertiary",
        on_click=opened.remove,
        args=(opened.current,),
    )
