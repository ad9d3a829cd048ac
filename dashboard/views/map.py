"""Map: which cases the model sees as alike, and where it goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import case_card, downloads, error_list, figure_panel, page, part_switch, words
from dashboard.components.downloads import Download
from dashboard.services import exports
from dashboard.services.cases import PART_WORDS, CaseSet, Part
from dashboard.services.map import axis_words, judged_map, map_frame, part_words
from dashboard.services.params import Flag
from dashboard.session import widgets
from dashboard.session.session import Session
from proset.explain.map import batch_map
from proset.plots.batch_map import plot_batch_map

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from proset.explain.map import BatchMap
    from proset.study import Study

FADE = Flag("fade", False)
"""Whether cases that are not wrong are pale."""
_ASIDE = 460


def render(session: Session, study: Study) -> None:
    """Draw the page."""
    mapping = judged_map(cache.derived(study, "batch map", lambda: batch_map(study)), session.judged(study))
    part = _choices(session, study)
    # Unlike columns, these go below one another where the window is narrow.
    with st.container(horizontal=True, gap="medium"):
        picture, aside = st.container(), st.container(width=_ASIDE)
    with picture:
        if mapping.points.empty:
            words.notice("info", mapping.message or "There is nothing to draw.")
        else:
            _picture(session, study, mapping, part)
    with aside:
        case_card.show(session, study)
        error_list.show(session, study, key="map")
    page.how_to_read(session)
    _downloads(session, study, mapping, part)


def _choices(session: Session, study: Study) -> Part:
    """Show what can be chosen about the picture; return which rows."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = part_switch.show(session, key="map")
        widgets.toggle(
            session,
            FADE,
            "Fade correct cases",
            key="map.fade.widget",
            help="Makes the misclassified cases stand out; the prototypes stay as they are.",
        )
    st.caption(part_words(session.judged(study), part))
    return part


def _picture(session: Session, study: Study, mapping: BatchMap, part: Part) -> None:
    """Show the map; a click on a mark selects its case."""
    if mapping.message:
        words.notice("info", mapping.message)
    fade, counted = session.get(FADE), part_words(session.judged(study), part)

    def draw(selected: int | None) -> go.Figure:
        figure = plot_batch_map(mapping, part=part.value, selected=selected)
        if not fade:
            return figure
        bright = set(error_list.lines(session, study, CaseSet(part)).index)
        return figure_panel.fade_all_but(figure, bright if selected is None else bright | {selected})

    figure = figure_panel.show_clickable(
        session,
        draw,
        name=f"map.chart.{part.value}.{fade}",
        file_name=_file_stem(study, part),
        alt=f"Map of {PART_WORDS[part]} and the prototypes. {counted} Downloads below hold the rows.",
    )
    st.caption(words.caption(" ".join(filter(None, (axis_words(mapping), figure.layout.meta)))))


def _downloads(session: Session, study: Study, mapping: BatchMap, part: Part) -> None:
    """Offer the picture and the table behind it."""
    stem, case = _file_stem(study, part), session.case

    def figure() -> go.Figure:
        return plot_batch_map(mapping, part=part.value, selected=case.row if case else None)

    downloads.show(
        Download("Map (HTML)", f"{stem}.html", downloads.HTML, lambda: exports.figure_html(figure())),
        Download("Rows on the map (CSV)", f"{stem}.csv", downloads.CSV, lambda: _rows_csv(study, mapping, part)),
        key="map",
    )


def _rows_csv(study: Study, mapping: BatchMap, part: Part) -> bytes:
    """Return the rows of the map as CSV."""
    return exports.csv_bytes(map_frame(study, mapping, part))


def _file_stem(study: Study, part: Part) -> str:
    """Return the file name of everything that leaves this page, without its extension."""
    return exports.file_stem(study.table.name, "map", part.value)
