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
    with st.popover(f"Model {_place(names, opened.current)} of {len(names)}", type="tertiary", key=f"{_KEY}.menu"):
        _choice(opened, names)


def _place(names: dict[str, str], current: str | None) -> int:
    """Return which of the models is shown; the oldest is the first."""
    return list(names).index(current) + 1 if current in names else 0


def _choice(opened: OpenTable, names: dict[str, str]) -> None:
    """Show the choice, and the button that removes a model."""
    widgets.held(
        st.selectbox,
        "Model shown",
        list(reversed(names)),
        key=_KEY,
        value=opened.current,
        taken=opened.switch,
        format_func=names.__getitem__,
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
