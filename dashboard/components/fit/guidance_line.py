"""A line on the Fit page: the next fit listens to what people said, and to what."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.components.guidance import said
from dashboard.components.jobs import job_panel
from dashboard.session import jobs
from dashboard.texts import review as text
from proset.study.guidance import Guidance

if TYPE_CHECKING:
    from dashboard.session.opened import OpenTable
    from dashboard.session.session import Session
    from proset.study.any_study import AnyStudy


def show(session: Session, opened: OpenTable) -> None:
    """Say what the next fit listens to, or no longer, and offer ways to it; nothing where nobody has said anything."""
    listens, study = opened.recipe.guidance, opened.fitted
    other = study if study is not None and _differs_by_words_only(opened, study) else None
    if len(listens):
        line, told = text.NEXT_FIT, listens
    elif other is not None:
        line, told = text.TAKEN_BACK, other.recipe.guidance
    else:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        what = told.words(opened.recipe.roles.stated)
        st.markdown(words.markdown(line.format(what=what)), width="content")
        if other is not None and jobs.running(job_panel.FIT) is None:
            st.button(
                text.SAME_SETTINGS,
                key="fit.same",
                icon=":material/replay:",
                help=text.SAME_SETTINGS_HELP,
                on_click=partial(job_panel.start_guided, session, other, listens),
            )
        if len(listens):
            st.button(
                text.WITHOUT,
                key="fit.guidance",
                icon=":material/hearing_disabled:",
                type="tertiary",
                on_click=lambda: opened.edit(guidance=Guidance()),
            )
    said.show(opened, opened.recipe.guidance.items, key="fit")


def _differs_by_words_only(opened: OpenTable, study: AnyStudy) -> bool:
    """Tell whether the next fit has the columns and rows of a model, and other words to listen to."""
    own, now = study.recipe, opened.recipe
    return (own.roles, own.split) == (now.roles, now.split) and own.guidance != now.guidance
