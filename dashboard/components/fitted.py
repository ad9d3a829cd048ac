"""Result of a fit, of classes or of a number: the weights, the measures, the prototypes, and how its steps ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard import cache
from dashboard.components import figure_panel, page, words
from dashboard.services.fit import verdict as service
from dashboard.services.fit.verdict import Measure, made_words, prototypes_words, solver_lines
from dashboard.session.session import Session
from dashboard.texts import fit as text
from proset.common.words import count_words
from proset.explain.structure.features import FeatureWeights, feature_weights
from proset.plots.weight_picture import plot_weight_picture
from proset.plots.weights import plot_feature_weights
from proset.study.any_study import AnyStudy

_BARS, _ROOM = 20, 30  # pixels
_OF_CLASS = "prototypes: "


def beside(session: Session) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return the place for the picture, and beside it, where there is room, the one for the measures."""
    with st.container(horizontal=True, gap="medium"):
        # frame.css: wide enough to read
        return st.container(key="fit-picture"), st.container(width=2 * (page.measure_width(session) + _ROOM))


def measures(session: Session, entries: Sequence[tuple[Measure, str]]) -> None:
    """Show measures, two in a line, each with what it would be without a model."""
    grid = st.grid(2, min_column_width=page.measure_width(session))
    for entry, beside in entries:
        grid.metric(entry.label, entry.value, delta=beside, delta_color="off", delta_arrow="off", help=entry.help)


def looks_at(study: AnyStudy, title: str, said: str) -> None:
    """Show the weights of the columns: as one picture where they are pixels, else as bars, the heaviest first."""
    page.section(title)
    found: FeatureWeights = cache.derived(feature_weights, study)
    if found.weights.empty:
        st.markdown(":gray[No column is used.]")
        return
    if found.grid is not None:
        figure_panel.show(
            lambda: plot_weight_picture(found), owner=study, key="fit.weights", file_name="weight_picture",
            alt=f"The weights as a picture of {len(found.weights):,} pixels in use.",
        )  # fmt: skip
        st.caption(text.PIXELS)
        return
    weights, hidden = service.heaviest_columns(found.weights, most=_BARS)
    figure_panel.show(
        lambda: plot_feature_weights(weights, one_bar=True),
        owner=study,
        key="fit.weights",
        file_name="feature_weights",
        alt=f"Feature weights as bars; the largest is {weights.index[0]}.",
    )
    more = f" {count_words(hidden, 'more column')} of less weight can be had as a file." if hidden else ""
    st.caption(f"{said}{more}")


def batches(session: Session, study: AnyStudy, frame: pd.DataFrame, without: str) -> None:
    """Say how many prototypes were kept; folded, how each step ended; `without` stands where no batch is.

    A step that ended in trouble is never folded.
    """
    page.section(words.label(prototypes_words(study)))
    _too_many(session, study)
    lines = solver_lines(study)
    for line in (line for converged, line in lines if not converged):
        st.markdown(f":orange[:material/warning:] {words.markdown(line)}")
    if frame.empty:
        st.markdown(f":gray[{without}]")
    else:
        page.link(session, "prototypes", "What they stand for, and whom they speak for", content=True)
    well = [line for converged, line in lines if converged]
    with st.expander(_how(len(well)), icon=":material/receipt_long:"):
        if not frame.empty:
            named = {
                name: words.bare(f"for {name.removeprefix(_OF_CLASS)}") for name in map(str, frame) if _OF_CLASS in name
            }
            st.dataframe(frame, width="content", column_config=named)
        for line in well:
            st.markdown(f":material/check: {words.markdown(line)}")
        st.caption(words.caption(made_words(study)))


def _too_many(session: Session, study: AnyStudy) -> None:
    """Say that there are too many prototypes to argue with, and offer a limit for the next fit."""
    said, limit, opened = service.many_words(study), service.usual_limit(study), session.opened
    if not said or opened is None:
        return
    words.notice("info", said)
    settings = opened.recipe.settings
    if settings.max_prototypes is None or settings.max_prototypes > limit:
        st.button(
            f"At most {limit} prototypes in the next fit",
            key="fit.fewer_prototypes",
            on_click=lambda: opened.edit(settings=replace(settings, max_prototypes=limit)),
        )


def _how(ended_well: int) -> str:
    """Return the label of what is folded."""
    if not ended_well:
        return "How it was fitted"
    return f"How it was fitted: {count_words(ended_well, 'step')} ended well"
