"""Explanations of a model, or of a study in the columns and units of the table it came from.

One file has one frozen dataclass and the function that makes it; the functions below can be called as
``explain.NAME``. Each takes a fitted :class:`~proset.ClassifierModel` with matrices, or a :class:`~proset.Study` with
row ids; see :mod:`proset.explain.subject`. No module is named like a function, so that importing one never hides the
other.

Examples
--------
>>> from proset import explain
>>> explain.batch_map.__module__
'proset.explain.maps.map'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proset.explain.attribution.familiarity_attribution import attribute_familiarity
    from proset.explain.attribution.impact_attribution import attribute_impact
    from proset.explain.attribution.medoid import class_medoid
    from proset.explain.attribution.reference import choose_reference_point
    from proset.explain.attribution.shapley import shap_values
    from proset.explain.cases.case import explain_case
    from proset.explain.cases.edited import what_if
    from proset.explain.cases.flip import smallest_flip
    from proset.explain.cases.near_cases import nearest_cases
    from proset.explain.cases.places import value_places
    from proset.explain.cases.value_range import value_ranges
    from proset.explain.familiar.abstain import abstention
    from proset.explain.familiar.case_standing import standing
    from proset.explain.familiar.familiar_groups import familiarity
    from proset.explain.familiar.familiar_halves import familiarity_halves
    from proset.explain.familiar.novel import novelty
    from proset.explain.familiar.shift import drift
    from proset.explain.judged.assessment import quality
    from proset.explain.judged.calibration_bins import calibration
    from proset.explain.judged.curves import ranking_curves
    from proset.explain.maps.agreement import map_agreement
    from proset.explain.maps.map import batch_map
    from proset.explain.maps.scatter import feature_scatter
    from proset.explain.maps.surfaces import surface
    from proset.explain.phrases import standing_words
    from proset.explain.structure.densities import feature_densities
    from proset.explain.structure.features import feature_weights
    from proset.explain.structure.prototype_table import prototypes
    from proset.explain.structure.reverse_view import prototype_view
    from proset.explain.structure.stability_refits import stability

_HOME = {
    "abstention": "proset.explain.familiar.abstain",
    "attribute_familiarity": "proset.explain.attribution.familiarity_attribution",
    "attribute_impact": "proset.explain.attribution.impact_attribution",
    "batch_map": "proset.explain.maps.map",
    "calibration": "proset.explain.judged.calibration_bins",
    "choose_reference_point": "proset.explain.attribution.reference",
    "class_medoid": "proset.explain.attribution.medoid",
    "drift": "proset.explain.familiar.shift",
    "explain_case": "proset.explain.cases.case",
    "familiarity": "proset.explain.familiar.familiar_groups",
    "familiarity_halves": "proset.explain.familiar.familiar_halves",
    "feature_densities": "proset.explain.structure.densities",
    "feature_scatter": "proset.explain.maps.scatter",
    "feature_weights": "proset.explain.structure.features",
    "map_agreement": "proset.explain.maps.agreement",
    "nearest_cases": "proset.explain.cases.near_cases",
    "novelty": "proset.explain.familiar.novel",
    "prototype_view": "proset.explain.structure.reverse_view",
    "prototypes": "proset.explain.structure.prototype_table",
    "quality": "proset.explain.judged.assessment",
    "ranking_curves": "proset.explain.judged.curves",
    "shap_values": "proset.explain.attribution.shapley",
    "smallest_flip": "proset.explain.cases.flip",
    "stability": "proset.explain.structure.stability_refits",
    "standing": "proset.explain.familiar.case_standing",
    "standing_words": "proset.explain.phrases",
    "surface": "proset.explain.maps.surfaces",
    "value_places": "proset.explain.cases.places",
    "value_ranges": "proset.explain.cases.value_range",
    "what_if": "proset.explain.cases.edited",
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
