"""The figures of the Features page besides the weights: pairs of features, densities, what moves the estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, part_switch, reference_choice, words
from dashboard.services import exports
from dashboard.services.cases import PART_WORDS, part_rows
from dashboard.services.shapley import Importance, global_importance
from dashboard.session.session import Session
from dashboard.texts import features as text
from proset import explain
from proset.plots.densities import plot_densities
from proset.plots.scatter_matrix import plot_scatter_matrix
from proset.plots.shap_importance import plot_importance

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from dashboard.services.cases import Part
    from proset.explain.densities import FeatureDensities
    from proset.explain.scatter import FeatureScatter
    from proset.study import Study


def pairs(session: Session, study: Study) -> None:
    """Show prototypes and cases on the heaviest features, in pairs; a click on a mark selects its case."""
    part = part_switch.show(session, key="features")
    found = found_pairs(session, study, part)

    def draw(selected: int | None) -> go.Figure:
        return plot_scatter_matrix(found, selected=selected)

    figure = figure_panel.show_clickable(
        session,
        draw,
        name=f"features.pairs.{part.value}",
        file_name=exports.file_stem(study.table.name, "pairs", part.value),
        alt=f"{PART_WORDS[part].capitalize()} and prototypes on {len(found.axes)} features, in pairs, with densities.",
    )
    _caption(figure, text.PAIRS)


def found_pairs(session: Session, study: Study, part: Part) -> FeatureScatter:
    """Return the cases of a part on the heaviest features, computed once."""
    judged = session.judged(study)
    return cache.derived(
        study, "feature pairs", lambda: explain.feature_scatter(study, part_rows(judged, part).index), part
    )


def densities(study: Study) -> None:
    """Show the distribution of the heaviest features within each class."""
    found = found_densities(study)
    figure = plot_densities(found)
    figure_panel.show(
        figure,
        key="features.densities",
        file_name=exports.file_stem(study.table.name, "densities"),
        alt=f"Distribution of {len(found.features)} features within each class, and the prototypes.",
    )
    _caption(figure, text.DENSITIES)


def found_densities(study: Study) -> FeatureDensities:
    """Return the densities of the heaviest features, computed once."""
    return cache.derived(study, "feature densities", lambda: explain.feature_densities(study))


def importance(session: Session, study: Study) -> Importance | None:
    """Show how much each feature moves the estimates; return what is shown, None without held-out rows."""
    if not len(study.split.held_out):
        words.notice("info", text.NO_HELD_OUT)
        return None
    reference = reference_choice.show(session, study, key="features.reference")
    found = cache.derived(study, "importance", lambda: global_importance(study, reference), reference.text)
    figure = plot_importance(found.frame)
    figure_panel.show(
        figure,
        key="features.importance",
        file_name=exports.file_stem(study.table.name, "importance"),
        alt=f"Mean absolute SHAP values; the largest is that of {found.frame.index[0]}. Downloads hold them all.",
    )
    _caption(figure, found.words)
    return found


def _caption(figure: go.Figure, said: str) -> None:
    """Write what to know about a figure, and what it leaves out."""
    st.caption(words.caption(" ".join(filter(None, (said, figure.layout.meta)))))
