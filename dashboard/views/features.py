"""Features: what the model looks at, how much, and what it does without."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, feature_weights, figure_panel, importance, page, stability, words
from dashboard.components.downloads import Download
from dashboard.services import exports
from dashboard.services.params import Choice
from dashboard.services.references import REFERENCE
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import features as text
from proset import explain
from proset.plots.densities import plot_densities

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from proset.explain.densities import FeatureDensities
    from proset.explain.features import FeatureWeights
    from proset.study import Study


class Aspect(StrEnum):
    """What the page shows."""

    WEIGHTS = "weights"
    IMPORTANCE = "importance"
    DENSITIES = "densities"
    STABILITY = "stability"


ASPECT = Choice("aspect", Aspect.WEIGHTS)
"""What the page shows; only this is computed."""
LEVELS = feature_weights.LEVELS
PARAMS = (ASPECT, LEVELS, REFERENCE)


def render(session: Session, study: Study) -> None:
    """Draw the page."""
    found = cache.derived(study, "feature weights", lambda: explain.feature_weights(study))
    widgets.choose(session, ASPECT, "What to show", key="features.aspect", words=lambda option: text.ASPECTS[option])
    aspect = session.get(ASPECT)
    if aspect is Aspect.STABILITY:
        stability.show(session, study, key="features")
    elif aspect is Aspect.IMPORTANCE:
        importance.show(session, study, key="features")
    elif found.weights.empty and aspect is not Aspect.WEIGHTS:
        words.notice("info", text.NO_FEATURE)
    elif aspect is Aspect.DENSITIES:
        _densities(study)
    else:
        feature_weights.show(session, study, found)
    page.how_to_read(session)
    _downloads(session, study, found)


def _densities(study: Study) -> None:
    """Show the distribution of the heaviest features within each class."""
    found = _found_densities(study)
    figure = plot_densities(found)
    figure_panel.show(
        figure,
        key="features.densities",
        file_name=exports.file_stem(study.table.name, "densities"),
        alt=f"Distribution of {len(found.features)} features within each class, and the prototypes.",
    )
    if figure.layout.meta:
        st.caption(words.caption(figure.layout.meta))


def _found_densities(study: Study) -> FeatureDensities:
    """Return the densities of the heaviest features, computed once."""
    return cache.derived(study, "feature densities", lambda: explain.feature_densities(study))


def _downloads(session: Session, study: Study, found: FeatureWeights) -> None:
    """Offer what the page shows as tables."""
    stem = exports.file_stem(study.table.name, "features")

    def csv(label: str, name: str, frame: Callable[[], pd.DataFrame]) -> Download:
        file_name = f"{stem}-{name}.csv"
        return Download(label, file_name, downloads.CSV, lambda: exports.csv_bytes(frame(), index=False))

    files = [
        csv("Weights (CSV)", "weights", found.to_frame),
        csv("Densities (CSV)", "densities", lambda: _found_densities(study).to_frame()),
    ]
    if session.get(ASPECT) is Aspect.IMPORTANCE:
        files += importance.files(session, study)
    checked = stability.result(session, study)
    if checked is not None:
        files.append(csv("Stability of each row (CSV)", "stability", checked.to_frame))
    downloads.show(*files, key="features")
