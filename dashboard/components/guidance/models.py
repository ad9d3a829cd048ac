"""The models of a table as a history: what each was asked for, how good it is, and two of them case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard import cache
from dashboard.components import tables, words
from dashboard.components.guidance import became, number_became
from dashboard.services.history import history
from dashboard.session.session import Session
from dashboard.texts import guidance as text
from proset.common.errors import StudyError
from proset.study import NumberStudy, Study

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy


def show(session: Session, study: AnyStudy) -> None:
    """Show those of the same kind, where there are several."""
    opened = session.opened
    known = {} if opened is None else {key: one for key, one in opened.models.items() if type(one) is type(study)}
    if opened is None or len(known) < 2:
        return
    models = tuple(known.values())
    names = {key: name for key, name in opened.model_names.items() if key in known}
    # What is asked of a number on its pages is fitted from here, so it stands beside the model before at once.
    heard = isinstance(study, NumberStudy) and len(study.guidance) > 0
    title = text.HISTORY.format(count=len(models))
    with st.expander(title, icon=":material/history:", key=f"fit.history.{heard}", expanded=heard):
        frame = cache.derived(_history, study, models, tuple(names.items()))
        st.dataframe(
            frame, key="fit.history.table", hide_index=True, height=tables.height(len(frame), len(frame)),
            alt="The models of this table, the oldest first.",
        )  # fmt: skip
        st.caption(text.HISTORY_READ_NUMBER if isinstance(study, NumberStudy) else text.HISTORY_READ)
        others = [key for key in names if key != study.id]
        bare = {key: words.bare(names[key]) for key in others}
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = st.selectbox(
                text.WITH,
                others,
                index=len(others) - 1 if heard else None,
                format_func=bare.__getitem__,
                key=f"fit.history.{study.id}",
                width=420,
            )
            if chosen is not None:
                st.button(
                    text.MAKE_CURRENT, key="fit.history.take", icon=":material/visibility:", on_click=opened.switch,
                    args=(chosen,),
                )  # fmt: skip
        if chosen is not None:
            _beside(session, known[chosen], study)


def _history(study: AnyStudy, models: tuple[AnyStudy, ...], names: tuple[tuple[str, str], ...]) -> pd.DataFrame:
    """List them; kept with the one that is shown."""
    return history(models, dict(names), study)


def _beside(session: Session, other: AnyStudy, study: AnyStudy) -> None:
    """Show both case by case: "before" is the older of the two."""
    assert session.opened is not None
    order = list(session.opened.models)
    first, last = sorted((other, study), key=lambda one: order.index(one.id))
    try:
        if isinstance(first, NumberStudy) and isinstance(last, NumberStudy):
            number_became.show(first, last, key="fit.history")
        elif isinstance(first, Study) and isinstance(last, Study):
            became.show(session, first, last, {}, key="fit.history")
    except StudyError as error:
        words.notice("info", str(error))
