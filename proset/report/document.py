"""Report before it is written: parts of sentences, tables and figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


@dataclass(frozen=True)
class Words:
    """Sentences.

    Attributes
    ----------
    lines : tuple of str
        One paragraph each, or one item of a list each; plain text.
    as_list : bool
        Whether they are items of a list.
    """

    lines: tuple[str, ...]
    as_list: bool = False


@dataclass(frozen=True)
class Facts:
    """Names and values.

    Attributes
    ----------
    pairs : tuple of (str, object)
        In their order.
    """

    pairs: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, eq=False)
class ReportTable:
    """A table.

    Attributes
    ----------
    frame : DataFrame
        Its index is not shown.
    shares : tuple of str
        Columns that are shown per cent.
    marked : str or None
        Column of truth values; lines where it is true are tinted, and it is not shown.
    caption : str
        What it is, in a sentence.
    """

    frame: pd.DataFrame
    shares: tuple[str, ...] = ()
    marked: str | None = None
    caption: str = ""


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure.

    Attributes
    ----------
    figure : plotly Figure
        Any figure.
    alt : str
        What it shows, for those who cannot see it.
    caption : str
        What to know about it, in sentences.
    width : int
        Pixels.
    """

    figure: go.Figure
    alt: str
    caption: str = ""
    width: int = 690


Block = Words | Facts | ReportTable | Picture


@dataclass(frozen=True, eq=False)
class ReportPart:
    """One part of a report.

    Attributes
    ----------
    name : str
        Its name in an address and on the command line.
    title : str
        Its heading.
    blocks : tuple of blocks
        What it says, in order.
    """

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, eq=False)
class Document:
    """A whole report.

    Attributes
    ----------
    title : str
        Its heading.
    lead : tuple of str
        What stands below: what it is about, and when it was made.
    parts : tuple of ReportPart
        In order.
    """

    title: str
    lead: tuple[str, ...]
    parts: tuple[ReportPart, ...]
