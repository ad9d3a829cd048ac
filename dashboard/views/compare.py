"""Compare: how other ways to learn do on the same rows, and where they disagree with the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.components.compare import figures, files, planes, rows, start, table, within
from dashboard.components.slices import followed
from dashboard.services.compare import choices as service
from dashboard.services.compare import found as compare_found
from dashboard.services.compare.choices import ASPECT, CHOSEN, SETTING, CompareAspect
from dashboard.services.maps import surface as surface_service
from dashboard.services.quality.quality import CLASS
from dashboard.session import jobs, widgets
from dashboard.session.session import Session
from dashboard.texts import compare as text
from dashboard.texts import slices as slice_text
from dashboard.work.tasks import COMPARE
from proset.compare import fold_words

if TYPE_CHECKING:
    from proset.compare import Comparison
    from proset.study import Study

PARAMS = (*service.PARAMS, surface_service.X, surface_service.Y, surface_service.FACE, CLASS)
"""Values of the page that stand in its address."""

_ASPECTS: dict[CompareAspect, Callable[[Session, Study, Comparison], None]] = {
    CompareAspect.QUALITY: table.quality,
    CompareAspect.SIZE: figures.size,
    CompareAspect.FEATURES: figures.features,
    CompareAspect.DISAGREE: rows.show,
    CompareAspect.SURFACES: planes.surfaces,
    CompareAspect.MAP: planes.distances,
    CompareAspect.DRIFT: figures.drift,
    CompareAspect.COST: table.cost,
}


def render(session: Session, study: Study) -> None:
    """Draw the page."""
    found = start.result(session, study)
    if found is None:
        if jobs.running(COMPARE) is None:
            st.markdown(text.EMPTY)
        followed.say(session, slice_text.COMPARE)
        start.show(session, study)
        _systems()
    else:
        _found(session, study, found)


def _found(session: Session, study: Study, found: Comparison) -> None:
    """Show what was found, and the way to another comparison."""
    with st.container(horizontal=True, vertical_alignment="center"):
        widgets.choose(session, ASPECT, "What to show", key="compare.aspect", words=text.ASPECTS.__getitem__)
        if jobs.running(COMPARE) is None:
            with st.popover(text.AGAIN, icon=":material/tune:"):
                start.show(session, study)
    if jobs.running(COMPARE) is not None:
        start.running(session, study)
    plan = service.plan_of(session.get(CHOSEN), tuned=session.get(SETTING) is service.Setting.TUNED)
    older = service.older_than(found, plan)
    folds = fold_words(study, found.unmeasured)
    said = f"{compare_found.headline(found)} {folds} {text.OLD.format(differences=older) if older else ''}"
    notes = (said.strip(), start.not_the_model(study, found), compare_found.rule_note(session.rule))
    st.caption(words.caption(" ".join(filter(None, notes))))
    within.show(session, study, found, session.get(ASPECT))
    _ASPECTS[session.get(ASPECT)](session, study, found)
    files.show(session, study, found)


def _systems() -> None:
    """Say what each system is."""
    lines = [f"- **{words.markdown(name)}**: {words.markdown(about)}" for name, about in service.about(text.SHORT)]
    st.markdown("\n".join(lines))
