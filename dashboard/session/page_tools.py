"""The place in the head of a page for its downloads and its next step."""

from __future__ import annotations

from dataclasses import dataclass

from streamlit.delta_generator import DeltaGenerator


@dataclass(eq=False)
class PageTools:
    """The place in the head of a page for its downloads and its next step, during one run.

    Attributes
    ----------
    place : DeltaGenerator
        Where they are drawn, side by side.
    menu : DeltaGenerator or None
        The menu of downloads, once there is a file in it.
    primary : bool
        Whether the next step is the button that stands out; not where the page has one of its own.
    """

    place: DeltaGenerator
    menu: DeltaGenerator | None = None
    primary: bool = True

    def downloads(self) -> DeltaGenerator:
        """Return the menu of downloads, made at its first use."""
        if self.menu is None:
            self.menu = self.place.popover("Downloads", icon=":material/download:", key="frame-downloads")
        return self.menu
