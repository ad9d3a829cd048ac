"""Map of a model of a number: which cases it sees as alike, and what it says of them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, figure_panel, part_switch, words
from dashboard.components.downloads import Download
from dashboard.components.maps import map_card
from dashboard.components.maps.map_choices import batch_choice
from dashboard.components.review import these
from dashboard.components.slices import followed
from dashboard.services import exports
from dashboard.services.cases import PART_WORDS, CaseRef, CaseSet, CaseSource, Part, Picker, part_rows
from dashboard.services.maps.map import axis_words
from dashboard.services.numbers.number_walk import finding_words
from dashboard.services.params import EnumParam, Flag
from dashboard.services.review.these import Origin
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import number_map as text
from proset import explain
from proset.plots.number_map import draft_number_map

if TYPE_CHECKING:
    from proset.explain.numbers.map import NumberMap
    from proset.explain.numbers.map_levels import NumberLevels
    from proset.plots.traces import Draft
    from proset.study.number_study import NumberStudy


class NumberColour(StrEnum):
    """Meanings of the colours of rows."""

    MEDIAN = "median"
    ACTUAL = "actual"
    WIDTH = "width"
    QUANTILE = "quantile"


COLOUR = EnumParam("number_colour", NumberColour.MEDIAN)
LINES = Flag("levels", False)
"""Lines of equal medians."""
PARAMS = (COLOUR, LINES)
_WIDTH = 240


def render(session: Session, study: NumberStudy) -> None:
    """Draw the page."""
    with st.container(horizontal=True, vertical_alignment="center", key="map-choices"):
        part = part_switch.show(session, key="map")
        with st.container(width=_WIDTH):
            colour = widgets.pick(
                session,
                COLOUR,
                COLOUR.options,
                "Colour",
                key="map.colour",
                words=text.COLOURS.__getitem__,
                in_line=True,
            )
        batch = batch_choice(session, study)
        lines = widgets.toggle(session, LINES, text.LINES, key="map.levels", help=text.LINES_HELP)
    mapping = cache.derived(explain.number_map, study, batch)
    if mapping.prototypes.empty:
        words.notice("info", mapping.message or "There is nothing to draw.")
        return
    if mapping.message:
        words.notice("info", mapping.message)
    levels = cache.derived(explain.number_levels, study, batch) if lines else None
    if lines and levels is None:
        words.notice("info", text.NO_LINES)
    map_card.show_number(session, study, finding_words(study.predictions, part, session.within))
    _picture(session, study, mapping, levels, part, colour, batch)
    if (picked := session.cases.picked) is not None:
        these.button_of(session, picked, Origin.MAP, key="map")
    _downloads(study, mapping, levels, part, colour)


def _picture(
    session: Session,
    study: NumberStudy,
    mapping: NumberMap,
    levels: NumberLevels | None,
    part: Part,
    colour: NumberColour,
    batch: int,
) -> None:
    """Show the map; a click on a mark selects its case, a loop makes a list."""
    spot = _spot(session, study, mapping)

    within = session.within

    def draw(selected: int | None) -> Draft:
        return draft_number_map(
            mapping,
            part=part.value,
            colour=colour.value,
            selected=selected,
            spot=spot,
            bright=None if within is None else within.rows,
            levels=levels,
        )

    def take(rows: list[int]) -> None:
        shown = mapping.points.index if part is Part.ALL else mapping.points.index[mapping.points["part"] == part.value]
        kept = [row for row in rows if row in shown]
        if kept:
            session.look_through(CaseSet(picked=tuple(map(CaseRef.in_table, kept)), by=Picker.MAP))

    figure = figure_panel.show_clickable(
        session,
        draw,
        name=f"map.number.{session.rows_key}.{colour}.{batch}.{levels is None}.{hash(spot)}",
        file_name=exports.file_stem(study.table.name, "map", part.value),
        alt=f"Map of {PART_WORDS[part]} and the prototypes. The downloads hold the rows.",
        lassoed=take,
        owner=study,
    )
    st.caption(words.caption(" ".join(filter(None, (axis_words(mapping), text.SMALL, figure.note)))))
    if levels is not None:
        st.caption(words.caption(levels.words(mapping, part_rows(mapping.points, part).index)))
    count, those = followed.counted(session, study, part)
    if not followed.too_few(session, count, part, fewest=1):
        followed.say(session, text.BRIGHT.format(rows=those))


def _spot(session: Session, study: NumberStudy, mapping: NumberMap) -> tuple[float, float] | None:
    """Return where the selected case lies if it is no row of the table."""
    case = session.case
    if case is None or case.source is CaseSource.TABLE or mapping.plane is None:
        return None
    x, y = mapping.plane.transform(case.open(study, session.others).x[None])[0].tolist()
    return x, y


def _downloads(
    study: NumberStudy, mapping: NumberMap, levels: NumberLevels | None, part: Part, colour: NumberColour
) -> None:
    """Offer the picture and the table behind it."""
    stem = exports.file_stem(study.table.name, "map", part.value)

    def html() -> bytes:
        figure = draft_number_map(mapping, part=part.value, colour=colour.value, levels=levels).figure()
        return exports.figure_html(figure, [f"Map of {PART_WORDS[part]}"])

    downloads.show(
        Download("Map (HTML)", f"{stem}.html", downloads.HTML, html),
        Download(
            "Rows on the map (CSV)", f"{stem}.csv", downloads.CSV,
            lambda: exports.csv_bytes(mapping.to_frame(), index=False),
        ),
        key="map",
    )  # fmt: skip
