"""A row of files to take away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

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
    """Show one button per file; `key` begins the keys of the buttons."""
    with st.container(horizontal=True):
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
