"""Features: what the model looks at, how much, and what it does without."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from dashboard import cache
from dashboard.components import downloads, words
from dashboard.components.downloads import Download
from dashboard.components.features import figures, importance, stability, together, weights
from dashboard.components.slices import followed
from dashboard.services import exports
from dashboard.services.params import EnumParam
from dashboard.services.quality.quality import CLASS
from dashboard.services.references import REFERENCE
from dashboard.session import widgets
from dashboard.session.session import PART, RULE, Session
from dashboard.texts import features as text
from dashboard.texts import slices as slice_text
from proset import explain

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from proset.study import Study


class FeatureAspect(StrEnum):
    """Aspects of the features."""

    WEIGHTS = "weights"
    IMPORTANCE = "importance"
    VALUES = "values"
    TOGETHER = "together"
    PAIRS = "pairs"
    STABILITY = "stability"


ASPECT = EnumParam("aspect", FeatureAspect.WEIGHTS)
"""Aspect that the page shows; only this is computed."""
PARAMS = (ASPECT, weights.LEVELS, PART, CLASS, REFERENCE, RULE)


def render(session: Session, study: Study) -> None:
    """Draw the page."""
    found = cache.derived(explain.feature_weights, study)
    widgets.choose(session, ASPECT, "What to show", key="features.aspect", words=lambda option: text.ASPECTS[option])
    aspect = session.get(ASPECT)
    files: list[Download] = []
    tables: list[tuple[str, str, Callable[[], pd.DataFrame]]] = [("Weights (CSV)", "weights", found.to_frame)]
    if aspect is FeatureAspect.STABILITY:
        followed.say(session, slice_text.OF_REFITS)
        stability.show(session, study, key="features")
    elif aspect is FeatureAspect.WEIGHTS:
        followed.say(session, slice_text.OF_MODEL)
        weights.show(session, study, found)
        if figures.beside_weights(found):
            tables.append(("Densities (CSV)", "densities", lambda: figures.found_densities(session, study).to_frame()))
    elif aspect is FeatureAspect.IMPORTANCE:
        importance.show(session, study, key="features")
        files = importance.files(session, study)
    elif aspect is FeatureAspect.VALUES:
        figures.values(session, study)
        tables.append(("What values say (CSV)", "values", lambda: figures.found_values(study).to_frame()))
    elif found.weights.empty:
        words.notice("info", text.NO_FEATURE)
    elif aspect is FeatureAspect.TOGETHER:
        together.show(session, study, key="features")
        files = together.files(session, study)
    else:
        figures.pairs(session, study)
        part = session.part
        tables.append(
            (
                "Rows and prototypes (CSV)",
                f"pairs-{part.value}",
                lambda: figures.found_pairs(session, study, part).to_frame(),
            )
        )
    checked = stability.result(session, study)
    if checked is not None:
        tables.append(("Stability of each row (CSV)", "stability", checked.to_frame))
    _downloads(study, tables, files)


def _downloads(study: Study, tables: list[tuple[str, str, Callable[[], pd.DataFrame]]], files: list[Download]) -> None:
    """Offer what the page shows as tables."""
    stem = exports.file_stem(study.table.name, "features")

    def file(label: str, name: str, make: Callable[[], pd.DataFrame]) -> Download:
        return Download(label, f"{stem}-{name}.csv", downloads.CSV, lambda: exports.csv_bytes(make(), index=False))

    downloads.show(*(file(*entry) for entry in tables), *files, key="features")
