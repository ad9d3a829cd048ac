"""Records of the cases of a table, and the files of them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

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
from proset.study import NumberStudy
from proset.workspace.review_file import write_records

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy
    from proset.workspace import Record

_LINES_SHOWN = 12


def show(session: Session, study: AnyStudy) -> None:
    """List what was said, the last first, and offer it as files."""
    every = verdicts.records(session)
    said = visible(every, session.reviewer, openly=session.get(OPENLY))
    if not said:
        return
    with st.expander(f"{text.SAID} ({len(said):,})"):
        frame = _frame(said)
        st.dataframe(
            frame,
            key="review.said",
            hide_index=True,
            height=tables.height(len(frame), _LINES_SHOWN),
            alt="What was said of each case, by whom and when, the last first.",
        )
    stem = exports.file_stem(study.table.name, "verdicts")
    files = text.FILES if len(said) == len(every) else text.SOME_FILES
    downloads.show(
        Download(files.format(kind="CSV"), f"{stem}.csv", downloads.CSV, partial(_file, said, ".csv")),
        Download(files.format(kind=".xlsx"), f"{stem}.xlsx", downloads.XLSX, partial(_file, said, ".xlsx")),
        *_corrected(study, said, stem),
        key="review",
    )


def _corrected(study: AnyStudy, said: tuple[Record, ...], stem: str) -> list[Download]:
    """Return the table with what people say its rows should have, if they say so of any."""
    found = corrected_table(study, heard(said, study))
    if found is None:
        return []
    write = partial(exports.csv_bytes, found, index=False)
    what = text.CORRECTED_NUMBERS if isinstance(study, NumberStudy) else text.CORRECTED
    return [Download(what, f"{stem}-corrected.csv", downloads.CSV, write)]


def _file(said: tuple[Record, ...], ending: str) -> bytes:
    """Return the records as a file, which can be read again exactly."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"verdicts{ending}"
        write_records(said, path)
        return path.read_bytes()


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
