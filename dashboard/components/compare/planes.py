"""Surfaces of the systems of a comparison over two features, and maps by the distance of one of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, words
from dashboard.components.compare import case
from dashboard.components.compare.kept import asked
from dashboard.components.maps import axis_picker, face_picker
from dashboard.components.slices import followed
from dashboard.services.compare import found as service
from dashboard.services.compare.choices import METRIC, RAW
from dashboard.services.exports import file_stem
from dashboard.services.maps import surface as surface_service
from dashboard.services.maps.surface import Face, X, Y
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import compare as text
from proset.common.errors import ProsetError
from proset.compare import distance_map, map_keys, side_surfaces
from proset.plots.compare_map import plot_distance_map
from proset.plots.compare_surfaces import plot_surfaces

if TYPE_CHECKING:
    from collections.abc import Callable

    import plotly.graph_objects as go

    from proset.compare import Comparison, DistanceMap, SideSurface
    from proset.study import Study

_PICK = 220


def surfaces(session: Session, study: Study, found: Comparison) -> None:
    """Show what each system says over two features."""
    order = _order(study)
    if len(order) < 2:
        words.notice("info", text.ONE_FEATURE)
        return
    if not found.fitted:
        words.notice("info", text.NONE_FITTED)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        x, y = axis_picker.show(session, study.roles.features, order)
        face, class_at = face_picker.show(session, study, familiarity=False)
    whole = found_surfaces(study, found, x, y)
    sides = tuple(replace(side, surface=followed.marked(session, side.surface)) for side in whole)
    figure = figure_panel.show_clickable(
        session,
        lambda selected: surfaces_figure(study, sides, face, class_at, selected),
        name=f"compare.surfaces.{x}.{y}.{face}.{class_at}.{found.seconds}.{session.rows_key}",
        file_name=file_stem(study.table.name, "compare", "surfaces"),
        alt=f"What each system says over {x} and {y}, the rest fixed.",
        owner=study,
    )
    said = (
        service.surfaces_words(sides, [name for name in study.roles.features if name not in (x, y)]),
        text.MARKS.format(rows=found.which),
        text.GREY if any(side.surface.ignorance is not None for side in sides) else None,
        figure.note,
    )
    st.caption(words.caption(" ".join(filter(None, said))))
    if whole:
        followed.say_marks(session, whole[0].surface.samples, service.measured_part(found))
    case.show(session, study, found, key="compare.surfaces")


def found_surfaces(study: Study, found: Comparison, x: str, y: str) -> tuple[SideSurface, ...]:
    """Return the surfaces over two features, once."""
    return asked(side_surfaces, study, found, (x, y))


def surfaces_figure(
    study: Study, sides: tuple[SideSurface, ...], face: Face, class_at: int, selected: int | None
) -> go.Figure:
    """Draw the surfaces."""
    return plot_surfaces(
        [(text.SHORT[side.key], side.surface) for side in sides],
        show="class" if face is Face.CLASS else "probability",
        class_name=study.classes[class_at],
        selected=selected,
    )


def distances(session: Session, study: Study, found: Comparison) -> None:
    """Show a map on which near means alike to the system that is chosen."""
    keys = list(map_keys(found))
    names = {RAW: text.RAW, **service.titles_of(found)}
    with st.container(width=_PICK):
        key = widgets.pick(
            session, METRIC, keys, text.DISTANCE, key="compare.distance", words=names.__getitem__, in_line=True
        )
    try:
        shown = found_map(study, found, key)
    except ProsetError as error:
        words.notice("warning", error)
        return
    who = text.THIS_MODEL if key == RAW else names[key]
    figure_panel.show_clickable(
        session,
        lambda selected: plot_distance_map(shown.rows, shown.prototypes, study.classes, selected=selected),
        name=f"compare.map.{key}.{found.seconds}",
        file_name=file_stem(study.table.name, "compare", "map", key),
        alt=f"Map of rows by the distance of {names[key]}.",
        owner=study,
    )
    wrong = (shown.rows["predicted"] != shown.rows["actual"]) & shown.rows["actual"].notna()
    rings = (text.RINGS if wrong.any() else text.NO_RINGS).format(who)
    alike = text.ALIKE_RAW if key == RAW else text.ALIKE.format(who)
    st.caption(words.caption(" ".join((*shown.words, rings, text.MAP.format(to=alike)))))
    case.show(session, study, found, key="compare.distances")


def found_map(study: Study, found: Comparison, key: str) -> DistanceMap:
    """Return the map by one distance, once."""
    return asked(distance_map, study, found, key)


def surfaces_files(session: Session, study: Study, found: Comparison) -> list[tuple[str, str, Callable[[], go.Figure]]]:
    """Return label, name and maker of the surfaces that are shown."""
    order = _order(study)
    if len(order) < 2 or not found.fitted:
        return []
    first, second = surface_service.two_features(order, session.get(X), session.get(Y))
    x, y = study.roles.features[first - 1], study.roles.features[second - 1]
    face, class_at = face_picker.chosen(session, study, familiarity=False)

    def draw() -> go.Figure:
        return surfaces_figure(study, found_surfaces(study, found, x, y), face, class_at, None)

    return [("Surfaces", "surfaces", draw)]


def map_file(session: Session, study: Study, found: Comparison) -> tuple[str, str, Callable[[], go.Figure]]:
    """Return label, name and maker of the map that is shown."""
    keys = map_keys(found)
    key = session.get(METRIC) if session.get(METRIC) in keys else keys[0]

    def draw() -> go.Figure:
        shown = found_map(study, found, key)
        return plot_distance_map(shown.rows, shown.prototypes, study.classes)

    return "Map", f"map-{key}", draw


def _order(study: Study) -> list[int]:
    """Return the positions of the features that can be axes, the heaviest first."""
    return cache.derived(surface_service.feature_order, study)
