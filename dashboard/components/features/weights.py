"""The weights of the features as bars, as a picture where they form one, and the features without weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import figure_panel, page, words
from dashboard.components.features import figures
from dashboard.components.guidance import ask, said
from dashboard.services import exports
from dashboard.services.params import Flag
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import features as text
from dashboard.texts import guidance as guidance_text
from proset.common.words import count_words, shown
from proset.data.issues import Role
from proset.plots.weight_picture import plot_weight_picture
from proset.plots.weights import plot_weights

if TYPE_CHECKING:
    from proset.explain.structure.features import FeatureWeights
    from proset.study import Study
    from proset.study.any_study import AnyStudy

LEVELS = Flag("levels", False)
"""Levels of each category below it."""
_MOST_BARS, _BESIDE_PICTURE, _MOST_FIRST = 20, 10, 3
_BARS, _PICTURE_WIDTH = 460, 560


def show(session: Session, study: Study, found: FeatureWeights) -> None:
    """Show what the model looks at, and below it what it does without."""
    if found.weights.empty:
        words.notice("info", text.NO_FEATURE)
        _below(session, study, found)
        return
    page.finding(finding_words(found))
    with st.container(horizontal=True, gap="large"):
        left, right = st.container(width=_BARS if found.grid is None else _PICTURE_WIDTH), st.container()
    with left:
        if found.grid is None:
            _bars(session, study, found)
        else:
            _picture(study, found)
        _below(session, study, found)
    with right:
        if found.grid is None:
            figures.densities(session, study)
        else:
            _show_bars(study, found, levels=False, most=_BESIDE_PICTURE)


def _below(session: Session, study: Study, found: FeatureWeights) -> None:
    """Show what the model does without, and what the next one may look at."""
    dropped(found)
    asked(session, study)


def finding_words(found: FeatureWeights) -> str:
    """Say how many columns the model looks at, and at which most closely."""
    used, every = len(found.weights), len(found.weights) + len(found.dropped)
    named = [f"'{shown(name, 40)}' ({weight:.2f})" for name, weight in found.total.head(_MOST_FIRST).items()]
    most = ": " if used <= _MOST_FIRST else ", most closely at "
    return f"The model looks at {used:,} of {count_words(every, 'column')}{most}{', '.join(named)}."


def asked(session: Session, study: AnyStudy) -> None:
    """Let somebody say what the next model may look at, and show all that was said."""
    with st.expander(guidance_text.COLUMNS, icon=":material/hearing:"):
        ask.columns(session, study, key="features.ask")
    if session.opened is not None:
        said.show(session.opened, session.opened.recipe.guidance.items, key="features")


def _bars(session: Session, study: Study, found: FeatureWeights) -> None:
    """Show bars; the levels of categories on demand."""
    label = text.PARTS if study.design.evidence else text.LEVELS
    levels = bool(found.grouped) and widgets.toggle(session, LEVELS, label, key="features.levels.widget")
    _show_bars(study, found, levels=levels)


def _show_bars(study: Study, found: FeatureWeights, *, levels: bool, most: int = _MOST_BARS) -> None:
    """Show the bars."""
    figure = figure_panel.show(
        lambda: plot_weights(found, levels=levels, limit=most),
        owner=study,
        of=(levels,),
        key="features.weights",
        file_name=exports.file_stem(study.table.name, "feature-weights"),
        alt=f"Feature weights as bars; the largest is that of {found.weights.index[0]}. Downloads below hold them all.",
    )
    levelled = found.weights.index.isin(study.roles.of(Role.CATEGORICAL) + study.roles.of(Role.BOOLEAN)).any()
    kinds = text.OF_LEVELS if levelled else "", text.OF_EVIDENCE if study.design.evidence else ""
    said = text.WEIGHTS.format(kinds="".join(kinds))
    st.caption(words.caption(" ".join(filter(None, (said, figure.note)))))


def _picture(study: Study, found: FeatureWeights) -> None:
    """Show the weights as a picture."""
    figure = figure_panel.show(
        lambda: plot_weight_picture(found),
        owner=study,
        key="features.picture",
        file_name=exports.file_stem(study.table.name, "weight-picture"),
        alt=f"The weights as a picture of {found.weights.shape[0]} pixels in use. Downloads below hold them all.",
    )
    st.caption(words.caption(" ".join(filter(None, (text.PICTURE, figure.note)))))


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
