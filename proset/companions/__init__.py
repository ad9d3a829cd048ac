"""Prototype methods that stand beside proset for comparison, and one interface for all of them.

Examples
--------
>>> from proset.companions import SYSTEMS
>>> [system.title for system in SYSTEMS.values()][:3]
['proset', 'Prototype vector machine', 'Sparse multi-prototype']
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proset.companions.adapters import KnnPrototypes, ProsetPrototypes, XgbPrototypes
    from proset.companions.covering import CoverReport, cover_of, cover_report
    from proset.companions.gbmap import GBMapClassifier, GBMapRegressor
    from proset.companions.protocol import NotOfferedError, Offer, PrototypeModel
    from proset.companions.pvm import PVMClassifier
    from proset.companions.smp import SMPClassifier
    from proset.companions.systems import SYSTEMS, System, available, load_model, the_system

_HOME = {
    "CoverReport": "covering",
    "GBMapClassifier": "gbmap",
    "GBMapRegressor": "gbmap",
    "KnnPrototypes": "adapters",
    "NotOfferedError": "protocol",
    "Offer": "protocol",
    "PVMClassifier": "pvm",
    "PrototypeModel": "protocol",
    "ProsetPrototypes": "adapters",
    "SMPClassifier": "smp",
    "SYSTEMS": "systems",
    "System": "systems",
    "XgbPrototypes": "adapters",
    "available": "systems",
    "cover_of": "covering",
    "cover_report": "covering",
    "load_model": "systems",
    "the_system": "systems",
}

__all__ = [
    "SYSTEMS",
    "CoverReport",
    "GBMapClassifier",
    "GBMapRegressor",
    "KnnPrototypes",
    "NotOfferedError",
    "Offer",
    "PVMClassifier",
    "ProsetPrototypes",
    "PrototypeModel",
    "SMPClassifier",
    "System",
    "XgbPrototypes",
    "available",
    "cover_of",
    "cover_report",
    "load_model",
    "the_system",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for: one system does not load the others."""
    if name not in _HOME:
        raise AttributeError(f"module 'proset.companions' has no attribute {name!r}")
    return getattr(import_module(f"proset.companions.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    """Names for completion."""
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
