"""Surface: what the model says over two features while all others stay."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, figure_panel, page, words
from dashboard.components.downloads import Download
from dashboard.components.maps import surface_choices, surface_fixed
from dashboard.components.slices import followed
from dashboard.services import exports
from dashboard.services.cases import Part
from dashboard.services.maps.surface import Face, FittedRival, Rival, best_words, cut_surface, face_words, fit_rival
from dashboard.texts import surface as text
from dashboard.texts.features import NO_FEATURE
from proset.common.errors import ProsetError
from proset.plots.surface import draft_surface

if TYPE_CHECKING:
    from dashboard.components.maps.surface_choices import SurfaceChoices
    from dashboard.session.session import Session
    from proset.explain.maps.surfaces import Surface
    from proset.plots.traces import Draft
    from proset.study import Study

PARAMS = surface_choices.PARAMS
_ASIDE = 300


def render(session: Session, study: Study) -> None:
    """Draw the page."""
    chosen = surface_choices.show(session, study)
    if chosen is None:
        words.notice("info", text.ONE_FEATURE)
        return
    whole = cache.derived(cut_surface, study, chosen.cut)
    found = followed.marked(session, whole)
    beside = _beside(session, study, chosen)
    if not study.used_columns:
        words.notice("info", NO_FEATURE)
        if beside is None:
            return
    if beside is None:
        page.finding(best_words(found))
    with st.container(horizontal=True, gap="medium"):
        picture = st.container(key="surface-first" if beside else "surface-picture")  # frame.css: wide enough to read
        # First, so that the browser draws the other picture once, in the width that is left.
        with st.container(width="stretch" if beside else _ASIDE, key="surface-second" if beside else "surface-aside"):
            if beside is not None:
                title, other, said = beside
                _picture(session, study, chosen, other, title=title, said=said)
            else:
                surface_fixed.show(study, found, on_map=chosen.cut.batch is not None)
        with picture:
            title, said = ("This model", best_words(found)) if beside else ("", "")
            _picture(session, study, chosen, found, title=title, said=said)
            if chosen.cases:
                followed.say_marks(session, whole.samples, Part.HELD_OUT)
    if beside is not None:
        surface_fixed.show(study, found, on_map=chosen.cut.batch is not None)
    _downloads(study, chosen, found)


def _beside(session: Session, study: Study, chosen: SurfaceChoices) -> tuple[str, Surface, str] | None:
    """Return title, surface and words of the model beside, if there is to be one."""
    if chosen.rival is Rival.NONE and chosen.other is None:
        return None
    try:
        if chosen.other is not None and session.opened is not None:
            other = session.opened.class_models[chosen.other]
            made = followed.marked(session, cache.derived(cut_surface, other, chosen.cut))
            return f"Model: {session.opened.model_names[chosen.other]}", made, best_words(made)
        rival = _rival(study, chosen.rival)
        made = followed.marked(session, cache.derived(cut_surface, study, chosen.cut, rival.model))
    except ProsetError as error:
        words.notice("warning", error)
        return None
    return rival.title, made, f"{rival.words} {best_words(made)}"


def _rival(study: Study, kind: Rival) -> FittedRival:
    """Return the other classifier, fitted once."""
    with st.spinner("Fitting the model beside…"):
        return cache.derived(fit_rival, study, kind)


def _picture(session: Session, study: Study, chosen: SurfaceChoices, found: Surface, *, title: str, said: str) -> None:
    """Show one surface; a click on a mark selects its case."""
    if title:
        st.markdown(f"**{words.markdown(title)}**")
    if chosen.face is Face.FAMILIARITY and found.quantile is None:
        words.notice("info", text.NO_FAMILIARITY)
        return
    name = face_words(found, chosen.face, study.classes[chosen.class_at])
    figure = figure_panel.show_clickable(
        session,
        lambda selected: _figure(study, chosen, found, selected),
        name=f"surface.{title}.{chosen.key}.{session.rows_key}",
        file_name=exports.file_stem(study.table.name, "surface"),
        alt=f"{name}. {best_words(found)} The downloads hold the numbers.",
        owner=study,
    )
    st.caption(words.caption(" ".join(filter(None, (said, figure.note)))))


def _figure(study: Study, chosen: SurfaceChoices, found: Surface, selected: int | None) -> Draft:
    """Draw a surface as it was chosen."""
    return draft_surface(
        found,
        show=chosen.face.value,
        class_name=study.classes[chosen.class_at],
        contours=chosen.contours,
        cases=chosen.cases,
        prototypes=chosen.prototypes,
        selected=selected,
    )


def _downloads(study: Study, chosen: SurfaceChoices, found: Surface) -> None:
    """Offer the picture and the numbers behind it."""
    stem = exports.file_stem(study.table.name, "surface", found.x_axis.name, found.y_axis.name)
    shows = face_words(found, chosen.face, study.classes[chosen.class_at])
    at = chosen.cut.at if isinstance(chosen.cut.at, int) else None
    fixed = "; ".join(f"{name}: {value}" for name, value in found.fixed.items())

    def html() -> bytes:
        """Draw the surface again, when it is asked for."""
        return exports.figure_html(_figure(study, chosen, found, at).figure(), [shows, f"Fixed: {fixed}"])

    downloads.show(
        Download("Surface (HTML)", f"{stem}.html", downloads.HTML, html),
        Download(
            "Surface (CSV)", f"{stem}.csv", downloads.CSV, lambda: exports.csv_bytes(found.to_frame(), index=False)
        ),
        key="surface",
    )
