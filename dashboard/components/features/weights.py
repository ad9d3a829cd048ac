"""The weights of the features as bars, as a picture where they form one, and the features without weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import figure_panel, page, words
from dashboard.components.guidance import ask, said
from dashboard.services import exports
from dashboard.services.params import Flag
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import features as text
from dashboard.texts import guidance as guidance_text
from proset.plots.weight_picture import plot_weight_picture
from proset.plots.weights import plot_weights

if TYPE_CHECKING:
    from proset.explain.structure.features import FeatureWeights
    from proset.study import Study
    from proset.study.any_study import AnyStudy

LEVELS = Flag("levels", False)
"""Levels of each category below it."""
_MOST_BARS = 20


def show(session: Session, study: Study, found: FeatureWeights) -> None:
    """Show what the model looks at, and below it what it does without."""
    if found.weights.empty:
        words.notice("info", text.NO_FEATURE)
    elif found.grid is not None:
        _picture(study, found)
    else:
        _bars(session, study, found)
    dropped(found)
    asked(session, study)


def asked(session: Session, study: AnyStudy) -> None:
    """Let somebody say what the next model may look at, and show all that was said."""
    page.section(guidance_text.COLUMNS)
    ask.columns(session, study, key="features.ask")
    if session.opened is not None:
        said.show(session.opened, session.opened.recipe.guidance.items, key="features")


def _bars(session: Session, study: Study, found: FeatureWeights) -> None:
    """Show bars; the levels of categories on demand."""
    levels = bool(found.grouped) and widgets.toggle(session, LEVELS, text.LEVELS, key="features.levels.widget")
    _show_bars(study, found, levels=levels)


def _show_bars(study: Study, found: FeatureWeights, *, levels: bool) -> None:
    """Show the bars."""
    figure = figure_panel.show(
        lambda: plot_weights(found, levels=levels, limit=_MOST_BARS),
        owner=study,
        of=(levels,),
        key="features.weights",
        file_name=exports.file_stem(study.table.name, "feature-weights"),
        alt=f"Feature weights as bars; the largest is that of {found.weights.index[0]}. Downloads below hold them all.",
    )
    said = text.WEIGHTS.format(evidence=text.OF_EVIDENCE if study.design.evidence else "")
    st.caption(words.caption(" ".join(filter(None, (said, figure.note)))))


def _picture(study: Study, found: FeatureWeights) -> None:
    """Show the weights as a picture, beside the heaviest ones as bars."""
    with st.container(horizontal=True, gap="large"):
        left, right = st.container(width=430), st.container()
    with left:
        figure = figure_panel.show(
            lambda: plot_weight_picture(found),
            owner=study,
            key="features.picture",
            file_name=exports.file_stem(study.table.name, "weight-picture"),
            alt=f"The weights as a picture of {found.weights.shape[0]} pixels in use. Downloads below hold them all.",
        )
        st.caption(words.caption(" ".join(filter(None, (text.PICTURE, figure.note)))))
    with right:
        _show_bars(study, found, levels=False)


def dropped(found: FeatureWeights) -> None:
    """Say which features have no weight, and why."""
    lines = found.dropped_words
    if not lines:
        st.markdown(":gray[The model uses every feature.]")
        return
    for line in lines:
        head, colon, names = line.partition(": ")
        if not colon:
            st.markdown(words.markdown(line))
            continue
        with st.expander(words.markdown(f"{head}."), icon=":material/hide_source:"):
            st.markdown(words.markdown(names))
