"""The figure of the Map page, as it was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard import cache
from dashboard.components import error_list, reference_choice
from dashboard.services.cases import CaseSource, Picker, part_rows
from dashboard.services.maps.looks import case_impacts, colouring, shading, shading_words
from dashboard.services.references import POINT
from proset.plots.batch_map import draft_batch_map

if TYPE_CHECKING:
    from dashboard.components.maps.map_choices import MapChoices
    from dashboard.session.session import Session
    from proset.explain.maps.map import BatchMap
    from proset.explain.maps.surfaces import Surface
    from proset.plots.traces import Draft
    from proset.study import Study


def draw(session: Session, study: Study, mapping: BatchMap, chosen: MapChoices, selected: int | None) -> Draft:
    """Draw the map as it was chosen."""
    case = session.selected_row() if chosen.lines else None
    bright: set[int] | None = None
    if chosen.fade or session.cases.by is Picker.MAP:
        bright = {*error_list.lines(session, study, session.cases).index, *([] if selected is None else [selected])}
    elif (within := session.within) is not None:
        bright = {*within.rows, *([] if selected is None else [selected])}
    return draft_batch_map(
        mapping,
        part=chosen.part.value,
        selected=selected,
        impacts=None if case is None else case_impacts(study, case, chosen.batch),
        colour=cache.derived(colouring, study, chosen.colour, chosen.class_at),
        bright=bright,
        reference=reference_choice.named_or_usual(study, POINT).row if chosen.star else None,
        background=_shade(study, chosen),
        spot=_spot(session, study, mapping),
    )


def _shade(study: Study, chosen: MapChoices) -> Surface | None:
    """Return the surface behind, if there is to be one."""
    if not chosen.shade:
        return None
    return cache.derived(shading, study, chosen.batch)


def shade_words(study: Study, mapping: BatchMap, chosen: MapChoices) -> list[str]:
    """Say what the shading is."""
    behind = _shade(study, chosen)
    rows = part_rows(mapping.points, chosen.part).index
    return [] if behind is None else [shading_words(study, mapping, behind, rows)]


def _spot(session: Session, study: Study, mapping: BatchMap) -> tuple[float, float] | None:
    """Return where the selected case lies if it is no row of the table."""
    point = other_point(session, study)
    if point is None:
        return None
    x, y = mapping.transform([point])[0].tolist()
    return x, y


def other_point(session: Session, study: Study) -> tuple[float, ...] | None:
    """Return the selected case as a row of the matrix if it is no row of the table, else None."""
    case, opened = session.case, session.opened
    if case is None or opened is None or case.source is CaseSource.TABLE:
        return None
    return tuple(case.open(study, opened.others).x.tolist())
