"""The choice of what a case is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.services.references import REFERENCE, Reference, reference, references
from dashboard.session import widgets
from dashboard.session.session import Session
from proset.common.errors import StudyError

if TYPE_CHECKING:
    from proset.study import Study


def show(session: Session, study: Study, *, key: str) -> Reference:
    """Show the choice and return what is chosen; what an address names and the model lacks is said and left."""
    options = {option.text: option for option in cache.derived(study, "references", lambda: references(study))}
    text = session.get(REFERENCE)
    if text not in options:
        try:
            options[text] = reference(study, text)
        except StudyError as error:
            words.notice("warning", str(error))
            text = REFERENCE.usual
    widgets.shows(key, text)
    st.selectbox(
        "Compared with",
        list(options),
        format_func=lambda name: words.bare(options[name].label),
        key=key,
        on_change=lambda: session.put(REFERENCE, widgets.says(key)),
        width=380,
    )
    return options[text]
