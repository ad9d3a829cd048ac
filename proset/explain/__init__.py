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
    from proset.explain.case_standing import standing
    from proset.explain.edited import what_if
    from proset.explain.flip import smallest_flip
    from proset.explain.map import batch_map
    from proset.explain.novel import novelty
    from proset.explain.phrases import standing_words
    from proset.explain.value_range import value_ranges

_HOME = {
    "batch_map": "proset.explain.map",
    "explain_case": "proset.explain.case",
    "novelty": "proset.explain.novel",
    "smallest_flip": "proset.explain.flip",
    "standing": "proset.explain.case_standing",
    "standing_words": "proset.explain.phrases",
    "value_ranges": "proset.explain.value_range",
    "what_if": "proset.explain.edited",
}

__all__ = [
    "batch_map",
    "explain_case",
    "novelty",
    "smallest_flip",
    "standing",
    "standing_words",
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
