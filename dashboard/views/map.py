"""Map: which cases the model sees as alike, and where it goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, error_list, figure_panel, page, words
from dashboard.components.downloads import Download
from dashboard.components.maps import map_card, map_choices, map_figure
from dashboard.components.review import these
from dashboard.services import exports
from dashboard.services.cases import PART_WORDS, CaseRef, CaseSet, CaseSource, Part, Picker, part_rows
from dashboard.services.maps.looks import (
    case_impacts,
    impact_words,
)
from dashboard.services.maps.map import axis_words, map_frame, part_words
from proset.explain.maps.agreement import map_agreement
from proset.explain.maps.map import batch_map

if TYPE_CHECKING:
    from dashboard.components.maps.map_choices import MapChoices
    from dashboard.session.session import Session
    from proset.explain.maps.agreement import MapAgreement
    from proset.explain.maps.map import BatchMap
    from proset.study import Study

PARAMS = map_choices.PARAMS


def render(session: Session, study: Study) -> None:
    """Draw the page."""
    chosen = map_choices.show(session, study)
    made = cache.derived(batch_map, study, chosen.batch)
    mapping = made.judged(session.judged(study))
    drawn = not mapping.prototypes.empty
    map_card.show(session, study, part_words(session.judged(study), chosen.part, session.within), drawn=drawn)
    if drawn:
        _picture(session, study, mapping, chosen)
    else:
        words.notice("info", mapping.message or "There is nothing to draw.")
    error_list.show(session, study, key="map", wide=True, tools=lambda: these.button(session, study, key="map"))
    _downloads(session, study, mapping, chosen)


def _picture(session: Session, study: Study, mapping: BatchMap, chosen: MapChoices) -> None:
    """Show the map; a click on a mark selects its case, a loop makes a list."""
    _warnings(session, study, mapping, chosen)
    counted = part_words(session.judged(study), chosen.part, session.within)
    figure = figure_panel.show_clickable(
        session,
        lambda selected: map_figure.draw(session, study, mapping, chosen, selected),
        name=f"map.chart.{_look_key(session, study, chosen)}",
        file_name=_file_stem(study, chosen),
        alt=f"Map of {PART_WORDS[chosen.part]} and the prototypes. {counted} The downloads hold the rows.",
        lassoed=lambda rows: take(session, study, chosen.part, rows),
        owner=study,
    )
    said = ["" if session.case is None else counted, axis_words(mapping), figure.note]
    said += map_figure.shade_words(study, mapping, chosen)
    if chosen.lines and (row := session.selected_row()) is not None:
        said.append(impact_words(study, row, case_impacts(study, row, chosen.batch)))
    st.caption(words.caption(" ".join(filter(None, said))))


def _warnings(session: Session, study: Study, mapping: BatchMap, chosen: MapChoices) -> None:
    """Say what a person should know before looking, and offer another view where the map fails."""
    if mapping.message:
        words.notice("info", mapping.message)
    found = cache.derived(_agreement, study, chosen.batch)
    if found is not None and found.fails:
        words.notice("warning", found.words)
        page.link(session, "surface", "Look at two features at a time")


def _agreement(study: Study, batch: int) -> MapAgreement | None:
    # A rule may say what is not the most probable class; whether the map fails does not depend on it.
    return map_agreement(cache.derived(batch_map, study, batch))


def _look_key(session: Session, study: Study, chosen: MapChoices) -> str:
    """Return what makes a picture another one; with lines, each case has its own."""
    case = session.case
    own = case is not None and (chosen.lines or case.source is not CaseSource.TABLE)
    return f"{chosen.part.value}.{chosen.key}.{session.cases.key}.{_case_key(session, study) if own else 'none'}"


def _case_key(session: Session, study: Study) -> str:
    """Return what tells the selected case from others; an edited one changes while its number stays."""
    point = map_figure.other_point(session, study)
    return f"{session.case.text if session.case else ''}.{hash(point)}"


def take(session: Session, study: Study, part: Part, rows: list[int]) -> None:
    """Make the rows within a loop the list to walk through; prototypes of other parts are no cases of it."""
    shown = part_rows(session.judged(study), part, session.within).index
    kept = [row for row in rows if row in shown]
    if kept:
        session.look_through(CaseSet(picked=tuple(map(CaseRef.in_table, kept)), by=Picker.MAP))


def _downloads(session: Session, study: Study, mapping: BatchMap, chosen: MapChoices) -> None:
    """Offer the picture and the table behind it."""
    stem, row = _file_stem(study, chosen), session.selected_row()

    def html() -> bytes:
        """Draw the map again, when it is asked for."""
        return exports.figure_html(
            map_figure.draw(session, study, mapping, chosen, row).figure(), [f"Map of {PART_WORDS[chosen.part]}"]
        )

    downloads.show(
        Download("Map (HTML)", f"{stem}.html", downloads.HTML, html),
        Download(
            "Rows on the map (CSV)",
            f"{stem}.csv",
            downloads.CSV,
            lambda: exports.csv_bytes(map_frame(study, mapping, chosen.part)),
        ),
        key="map",
    )


def _file_stem(study: Study, chosen: MapChoices) -> str:
    """Return the file name of everything that leaves this page, without its extension."""
    return exports.file_stem(study.table.name, "map", chosen.part.value)
