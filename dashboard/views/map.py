"""Map: which cases the model sees as alike, and where it goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache, state
from dashboard.components import case_card, downloads, error_list, figure_panel, guard, page, part_switch
from dashboard.components.downloads import Download
from dashboard.services import exports
from dashboard.services.map import PART_WORDS, Part, axis_words, count_words, map_frame
from proset.explain.batch_map import batch_map
from proset.plots.batch_map import plot_batch_map

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from proset.explain.batch_map import BatchMap
    from proset.study import Study

_FADE = "map.fade"
_ASIDE = 380


def render() -> None:
    """Draw the page."""
    page.head("map")
    study = guard.need_study()
    if study is None:
        return
    mapping = cache.derived(study, "batch map", lambda: batch_map(study))
    part = _choices(study)
    # Unlike columns, these go below one another where the window is narrow.
    with st.container(horizontal=True, gap="medium"):
        picture, aside = st.container(), st.container(width=_ASIDE)
    with picture:
        if mapping.points.empty:
            st.info(mapping.message or "There is nothing to draw.", icon=":material/info:")
        else:
            _picture(study, mapping, part)
    with aside:
        case_card.show(study)
        error_list.show(study, part, key="map")
    page.how_to_read("map")
    _downloads(study, mapping, part)


def _choices(study: Study) -> Part:
    """Show what can be chosen about the picture; return which rows."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        part = part_switch.show(study, key="map")
        st.toggle(
            "Fade correct cases",
            value=bool(state.kept(_FADE, False)),
            key=f"{_FADE}.widget",
            on_change=state.keep_widget(_FADE, f"{_FADE}.widget"),
            help="Makes the misclassified cases stand out; the prototypes stay as they are.",
        )
    st.caption(count_words(study, part))
    return part


def _picture(study: Study, mapping: BatchMap, part: Part) -> None:
    """Show the map; a click on a mark selects its case."""
    if mapping.message:
        st.info(mapping.message, icon=":material/info:")
    fade = bool(state.kept(_FADE, False))

    def draw(selected: int | None) -> go.Figure:
        figure = plot_batch_map(mapping, part=part.value, selected=selected)
        if not fade:
            return figure
        bright = set(error_list.errors(study, part).index)
        return figure_panel.fade_all_but(figure, bright if selected is None else bright | {selected})

    figure = figure_panel.show_clickable(
        draw,
        name=f"map.chart.{part.value}.{fade}",
        file_name=_file_stem(study, part),
        alt=f"Map of {PART_WORDS[part]} and the prototypes. {count_words(study, part)} Downloads below hold the rows.",
    )
    st.caption(" ".join(filter(None, (axis_words(mapping), figure.layout.meta))))


def _downloads(study: Study, mapping: BatchMap, part: Part) -> None:
    """Offer the picture and the table behind it."""
    stem, row = _file_stem(study, part), state.selected_row()

    def figure() -> go.Figure:
        return plot_batch_map(mapping, part=part.value, selected=row)

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


if __name__ == "__main__":
    render()
