"""Records of the cases of a table, and the files of them."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from dashboard.components import downloads, tables
from dashboard.components.downloads import Download
from dashboard.services import exports
from dashboard.services.review.heard import corrected_table, heard
from dashboard.services.review.queue import OPENLY
from dashboard.services.review.together import visible
from dashboard.session import verdicts
from dashboard.session.session import Session
from dashboard.texts import review as text
from proset.common.frames import free_names
from proset.common.words import count_words
from proset.data.cells import read_words
from proset.study import NumberStudy
from proset.study.guidance import GuidanceKind
from proset.workspace.review_file import write_records

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy
    from proset.workspace import Record

_LINES_SHOWN = 12


def show(session: Session) -> None:
    """List what was said so far, the last first; the queue draws it with each verdict."""
    said = until_now(session, session.reviewer, openly=session.get(OPENLY))
    if not said:
        return
    # With its number in the label it would fold with each verdict.
    with st.expander(text.SAID, key="review.records"):
        frame = _frame(said)
        st.caption(text.SAID_COUNT.format(count=count_words(len(said), "verdict")))
        st.dataframe(
            frame,
            key="review.said",
            hide_index=True,
            height=tables.height(len(frame), _LINES_SHOWN),
            alt="All verdicts, by whom and when, the last first.",
        )


def offer(session: Session, study: AnyStudy) -> None:
    """Offer what was said as files, with all that is said until one is asked for."""
    every, openly = verdicts.records(session), session.get(OPENLY)
    if not every and not session.reviewer:
        return
    now = partial(until_now, session, session.reviewer, openly=openly)
    stem = exports.file_stem(study.table.name, "verdicts")
    files = text.FILES if len(visible(every, session.reviewer, openly=openly)) == len(every) else text.SOME_FILES
    what = text.CORRECTED_NUMBERS if isinstance(study, NumberStudy) else text.CORRECTED
    make = partial(_corrected, now, study)
    corrected = Download(what, f"{stem}-corrected.csv", downloads.CSV, make, text.CORRECTED_HELP)
    downloads.show(
        Download(files.format(kind="CSV"), f"{stem}.csv", downloads.CSV, partial(_file, now, ".csv")),
        Download(files.format(kind=".xlsx"), f"{stem}.xlsx", downloads.XLSX, partial(_file, now, ".xlsx")),
        *([corrected] if study.roles.classes_are_values else []),  # else the column does not hold the classes
        key="review",
    )


def until_now(session: Session, reviewer: str, *, openly: bool) -> tuple[Record, ...]:
    """Return what was said until now, as far as a reviewer may see it."""
    return visible(verdicts.records(session), reviewer, openly=openly)


def _corrected(said: Callable[[], tuple[Record, ...]], study: AnyStudy) -> bytes:
    """Return the table with what people say its rows should have, what changed rows had, and which are faulty."""
    before, target = study.table.frame, str(study.roles.target)
    obeyed = heard(said(), study)
    found = corrected_table(study, obeyed)
    frame = (before if found is None else found).copy()
    for name in frame:
        if name == target or frame[name].dtype.kind == "f":  # whole numbers stay whole where others are missing
            frame[name] = read_words(frame[name])
    former = read_words(before[target])
    changed = (frame[target] != former) & ~(frame[target].isna() & former.isna())
    frame[free_names([text.CHANGED_FROM], frame.columns)[0]] = former.where(changed)
    faulty = [*obeyed.guidance.rows_of(GuidanceKind.LEAVE_OUT), *obeyed.faulty]
    if faulty:
        frame[free_names([text.FAULTY], frame.columns)[0]] = np.where(frame.index.isin(faulty), "yes", "")
    return exports.csv_bytes(frame, index=False)


def _file(said: Callable[[], tuple[Record, ...]], ending: str) -> bytes:
    """Return the records as a file, which can be read again exactly."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"verdicts{ending}"
        write_records(said(), path)
        # Without the mark Excel takes UTF-8 for another encoding; whoever reads the file back passes it over.
        return (codecs.BOM_UTF8 if ending == ".csv" else b"") + path.read_bytes()


def _frame(said: tuple[Record, ...]) -> pd.DataFrame:
    """Return the records as people read them."""
    lines = [
        {
            "Row": one.row,
            "In the table": one.label,
            "Verdict": text.VERDICTS[one.verdict],
            "Should be": one.new_label,
            "Reasons": ", ".join(one.reasons),
            "Note": one.note or "",
            "Certainty": one.certainty,
            "The model says": one.said,
            "By": one.reviewer,
            "When (UTC)": one.at.replace(tzinfo=None).isoformat(sep=" ", timespec="seconds"),
        }
        for one in (record.judgement for record in reversed(said))
    ]
    return pd.DataFrame(lines)
