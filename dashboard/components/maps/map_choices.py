"""Choices on the map: rows, colours, batch, and what else is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import class_picker, part_switch
from dashboard.services.cases import Part
from dashboard.services.maps.looks import BATCH, COLOUR, Colour, class_number, shown_batches, usual_batch
from dashboard.services.params import Flag
from dashboard.services.quality.quality import CLASS
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import map as text

if TYPE_CHECKING:
    from proset.study import Study
    from proset.study.any_study import AnyStudy

FADE = Flag("fade", False)
"""Pale marks for cases that are not in the list."""
SHADE = Flag("shade", False)
"""The most probable class as a shade behind."""
STAR = Flag("star", False)
"""The reference point as a star."""
LINES = Flag("lines", True)
"""Lines for the impacts on the selected case."""
PARAMS = (COLOUR, CLASS, BATCH, FADE, SHADE, STAR, LINES)
_LIST_WIDTH = 240


@dataclass(frozen=True)
class MapChoices:
    """Choices on the map as they stand."""

    part: Part
    colour: Colour
    class_at: int
    batch: int
    fade: bool
    shade: bool
    star: bool
    lines: bool

    @property
    def key(self) -> str:
        """The part of a picture's key that follows from these choices; rows are not in it."""
        flags = "".join("01"[flag] for flag in (self.fade, self.shade, self.star, self.lines))
        return f"{self.colour}.{self.class_at}.{self.batch}.{flags}"


def show(session: Session, study: Study) -> MapChoices:
    """Show the choices in one line and return them."""
    with st.container(horizontal=True, vertical_alignment="center", key="map-choices"):
        part = part_switch.show(session, key="map")
        with st.container(width=session.wide(_LIST_WIDTH)):
            colour = widgets.pick(
                session,
                COLOUR,
                COLOUR.options,
                "Colour",
                key="map.colour",
                words=text.COLOURS.__getitem__,
                in_line=True,
            )
        if colour is Colour.PROBABILITY:
            with st.container(width=session.wide(_LIST_WIDTH)):
                class_picker.show(session, study, key="map.class")
        batch = batch_choice(session, study)
        with st.popover("Show", icon=":material/tune:"):
            fade = widgets.toggle(session, FADE, text.FADE, key="map.fade.widget", help=text.FADE_HELP)
            shade = widgets.toggle(session, SHADE, text.SHADE, key="map.shade.widget", help=text.SHADE_HELP)
            star = widgets.toggle(session, STAR, text.STAR, key="map.star.widget", help=text.STAR_HELP)
            lines = widgets.toggle(session, LINES, text.LINES, key="map.lines.widget", help=text.LINES_HELP)
    class_at = class_number(study, session.get(CLASS))
    return MapChoices(part, colour, class_at, batch, fade=fade, shade=shade, star=star, lines=lines)


def batch_choice(session: Session, study: AnyStudy) -> int:
    """Return the number of a batch that has prototypes, if one has, and show the choice where there are several."""
    numbers = shown_batches(study) or [1]
    if len(numbers) == 1:
        return numbers[0]
    with st.container(width=session.wide(_LIST_WIDTH // 2)):
        chosen = widgets.pick(
            session, BATCH, numbers, "Batch", key="map.batch", words="Batch {}".format, usual=usual_batch(study),
            in_line=True,
        )  # fmt: skip
    return int(chosen)
