"""Result of a fit of a number: how far off it is on rows not seen, what it looks at, the prototypes it kept."""

from __future__ import annotations

import streamlit as st

from dashboard import cache
from dashboard.components import fitted, page, words
from dashboard.services.numbers import fit as service
from dashboard.session.session import Session
from dashboard.texts import number_fit as text
from dashboard.texts.number_features import NEAR
from proset.study import NumberStudy


def show(session: Session, study: NumberStudy) -> None:
    """Show the finding, the measures beside "as everybody", weights and prototypes."""
    page.section(words.label(service.headline(study)))
    found = cache.derived(service.notice, study)  # its intervals by groups take a while
    words.notice(found.kind, found.text, found.advice)
    picture, aside = fitted.beside(session)
    with picture:
        fitted.looks_at(study, NEAR, text.WEIGHTS)
        page.link(session, "features", text.STEPS, content=True)
        if chosen := service.found_words(study):
            st.caption(words.caption(chosen))
        fitted.batches(session, study, service.batch_table(study), text.NOTHING)
    with aside:
        page.section(f"On {words.label(service.measured_on(study))}")
        fitted.measures(session, [(entry, entry.naive) for entry in service.measures(study)])
        st.caption(text.EVERYBODY)
        page.link(session, "quality", "How far off it is, and whether its intervals hold", content=True)
