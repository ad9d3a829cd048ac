"""The files that a page offers, in one menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from dashboard.services.cases import CaseSource
from dashboard.services.exports import with_heading
from dashboard.services.quality.judged_words import judged_words
from dashboard.session.session import Session, current

CSV = "text/csv"
HTML = "text/html"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@dataclass(frozen=True)
class Download:
    """One file on offer.

    Attributes
    ----------
    label : str
        What the button says.
    file_name : str
        Name of the file, with its extension.
    mime : str
        Media type.
    make : callable
        Returns the content. Runs only when the button is pressed, outside the page, so it may not use Streamlit.
    help : str or None
        What is to be known of the content.
    """

    label: str
    file_name: str
    mime: str
    make: Callable[[], bytes]
    help: str | None = None


def show(*files: Download, key: str) -> None:
    """Add files to the one menu of downloads in the head of the page; `key` begins the keys of the buttons.

    A page may call it wherever the files are known, more than once with other keys.
    """
    session = current()
    tools = session.tools
    if tools is None or not files:
        return
    title, lines = _about(session)
    with tools.downloads():
        for number, file in enumerate(files):
            st.download_button(
                file.label,
                partial(_with_heading, file, title, lines) if file.mime == HTML else file.make,
                file_name=file.file_name,
                mime=file.mime,
                key=f"{key}.download.{number}",
                on_click="ignore",
                icon=":material/download:",
                type="tertiary",
                help=file.help,
            )


def _with_heading(file: Download, title: str, lines: tuple[str, ...]) -> bytes:
    """Return a figure with what it shows above it."""
    return with_heading(file.make(), title, (file.label.removesuffix(" (HTML)"), *lines))


def _about(session: Session) -> tuple[str, tuple[str, ...]]:
    """Return page and data, and the selected case with what the model says of it, in plain text."""
    page, table, study, case = session.page, session.table, session.study, session.case
    title = " – ".join(filter(None, (page.text.title if page else "", table.name if table else "")))
    if study is None or case is None or case.source is not CaseSource.TABLE:
        return title, ()
    return title, (f"{case.label}: {judged_words(session.judged(study).loc[[case.row]].iloc[0])}",)
