"""The figures of the Features page besides the weights: pairs of features, densities, and what values say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, part_switch, words
from dashboard.components.slices import followed
from dashboard.services import exports
from dashboard.services.cases import PART_WORDS, Part, part_rows
from dashboard.session.session import Session
from dashboard.texts import features as text
from dashboard.texts import slices as slice_text
from proset import explain
from proset.common.words import listed
from proset.plots.densities import densities_words, plot_densities
from proset.plots.scatter_matrix import plot_scatter_matrix
from proset.plots.value_evidence import plot_value_evidence
from proset.study.decision import MOST_PROBABLE

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from dashboard.services.cases import Within
    from proset.explain.maps.scatter import FeatureScatter
    from proset.explain.structure.densities import FeatureDensities
    from proset.explain.structure.features import FeatureWeights
    from proset.explain.study_only.value_evidence import ValueEvidences
    from proset.study import Study

_FEATURES, _FEW_FEATURES, _FEW_CLASSES = 4, 3, 5
"""Features in pairs; with many classes less, because every panel has marks of every class."""


def pairs(session: Session, study: Study) -> None:
    """Show prototypes and cases on the heaviest features, in pairs; a click on a mark selects its case."""
    part = part_switch.show(session, key="features")
    count, those = followed.counted(session, study, part)
    if followed.too_few(session, count, part, fewest=1):
        return
    found = found_pairs(session, study, part)

    def draw(selected: int | None) -> go.Figure:
        return cache.derived(_drawn_pairs, study, part, session.within, selected)

    figure = figure_panel.show_clickable(
        session,
        draw,
        name=f"features.pairs.{session.rows_key}",
        file_name=exports.file_stem(study.table.name, "pairs", part.value),
        alt=f"{PART_WORDS[part].capitalize()} and prototypes on {len(found.axes)} features, in pairs, with densities.",
    )
    _caption(figure.note, f"{slice_text.PAIRS.format(rows=those)} {text.PAIRS}" if those else text.PAIRS)


def found_pairs(session: Session, study: Study, part: Part) -> FeatureScatter:
    """Return the cases of a part on the heaviest features, computed once."""
    return cache.derived(_scatter, study, part, session.within)


def _scatter(study: Study, part: Part, within: Within | None) -> FeatureScatter:
    rows = part_rows(cache.judged(study, MOST_PROBABLE), part, within).index
    return explain.feature_scatter(
        study, rows, n_features=_FEW_FEATURES if len(study.classes) > _FEW_CLASSES else _FEATURES
    )


def _drawn_pairs(study: Study, part: Part, within: Within | None, selected: int | None) -> go.Figure:
    return plot_scatter_matrix(cache.derived(_scatter, study, part, within), selected=selected)


def beside_weights(found: FeatureWeights) -> bool:
    """Tell whether densities stand beside the weights: not where these are a picture, whose pixels say little alone."""
    return found.grid is None and not found.weights.empty


def densities(session: Session, study: Study) -> None:
    """Show the distribution of the heaviest features within each class."""
    count, those = followed.counted(session, study, Part.ALL)
    if followed.too_few(session, count, Part.ALL):
        return
    found = found_densities(session, study)
    figure = plot_densities(found)
    figure_panel.show(
        figure,
        key="features.densities",
        file_name=exports.file_stem(study.table.name, "densities"),
        alt=f"Distribution of {len(found.features)} features within each class.",
    )
    said = densities_words(figure)
    _caption(figure.layout.meta, f"{slice_text.DENSITIES.format(rows=those)} {said}" if those else said)


def found_densities(session: Session, study: Study) -> FeatureDensities:
    """Return the densities of the heaviest features, computed once."""
    return cache.derived(_densities, study, session.within)


def _densities(study: Study, within: Within | None) -> FeatureDensities:
    return explain.feature_densities(study, None if within is None else within.rows)


def values(session: Session, study: Study) -> None:
    """Show what the values of the columns say, each column alone, for each class."""
    followed.say(session, slice_text.OF_MODEL)
    found = found_values(study)
    figure = plot_value_evidence(found)
    figure_panel.show(
        figure,
        key="features.values",
        file_name=exports.file_stem(study.table.name, "values"),
        alt=f"For which class the values of {len(found.features)} columns speak, each column alone.",
    )
    _caption(figure.layout.meta, f"{text.VALUES} {looked_at(found)}")


def looked_at(found: ValueEvidences) -> str:
    """Say of which columns the model looks at what is drawn."""
    used = [one.name for one in found.features if one.used]
    if 0 < len(used) < len(found.features):
        return text.VALUES_SOME.format(columns=listed(used, most=len(used)))
    return text.VALUES_SEEN if used else text.VALUES_UNSEEN


def found_values(study: Study) -> ValueEvidences:
    """Return what the values of the heaviest features say, computed once."""
    return cache.derived(explain.value_evidence, study)


def _caption(note: str | None, said: str) -> None:
    """Write what to know about a figure, and what it leaves out."""
    st.caption(words.caption(" ".join(filter(None, (said, note)))))
