"""The models of a table as a history: what each was asked for, how good it is, and two of them case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard import cache
from dashboard.components import tables, words
from dashboard.components.guidance import became
from dashboard.services.history import history
from dashboard.session.session import Session
from dashboard.texts import guidance as text
from proset.common.errors import StudyError

if TYPE_CHECKING:
    from proset.study import Study


def show(session: Session, study: Study) -> None:
    """Show them, where there are several."""
    opened = session.opened
    if opened is None or len(opened.class_models) < 2:
        return
    models = tuple(opened.class_models.values())
    names = {key: name for key, name in opened.model_names.items() if key in opened.class_models}
    with st.expander(text.HISTORY.format(count=len(models)), icon=":material/history:", key="fit.history"):
        frame = cache.derived(_history, study, models, tuple(names.items()))
        st.dataframe(
            frame, key="fit.history.table", hide_index=True, height=tables.height(len(frame), len(frame)),
            alt="The models of this table, the oldest first.",
        )  # fmt: skip
        st.caption(text.HISTORY_READ)
        others = [key for key in names if key != study.id]
        bare = {key: words.bare(names[key]) for key in others}
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = st.selectbox(
                text.WITH, others, index=None, format_func=bare.__getitem__, key=f"fit.history.{study.id}", width=420
            )
            if chosen is not None:
                st.button(
                    text.MAKE_CURRENT, key="fit.history.take", icon=":material/visibility:", on_click=opened.switch,
                    args=(chosen,),
                )  # fmt: skip
        if chosen is not None:
            _beside(session, opened.class_models[chosen], study)


def _history(study: Study, models: tuple[Study, ...], names: tuple[tuple[str, str], ...]) -> pd.DataFrame:
    """List them; kept with the one that is shown."""
    return history(models, dict(names), study)


def _beside(session: Session, other: Study, study: Study) -> None:
    """Show both case by case: "before" is the older of the two."""
    assert session.opened is not None
    order = list(session.opened.models)
    first, last = sorted((other, study), key=lambda one: order.index(one.id))
    try:
        became.show(session, first, last, {}, key="fit.history")
    except StudyError as error:
        words.notice("info", str(error))
