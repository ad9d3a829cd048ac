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
    from proset.explain.case import explain_case
    from proset.explain.familiarity_attribution import attribute_familiarity
    from proset.explain.impact_attribution import attribute_impact
    from proset.explain.map import batch_map
    from proset.explain.medoid import class_medoid
    from proset.explain.reference import choose_reference_point
    from proset.explain.shapley import shap_values

_HOME = {
    "attribute_familiarity": "proset.explain.familiarity_attribution",
    "attribute_impact": "proset.explain.impact_attribution",
    "batch_map": "proset.explain.map",
    "choose_reference_point": "proset.explain.reference",
    "class_medoid": "proset.explain.medoid",
    "explain_case": "proset.explain.case",
    "shap_values": "proset.explain.shapley",
}

__all__ = [
    "attribute_familiarity",
    "attribute_impact",
    "batch_map",
    "choose_reference_point",
    "class_medoid",
    "explain_case",
    "shap_values",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for: some explanations need libraries that others do not."""
    if name not in _HOME:
        raise AttributeError(f"module 'proset.explain' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """Names for completion."""
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
