"""Prototype set models: a classifier whose every estimate is a sum of known cases.

Examples
--------
>>> import proset
>>> proset.ClassifierModel(lambda_v=1e-2)
ClassifierModel(lambda_v=0.01)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proset.companions import GBMapClassifier, GBMapRegressor, PVMClassifier, SMPClassifier
    from proset.data.table import read_table
    from proset.engine.model import ClassifierModel
    from proset.selection import ProsetClassifierCV, SearchPlan, select_hyperparameters
    from proset.storage import load, save
    from proset.study import FitSettings, Study, fit_study, search_study

    __version__: str

_HOME = {
    "ClassifierModel": "proset.engine.model",
    "FitSettings": "proset.study",
    "GBMapClassifier": "proset.companions",
    "GBMapRegressor": "proset.companions",
    "PVMClassifier": "proset.companions",
    "ProsetClassifierCV": "proset.selection",
    "SMPClassifier": "proset.companions",
    "SearchPlan": "proset.selection",
    "Study": "proset.study",
    "fit_study": "proset.study",
    "load": "proset.storage",
    "read_table": "proset.data.table",
    "save": "proset.storage",
    "search_study": "proset.study",
    "select_hyperparameters": "proset.selection",
}

__all__ = [
    "ClassifierModel",
    "FitSettings",
    "GBMapClassifier",
    "GBMapRegressor",
    "PVMClassifier",
    "ProsetClassifierCV",
    "SMPClassifier",
    "SearchPlan",
    "Study",
    "__version__",
    "fit_study",
    "load",
    "read_table",
    "save",
    "search_study",
    "select_hyperparameters",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for, so that ``import proset`` and ``proset --help`` cost nothing."""
    if name == "__version__":
        from importlib.metadata import version

        return version("proset-dashboard")
    if name not in _HOME:
        raise AttributeError(f"module 'proset' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """Names for completion."""
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
