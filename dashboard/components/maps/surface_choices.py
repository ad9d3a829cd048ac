"""Choices on a surface: axes, colours, the point the rest is fixed at, and the model beside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import reference_choice, words
from dashboard.components.maps import axis_picker, face_picker
from dashboard.components.maps.map_figure import other_point
from dashboard.services.cases import CaseSource
from dashboard.services.maps import surface as service
from dashboard.services.maps.looks import BATCH, shown_batches, usual_batch
from dashboard.services.maps.surface import Axes, Face, Fixed, Rival, SurfaceCut
from dashboard.services.params import Number
from dashboard.services.quality.quality import CLASS
from dashboard.services.references import POINT
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import surface as text
from proset.study.settings import Bounds

if TYPE_CHECKING:
    from proset.study import Study

# 0 to 2 are nothing, nearest neighbours and XGBoost; the other models of the session follow, the oldest first.
BESIDE = Number("beside", 0, bounds=Bounds(0, 1_000, whole=True))
PARAMS = (
    service.AXES, service.X, service.Y, service.FACE, CLASS, service.FIXED, service.CONTOURS, service.CASES,
    service.PROTOTYPES, service.FAR, service.QUANTILE, BATCH, BESIDE,
)  # fmt: skip
_WIDE, _WIDER = 170, 200


@dataclass(frozen=True)
class SurfaceChoices:
    """Choices on a surface as they stand."""

    cut: SurfaceCut
    face: Face
    class_at: int
    contours: bool
    cases: bool
    prototypes: bool
    rival: Rival
    other: str | None

    @property
    def key(self) -> str:
        """The part of a picture's key that follows from these choices."""
        flags = "".join("01"[flag] for flag in (self.contours, self.cases, self.prototypes))
        return f"{hash(self.cut)}.{self.face}.{self.class_at}.{flags}"


def show(session: Session, study: Study) -> SurfaceChoices | None:
    """Show the choices in one line and return them; None where there is nothing to choose."""
    order = cache.derived(service.feature_order, study)
    if len(order) < 2:
        return None
    with st.container(horizontal=True, vertical_alignment="center", key="surface-choices"):
        x, y, batch = _axes(session, study, order)
        face, class_at = face_picker.show(session, study)
        at = _fixed(session, study, on_map=batch is not None)
        rival, other = _beside(session)
        with st.popover("Show", icon=":material/tune:"):
            if len(study.prototypes):
                _map_switch(session, study)
            quantile = widgets.pick(
                session, service.QUANTILE, service.QUANTILE.words, text.QUANTILE, key="surface.quantile",
                words="{} %".format, help=text.QUANTILE_HELP,
            )  # fmt: skip
            contours = widgets.toggle(session, service.CONTOURS, text.CONTOURS, key="surface.contours")
            cases = widgets.toggle(session, service.CASES, text.CASES, key="surface.cases")
            prototypes = widgets.toggle(session, service.PROTOTYPES, text.PROTOTYPES, key="surface.prototypes")
            far = widgets.toggle(session, service.FAR, text.FAR, key="surface.far", help=text.FAR_HELP)
    cut = SurfaceCut(x, y, batch, at, far, float(quantile) / 100)
    flags = {"contours": contours, "cases": cases, "prototypes": prototypes}
    return SurfaceChoices(cut, face, class_at, rival=rival, other=other, **flags)


def _axes(session: Session, study: Study, order: list[int]) -> tuple[str, str, int | None]:
    """Return the two features, or the number of the batch whose map is meant."""
    if not service.over_map(study, session.get(service.AXES)):
        x, y = axis_picker.show(session, study.roles.features, order)
        return x, y, None
    numbers = shown_batches(study)
    with st.container(width=session.wide(_WIDE)):
        name, usual = "Map of batch {}".format, usual_batch(study)
        chosen = widgets.pick(
            session, BATCH, numbers, "Map", key="surface.batch", words=name, usual=usual, in_line=True
        )  # fmt: skip
    return "", "", int(chosen)


def _map_switch(session: Session, study: Study) -> None:
    """Show whether the axes of a map vary."""
    now = service.over_map(study, session.get(service.AXES))
    key = widgets.anew("surface.map", now)

    def take(over_map: bool) -> None:
        session.put(service.AXES, Axes.MAP if over_map else Axes.FEATURES)

    st.toggle(text.MAP, value=now, key=key, help=text.MAP_HELP, on_change=widgets.heard(key, take))


def _fixed(session: Session, study: Study, *, on_map: bool) -> int | tuple[float, ...] | None:
    """Return what the rest is fixed at: a row id, a row of the matrix, or None for the middle of the data."""
    case = session.case
    points = service.fixed_points(on_map=on_map, selected=case is not None)
    with st.container(width=session.wide(_WIDER)):
        fixed = widgets.pick(
            session, service.FIXED, points, "Rest", key="surface.fixed.at", words=text.FIXED.__getitem__,
            in_line=True, help=text.FIXED_HELP,
        )  # fmt: skip
    if fixed is Fixed.REFERENCE:
        return reference_choice.named_or_usual(study, POINT).row
    if fixed is Fixed.CASE and case is not None:
        return case.row if case.source is CaseSource.TABLE else other_point(session, study)
    return None


def _beside(session: Session) -> tuple[Rival, str | None]:
    """Return what stands beside: another classifier, or the id of another model of the session."""
    opened = session.opened
    models, current = ({}, None) if opened is None else (opened.class_models, opened.current)
    others = dict(enumerate(models, start=len(Rival)))  # a model keeps its place, whichever is the current one
    names = opened.model_names if opened is not None else {}
    kinds = dict(enumerate(Rival))
    said = {place: text.BESIDE[kind] for place, kind in kinds.items()} | {
        place: f"Beside: {words.bare(names[key])}" for place, key in others.items() if key != current
    }
    with st.container(width=session.wide(_WIDE)):
        place = int(
            widgets.pick(
                session, BESIDE, list(said), "Beside", key="surface.beside", words=said.__getitem__,
                in_line=True, help=text.BESIDE_HELP,
            )
        )  # fmt: skip
    return (kinds[place], None) if place in kinds else (Rival.NONE, others[place])
