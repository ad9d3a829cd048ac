"""Marks of the rows of a slice on surfaces, and sentences on how many rows there are: for all pages that follow one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.services.cases import Part, part_rows
from dashboard.services.slices import few_words, within_words
from dashboard.session.session import Session
from dashboard.texts import slices as text
from proset.explain.slices.slice import FEWEST_ROWS

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.maps.surfaces import Surface
    from proset.study import Study
    from proset.study.any_study import AnyStudy


def counted(session: Session, study: AnyStudy, part: Part) -> tuple[int, str]:
    """Return how many rows of a part are followed, and the same in words; empty where all rows are."""
    lines, within = session.every_row(study), session.within
    count = len(part_rows(lines, part, within))
    if within is None:
        return count, ""
    return count, within_words(within, count, len(part_rows(lines, part)), part)


def too_few(session: Session, count: int, part: Part, *, fewest: int = FEWEST_ROWS) -> bool:
    """Say that the slice has too few of these rows for what follows; tell whether it has."""
    within = session.within
    if within is None or count >= fewest:
        return False
    words.notice("info", few_words(within, count, part))
    return True


def say(session: Session, sentence: str) -> None:
    """Say what a page does about the slice; nothing where all rows are shown."""
    within = session.within
    if within is not None:
        st.caption(words.caption(sentence.format(words=within.words)))


def say_mean(session: Session, study: Study) -> bool:
    """Say which held-out rows (training rows, if none are held out) a mean is over; tell whether there are any."""
    part = Part.HELD_OUT if len(study.split.held_out) else Part.TRAIN
    count, those = counted(session, study, part)
    if too_few(session, count, part, fewest=1):
        return False
    too_few(session, count, part)
    say(session, text.MEAN.format(rows=those))
    return True


def marked(session: Session, found: Surface) -> Surface:
    """Return a surface with the cases that are followed, and the selected one; the model stays what it is."""
    return replace(found, samples=marks(session, found.samples))


def marks(session: Session, samples: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of the cases that are followed, and that of the selected one."""
    within = session.within
    if within is None:
        return samples
    return samples[samples.index.isin(within.rows) | (samples.index == session.selected_row())]


def say_marks(session: Session, samples: pd.DataFrame, part: Part) -> None:
    """Say which cases of a surface are drawn as marks."""
    within = session.within
    if within is None:
        return
    count = int(samples.index.isin(within.rows).sum())
    if count:
        said = within_words(within, count, len(samples), part)
        st.caption(words.caption(text.SURFACE.format(rows=said)))
    else:
        words.notice("info", f"{few_words(within, 0, part)} {text.NO_MARKS}")
