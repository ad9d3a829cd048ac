"""The files that a page offers, in one menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dashboard.session.session import current

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
    """

    label: str
    file_name: str
    mime: str
    make: Callable[[], bytes]


def show(*files: Download, key: str) -> None:
    """Add files to the one menu of downloads in the head of the page; `key` begins the keys of the buttons.

    A page may call it wherever the files are known, more than once with other keys.
    """
    tools = current().tools
    if tools is None or not files:
        return
    if tools.menu is None:
        tools.menu = tools.place.popover("Downloads", icon=":material/download:", key="frame-downloads")
    with tools.menu:
        for number, file in enumerate(files):
            st.download_button(
                file.label,
                file.make,
                file_name=file.file_name,
                mime=file.mime,
                key=f"{key}.download.{number}",
                on_click="ignore",
                icon=":material/download:",
                type="tertiary",
            )
