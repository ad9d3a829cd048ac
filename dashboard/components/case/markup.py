"""Pieces of HTML that the Case page is made of: names of classes, bars, and lines with the ranges of two classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from dashboard.components import words
from dashboard.components.figure_panel import toned
from dashboard.services.case.beside import Line, Range
from proset.plots import style

_STYLES = Path(__file__).with_name("case.css")
_LEAST_LEAN, _STRONGEST = 0.1, 0.42


def look() -> None:
    """Load the look of the page."""
    st.html(_STYLES)
    model, wrong, ink = map(toned, (style.MODEL, style.WRONG, style.INK))
    st.html(f"<style>:root {{ --case-model: {model}; --case-wrong: {wrong}; --case-ink: {ink}; }}</style>")


@dataclass(frozen=True)
class Palette:
    """Colours of the classes on the present page.

    Attributes
    ----------
    colours : mapping of str to str
        ``"#RRGGBB"`` by class.
    """

    colours: Mapping[str, str]

    @classmethod
    def of(cls, classes: Sequence[str]) -> Palette:
        """Return the colours of all classes of a study on a light or a dark page."""
        return cls({name: toned(colour) for name, colour in style.class_colours(classes).items()})

    def named(self, label: str, text: str) -> str:
        """Return words in the colour of a class."""
        return f'<span class="case-class" style="--c:{self.colours[label]}">{words.html(text)}</span>'

    def bar(self, label: str, share: float) -> str:
        """Return a bar from 0 to 1 in the colour of a class."""
        return f'<i class="case-bar" style="--c:{self.colours[label]};--w:{_percent(share)}"></i>'

    def tint(self, lean: float, said: str, other: str) -> str:
        """Return the background of a value that leans to one of two classes."""
        if abs(lean) < _LEAST_LEAN:
            return ""
        return style.tinted(self.colours[said if lean > 0 else other], round(_STRONGEST * min(1.0, abs(lean)), 3))

    def strip(self, line: Line, said: str, other: str, *, case: bool = True) -> str:
        """Return a line on which two classes have their ranges: thin 5 to 95 %, thick the middle half."""
        ranges = zip(line.ranges, (said, other), ("above", "below"), strict=True)
        parts = [self._range(part, label, where) for part, label, where in ranges if part is not None]
        if line.flip is not None:
            parts.append(f'<i class="flip" style="left:{_percent(line.flip)}"></i>')
        if case and line.at is not None:
            parts.append(f'<i class="at" style="left:{_percent(line.at)}"></i>')
        return f'<span class="case-strip" aria-hidden="true">{"".join(parts)}</span>'

    def _range(self, part: Range, label: str, where: str) -> str:
        """Return the range of one class."""
        ends = (("thin", part.p05, part.p95), ("thick", part.q25, part.q75))
        return "".join(
            f'<i class="{kind} {where}" style="--c:{self.colours[label]};'
            f'left:{_percent(low)};width:{_percent(high - low)}"></i>'
            for kind, low, high in ends
        )


def _percent(share: float) -> str:
    """Return a length."""
    return f"{100.0 * min(1.0, max(0.0, share)):.1f}%"
