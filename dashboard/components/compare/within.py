"""The systems of a comparison on the rows of a slice, and what of the page does not follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import page, tables, words
from dashboard.components.compare.kept import kept
from dashboard.components.slices import followed
from dashboard.services.compare import found as service
from dashboard.services.compare.choices import CompareAspect
from dashboard.services.slices import within_words
from dashboard.session.session import Session
from dashboard.texts import compare as text
from proset.compare import measures_within
from proset.explain.slices.slice import FEWEST_ROWS

if TYPE_CHECKING:
    import pandas as pd

    from dashboard.services.cases import Within
    from proset.compare import Comparison
    from proset.study import Study


def show(session: Session, study: Study, found: Comparison, aspect: CompareAspect) -> None:
    """Say what of the comparison is about the slice, and how the systems do there; nothing where all rows are shown."""
    within = session.within
    if within is None or aspect is CompareAspect.SURFACES:  # which says so below its marks
        return
    if aspect in text.OF_ALL:
        followed.say(session, text.OF_ALL[aspect])
        return
    inside = kept(_measured, study, found, within)
    count = int(inside["rows"].max()) if len(inside) else 0
    part = service.measured_part(found)
    if not followed.too_few(session, count, part, fewest=1):
        st.caption(words.caption(text.WITHIN.format(rows=within_words(within, count, len(found.measured), part))))
        followed.too_few(session, count, part)
        if aspect is CompareAspect.QUALITY and count >= FEWEST_ROWS:
            _table(inside, kept(_measured, study, found, None))
    if aspect is CompareAspect.QUALITY:
        page.section(text.ON_ALL)


def _measured(study: Study, found: Comparison, within: Within | None) -> pd.DataFrame:
    return measures_within(study, found, None if within is None else within.rows)


def _table(inside: pd.DataFrame, every: pd.DataFrame) -> None:
    """Show the systems on the slice beside all rows."""
    lines = service.within_lines(inside, every)
    st.dataframe(
        lines,
        key="compare.within",
        height=tables.height(len(lines)),
        width="content",
        column_config={
            "System": st.column_config.TextColumn(width=190, pinned=True),
            **{name: st.column_config.TextColumn(title) for name, title in text.WITHIN_COLUMNS.items()},
        },
        alt="Each system on the slice: " + "; ".join(f"{name} {said} wrong" for name, said in lines["wrong"].items()),
    )
