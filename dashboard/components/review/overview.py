"""The review as a whole: verdicts over time, how those on errors fall out, and what the errors have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard.components import figure_panel, words
from dashboard.services.review.queue import OPENLY
from dashboard.services.review.together import on_errors, visible
from dashboard.session import verdicts
from dashboard.session.session import Session
from dashboard.texts import review as text
from proset.common.words import count_words
from proset.plots.verdicts import plot_verdicts
from proset.workspace.verdicts import ReviewVerdict, not_taken_back

if TYPE_CHECKING:
    from proset.workspace import Record


def show(session: Session, *, blind: bool, in_common: Callable[[], object]) -> None:
    """Show it when it is opened; a blind reviewer sees only what was said, not what the errors have in common."""
    said = visible(verdicts.records(session), session.reviewer, openly=session.get(OPENLY))
    fold = st.expander(text.OVERVIEW, key="review.overview", on_change="rerun", icon=":material/timeline:")
    if not fold.open:
        return
    with fold:
        standing = not_taken_back(said)
        if standing:
            figure = plot_verdicts(_frame(standing))
            figure_panel.show(figure, key="review.verdicts", file_name="verdicts", alt=text.OVER_TIME, tools=False)
        else:
            st.caption(text.NOTHING_SAID)
        if blind:
            st.caption(text.BLIND_OVERVIEW)
            return
        if standing:
            st.markdown(words.markdown(_of_errors(standing, of_number=session.number is not None)))
        in_common()


def _of_errors(said: list[Record], *, of_number: bool) -> str:
    """Say how verdicts on cases that the model gets wrong fall out."""
    found = on_errors(said, of_number=of_number)
    if not found:
        return text.NO_VERDICT_OUTSIDE if of_number else text.NO_VERDICT_ON_ERRORS
    each = "; ".join(f"{text.VERDICTS[kind]}: {count:,}" for kind, count in found.items())
    return (text.ON_OUTSIDE if of_number else text.ON_ERRORS).format(
        count=count_words(sum(found.values()), "verdict"), each=each
    )


def _frame(said: list[Record]) -> pd.DataFrame:
    """Return what was said as the figure takes it, kinds in the order of their keys."""
    order = list(ReviewVerdict)
    lines = [
        {"at": one.at.replace(tzinfo=None), "verdict": text.VERDICTS[one.verdict], "row": one.row, "by": one.reviewer}
        for one in sorted((record.judgement for record in said), key=lambda one: order.index(one.verdict))
    ]
    return pd.DataFrame(lines)
