"""Explanations of a model, or of a study in the columns and units of the table it came from.

One file has one frozen dataclass and the function that makes it; the functions below can be called as
``explain.NAME``. Each takes a fitted :class:`~proset.ClassifierModel` with matrices, or a :class:`~proset.Study` with
row ids; see :mod:`proset.explain.subject`. No module is named like a function, so that importing one never hides the
other.

Examples
--------
>>> from proset import explain
>>> explain.batch_map.__module__
'proset.explain.map'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proset.explain.abstain import abstention
    from proset.explain.agreement import map_agreement
    from proset.explain.assessment import quality
    from proset.explain.calibration_bins import calibration
    from proset.explain.case import explain_case
    from proset.explain.case_standing import standing
    from proset.explain.curves import ranking_curves
    from proset.explain.densities import feature_densities
    from proset.explain.edited import what_if
    from proset.explain.familiar_groups import familiarity
    from proset.explain.familiar_halves import familiarity_halves
    from proset.explain.familiarity_attribution import attribute_familiarity
    from proset.explain.features import feature_weights
    from proset.explain.flip import smallest_flip
    from proset.explain.impact_attribution import attribute_impact
    from proset.explain.map import batch_map
    from proset.explain.medoid import class_medoid
    from proset.explain.near_cases import nearest_cases
    from proset.explain.novel import novelty
    from proset.explain.phrases import standing_words
    from proset.explain.places import value_places
    from proset.explain.prototype_table import prototypes
    from proset.explain.reference import choose_reference_point
    from proset.explain.reverse_view import prototype_view
    from proset.explain.scatter import feature_scatter
    from proset.explain.shapley import shap_values
    from proset.explain.shift import drift
    from proset.explain.stability_refits import stability
    from proset.explain.surfaces import surface
    from proset.explain.value_range import value_ranges

_HOME = {
    "abstention": "proset.explain.abstain",
    "attribute_familiarity": "proset.explain.familiarity_attribution",
    "attribute_impact": "proset.explain.impact_attribution",
    "batch_map": "proset.explain.map",
    "calibration": "proset.explain.calibration_bins",
    "choose_reference_point": "proset.explain.reference",
    "class_medoid": "proset.explain.medoid",
    "drift": "proset.explain.shift",
    "explain_case": "proset.explain.case",
    "familiarity": "proset.explain.familiar_groups",
    "familiarity_halves": "proset.explain.familiar_halves",
    "feature_densities": "proset.explain.densities",
    "feature_scatter": "proset.explain.scatter",
    "feature_weights": "proset.explain.features",
    "map_agreement": "proset.explain.agreement",
    "nearest_cases": "proset.explain.near_cases",
    "novelty": "proset.explain.novel",
    "prototype_view": "proset.explain.reverse_view",
    "prototypes": "proset.explain.prototype_table",
    "quality": "proset.explain.assessment",
    "ranking_curves": "proset.explain.curves",
    "shap_values": "proset.explain.shapley",
    "smallest_flip": "proset.explain.flip",
    "stability": "proset.explain.stability_refits",
    "standing": "proset.explain.case_standing",
    "standing_words": "proset.explain.phrases",
    "surface": "proset.explain.surfaces",
    "value_places": "proset.explain.places",
    "value_ranges": "proset.explain.value_range",
    "what_if": "proset.explain.edited",
}

__all__ = [
    "abstention",
    "attribute_familiarity",
    "attribute_impact",
    "batch_map",
    "calibration",
    "choose_reference_point",
    "class_medoid",
    "drift",
    "explain_case",
    "familiarity",
    "familiarity_halves",
    "feature_densities",
    "feature_scatter",
    "feature_weights",
    "map_agreement",
    "nearest_cases",
    "novelty",
    "prototype_view",
    "prototypes",
    "quality",
    "ranking_curves",
    "shap_values",
    "smallest_flip",
    "stability",
    "standing",
    "standing_words",
    "surface",
    "value_places",
    "value_ranges",
    "what_if",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for: some explanations need libraries that others do not."""
    if name not in _HOME:
        raise AttributeError(f"module 'proset.explain' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """Names for completion."""
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
