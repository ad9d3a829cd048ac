"""A part of a report on a page: what its file will hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from dashboard.components import downloads, figure_panel, page, tables, words
from proset.common.words import number, unbroken
from proset.plots import style
from proset.report.document import Block, Facts, ReportTable, Words
from proset.report.html_file import to_html

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from proset.report.document import Document, ReportPart

_LINES, _FACTS_HEIGHT, _COLUMN = 12, 480, 460
FIRST_PAGE = {"summary": ("map", "picture"), "verdict": ("evidence",)}
"""The part that a report begins with, and what stands on its first page beside it."""
_TINT = f"background-color: {style.tinted(style.NEUTRAL, 0.25)}"


def show(part: ReportPart, *, key: str, tables_too: bool = True) -> None:
    """Show the blocks of a part; the finding, the first sentence of the first part, stands out as in the file."""
    page.section(part.title)
    for place, block in enumerate(part.blocks):
        if isinstance(block, ReportTable) and not tables_too:
            continue
        finding = place == 0 and part.name in FIRST_PAGE
        _show_block(block, key=f"{key}.{part.name}.{place}", stem=part.name, finding=finding)


def first_page(parts: Sequence[ReportPart], *, key: str) -> None:
    """Show parts side by side where there is room: one, and of the others the pictures that bear it."""
    grid = st.grid(len(parts), min_column_width=_COLUMN, gap="large")
    for place, part in enumerate(parts):
        with grid.cell():
            show(part, key=key, tables_too=place == 0)


def download(make: Callable[[], Document], stem: str) -> None:
    """Offer the report, which is made when it is asked for."""
    st.download_button(
        "Download the report (HTML)",
        lambda: to_html(make()).encode("utf-8"),
        file_name=f"{stem}.html",
        mime=downloads.HTML,
        key="report.html",
        type="primary",
        icon=":material/download:",
        on_click="ignore",
    )


def shown_with(name: str, parts: Collection[str]) -> tuple[str, ...]:
    """Return the parts that are looked at together: the first one with the picture that follows it in the file.

    Examples
    --------
    >>> shown_with("summary", ("summary", "map", "data")), shown_with("data", ("summary", "data"))
    (('summary', 'map'), ('data',))
    """
    return (name, *(other for other in FIRST_PAGE.get(name, ()) if other in parts))


def _show_block(block: Block, *, key: str, stem: str, finding: bool = False) -> None:
    """Show one block."""
    if isinstance(block, Words):
        _words(block, finding=finding)
    elif isinstance(block, Facts):
        _facts(block)
    elif isinstance(block, ReportTable):
        marked = None if block.marked is None else block.frame[block.marked].to_numpy(dtype=bool)
        frame = block.frame if block.marked is None else block.frame.drop(columns=block.marked)
        alt = block.caption or "A table of the report."
        _table(frame, key=key, alt=alt, shares=block.shares, marked=marked)
        if block.caption:
            st.caption(words.caption(block.caption))
    else:
        figure_panel.show(block.figure, key=key, file_name=stem, alt=block.alt)
        if block.caption:
            st.caption(words.caption(block.caption))


def _words(block: Words, *, finding: bool) -> None:
    """Show sentences, one below the other as in the file."""
    lines = [unbroken(words.markdown(line)) for line in block.lines]
    if block.as_list:
        st.markdown("\n".join(f"- {line}" for line in lines))
        return
    if finding:
        st.markdown(f"**{lines[0]}**")
        lines = lines[1:]
    if lines:
        st.markdown("  \n".join(lines))


def _facts(facts: Facts) -> None:
    """Show facts: names take the room they need, and values the rest of it, in several lines where they are long."""
    lines = [(name, "" if value is None else str(value)) for name, value in facts.pairs]
    frame = pd.DataFrame([map(words.markdown, line) for line in lines], columns=["fact", "value"])
    many = len(frame) > _LINES
    st.table(
        frame,
        hide_index=True,
        hide_header=True,
        height=_FACTS_HEIGHT if many else "content",
        alt="Facts and their values.",
    )


def _table(
    frame: pd.DataFrame,
    *,
    key: str,
    alt: str,
    shares: tuple[str, ...] = (),
    marked: NDArray[np.bool_] | None = None,
) -> None:
    """Show a table; marked lines are tinted, as in the file."""
    shown = frame.reset_index(drop=True)
    css = None
    if marked is not None:
        looks = np.repeat(np.where(marked, _TINT, "")[:, np.newaxis], shown.shape[1], axis=1)
        css = pd.DataFrame(looks, index=shown.index, columns=shown.columns)
    table = tables.in_words(shown, list(shares), css)
    if isinstance(table, Styler):  # numbers as in the file
        numbers: list[Any] = [name for name in shown.select_dtypes("float").columns if name not in shares]
        table = table.format(_number, subset=numbers, na_rep="") if numbers else table
    st.dataframe(
        table,
        key=key,
        hide_index=True,
        height=tables.height(len(frame), _LINES),
        placeholder="",
        alt=words.bare(alt),
    )


def _number(value: Any) -> str:
    """Write one number."""
    return number(float(value))
