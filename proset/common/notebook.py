"""Objects in a notebook: two lines as text, tables and figures as HTML."""

from __future__ import annotations

import html
from contextlib import suppress
from dataclasses import fields
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from proset.common.words import number, shown

if TYPE_CHECKING:
    import pandas as pd

_WIDTH, _LONGEST = 116, 40
_ROWS = 20
_renderers: list[str] = []


class Displayed:
    """Base of frozen dataclasses that hold arrays: their own representation would print all of them.

    In a notebook it is the table that :meth:`to_frame` gives, with its figure where plotly is installed.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, eq=False)
    ... class Heights(Displayed):
    ...     name: str
    ...     values: np.ndarray
    >>> Heights("trees", np.zeros((3, 2)))
    Heights(name='trees')
      values: 3 x 2
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__repr__" not in vars(cls):
            type.__setattr__(cls, "__repr__", Displayed._two_lines)  # else a dataclass writes its own

    def _two_lines(self) -> str:
        """Name what is plain, then how large all else is."""
        held = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        plain = {name: _plain(value) for name, value in held.items()}
        first = ", ".join(f"{name}={text}" for name, text in plain.items() if text)
        sizes = ", ".join(f"{name}: {_size(held[name])}" for name, text in plain.items() if not text)
        return f"{_cut(f'{type(self).__name__}({first})', ')')}\n  {_cut(sizes)}".rstrip()

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return what a notebook shows below the two lines, by heading."""
        frame = getattr(self, "to_frame", None)
        return {} if frame is None else {"": frame()}

    def _repr_html_(self) -> str:
        """Return tables and figures for a notebook; a stranger's words are text in them."""
        for home in _renderers:
            module, name = home.split(":")
            with suppress(ImportError):  # without plotly there are tables alone
                return str(getattr(import_module(module), name)(self))
        parts = [f"<pre>{html.escape(repr(self))}</pre>"]
        for heading, frame in self.tables().items():
            caption = f"<p><b>{html.escape(heading)}</b></p>" if heading else ""
            parts.append(caption + frame.to_html(max_rows=_ROWS, max_cols=_ROWS, border=0, escape=True))
        return "\n".join(parts)


class DisplayedFrame(Displayed):
    """One whose table is its ``frame``, as the class describes it."""

    frame: Any  # a name that is imported for types alone would be missing where the fields of a subclass are read

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of :attr:`frame`."""
        return self.frame.copy()


def rendered_by(home: str) -> None:
    """Let what notebooks show be made by a function, named as ``"module:function"`` and loaded when it is needed.

    It gets the object and returns HTML. So a room that cannot draw shows what a room above it draws.
    """
    _renderers[:] = [home]


def _plain(value: object) -> str:
    """Return a short text for what needs no more; empty for what has a size."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return f"'{shown(value, _LONGEST)}'"
    if value is None or isinstance(value, (bool, int)):
        return str(value)
    if isinstance(value, float):
        return number(float(value))
    return ""


def _size(value: Any) -> str:
    """Return how large something is, or what it is."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        return " x ".join(map(str, shape)) or "one"
    return str(len(value)) if hasattr(value, "__len__") else type(value).__name__


def _cut(line: str, end: str = "") -> str:
    """Shorten a line that would be wider than a screen."""
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 2]} …{end}"
