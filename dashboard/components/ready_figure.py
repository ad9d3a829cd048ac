"""A figure that is ready to be sent: words that Streamlit takes as they are."""

from __future__ import annotations

from typing import Any

from plotly.basedatatypes import BaseFigure


class ReadyFigure(BaseFigure):
    """A figure in words. Streamlit would check words of its own accord, and copy what a figure says at each run.

    Parameters
    ----------
    words : dict
        ``data``, ``layout`` and perhaps ``frames``, sound for plotly. Read-only from now on.
    """

    def __init__(self, words: dict[str, Any]) -> None:
        self._words = words  # nothing of what a figure of plotly holds is made

    def to_dict(self) -> dict[str, Any]:
        """Return the words themselves."""
        return self._words

    @property
    def note(self) -> str | None:
        """The note on what the figure does not draw, its ``layout.meta``."""
        said: str | None = self._words["layout"].get("meta")
        return said

    def __repr__(self) -> str:
        return f"ReadyFigure({len(self._words['data'])} traces)"
