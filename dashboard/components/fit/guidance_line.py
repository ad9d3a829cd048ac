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
    """Say what the next fit listens to, and offer ways to it; nothing where nobody has said anything."""
    if not len(opened.recipe.guidance):
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        what = opened.recipe.guidance.words(opened.recipe.roles.stated)
        st.markdown(words.markdown(text.NEXT_FIT.format(what=what)), width="content")
        study = opened.fitted
        if study is not None and _differs_by_words_only(opened, study) and jobs.running(job_panel.FIT) is None:
            st.button(
                text.SAME_SETTINGS,
                key="fit.same",
                icon=":material/replay:",
                help=text.SAME_SETTINGS_HELP,
                on_click=partial(job_panel.start_guided, session, study, opened.recipe.guidance),
            )
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
