"""Shares and marks in tables, and the number of lines that are seen at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from dashboard.components.figure_panel import page_look, toned
from proset.common.words import common_decimals, number, percent, to_decimals
from proset.explain.phrases import similarity_words
from proset.plots import style

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

# Streamlit refuses a styled table of more than 262,144 cells, and half a second is long enough to wait for one.
MOST_CELLS = 60_000
MARK = "✓"
"""Stands where something is so: a box looks as if it could be ticked."""
_LINE = 35  # pixels
_A_FEW = 2  # it would be odd to scroll for one or two lines


def height(n_lines: int, most: int | None = None) -> int:
    """Return the height of a table in pixels, with its heading.

    Of more than `most` lines, but for one or two, the last one shown is cut in half, so that one sees that there are
    more. Lines are as much higher as the text is larger.

    Examples
    --------
    >>> height(2), height(8, most=8), height(10, most=8), height(11, most=8)
    (108, 318, 388, 335)
    """
    shown = n_lines if most is None or n_lines <= most + _A_FEW else most + 0.5
    return int(page_look()["larger"] * _LINE * (1 + shown)) + 3


def fitted(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return looks of columns, those of a stated width as much wider as the text is larger.

    Examples
    --------
    >>> fitted({"row": {"label": "Row", "width": 60}, "weight": None})
    {'row': {'label': 'Row', 'width': 60}, 'weight': None}
    """
    larger = page_look()["larger"]
    return {name: _wider(look, larger) for name, look in columns.items()}


def _wider(look: Any, larger: float) -> Any:
    """Return the look of a column, wider where its width is stated in pixels."""
    stated = look.get("width") if isinstance(look, dict) else None
    return {**look, "width": round(larger * stated)} if isinstance(stated, int) else look


def model_bars(label: str, **look: Any) -> Any:
    """Return the look of a column of bars from 0 to 1 that the model says, in its colour; `look` is Streamlit's own."""
    return st.column_config.ProgressColumn(label, min_value=0.0, max_value=1.0, color=toned(style.MODEL), **look)


def similarity_bars(frame: pd.DataFrame, labels: Mapping[str, str]) -> tuple[Styler | pd.DataFrame, dict[str, Any]]:
    """Return a frame with a bar behind each similarity, and the looks of both columns.

    A bar would write a number of its own, in a format of the browser's: 0.00 for what is under 0.01.

    Parameters
    ----------
    frame : DataFrame
        The lines.
    labels : mapping
        The heading of each column of similarities.
    """
    frame, looks = frame.copy(), {}
    for name, label in labels.items():
        bar = f"{name} bar"
        frame.insert(list(frame).index(name) + 1, bar, frame[name])
        looks[name] = st.column_config.NumberColumn(label, width="small")
        looks[bar] = model_bars(" ", format=" ", width="small")
    return in_words(frame, [], near=list(labels)), looks


def in_words(
    frame: pd.DataFrame,
    columns: Sequence[str],
    css: pd.DataFrame | None = None,
    *,
    even: Sequence[str] = (),
    near: Sequence[str] = (),
    texts: Mapping[str, Sequence[str]] | None = None,
) -> Styler | pd.DataFrame:
    r"""Return a frame to show: shares read as :func:`proset.common.words.percent` says, what is so has a mark.

    A format of the browser's own would round 99.96 % to 100 %. Shares are still numbers, so that a click on the
    heading sorts them; in a very large frame they are texts.

    Parameters
    ----------
    frame : DataFrame
        With an index and columns that are all different.
    columns : sequence of str
        Columns of numbers in [0, 1]; missing ones stay blank.
    css : DataFrame or None
        The look of each cell, of the same shape.
    even : sequence of str
        Columns of numbers of which each has the same decimals in all lines, see :func:`proset.common.words.alike`.
    near : sequence of str
        Columns of similarities, which read as :func:`proset.explain.phrases.similarity_words` says.
    texts : mapping or None
        Of these columns what each cell says, in place of a share of its own.

    Examples
    --------
    >>> in_words(pd.DataFrame({"p": [0.9996, 0.25]}), ["p"]).to_string().split("\n")[1].strip()
    '0 over 99.9 %'
    >>> in_words(pd.DataFrame({"right": [True, False]}), []).data["right"].tolist()
    ['✓', '']
    >>> in_words(pd.DataFrame({"actual": [13050.0]}), []).to_string().split("\n")[1].strip()
    '0 13,050'
    """
    marks = {
        name: frame[name].map({True: MARK}).fillna("") for name in frame.select_dtypes(["bool", "boolean"]).columns
    }
    frame = frame.assign(**marks)
    formats: dict[str, Any] = dict.fromkeys(columns, _words)
    formats |= {name: partial(_even, common_decimals(frame[name].dropna().astype(float))) for name in even}
    formats |= dict.fromkeys(near, _near)
    if frame.size > MOST_CELLS:
        said = {name: frame[name].map(words).astype("str") for name, words in formats.items()}
        return frame.assign(**said, **(texts or {}))
    others = frame.select_dtypes("float").columns.difference(list(formats))
    styler = frame.style.format(dict.fromkeys(others, _plain) | formats)
    for name, cells in (texts or {}).items():
        for line, cell in zip(frame.index, cells, strict=True):
            styler = styler.format(partial(_said, cell), subset=([line], [name]))
    return styler if css is None else styler.apply(lambda _: css, axis=None)


def _said(text: str, _: object) -> str:
    """Return a text in place of any value."""
    return text


def _plain(value: float) -> str:
    """Write a number as people do; nothing where it is missing."""
    return number(value) if value == value else ""  # nan is not itself


def _even(decimals: int, value: float) -> str:
    """Write a number with so many decimals; nothing where it is missing."""
    return to_decimals(value, decimals) if value == value else ""  # nan is not itself


def _near(value: float) -> str:
    """Write a similarity; nothing where it is missing."""
    return similarity_words(value) if value == value else ""  # nan is not itself


def _words(share: object) -> str:
    """Write one share; nothing where it is missing."""
    return percent(share) if isinstance(share, float) and share == share else ""  # nan is not itself
