"""Several systems on the rows of one study: how good they are, what they use, where they disagree, what they cost.

:func:`compare` does the work and returns a :class:`Comparison`, which can be written and read; everything else is
derived from it on demand. A comparison never refers to its study: what needs the table takes both. No module is named
like a function, so that importing one never hides the other.

Examples
--------
>>> from proset import compare as comparing
>>> comparing.metric_table.__module__
'proset.compare.table'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proset.compare.beside import SideSurface, side_surfaces
    from proset.compare.budget import Estimate, SystemTime, estimate
    from proset.compare.cases import SystemCase, explain_row
    from proset.compare.contenders import prepare_systems
    from proset.compare.cost import cost_table
    from proset.compare.disputes import Disagreements, disagreements
    from proset.compare.document import (
        comparison_json,
        comparison_sheets,
        drift_table,
        estimate_table,
        fold_table,
        summary_table,
    )
    from proset.compare.features import FeatureMatrix, feature_matrix
    from proset.compare.ground import fold_words
    from proset.compare.maps import DistanceMap, distance_map, map_keys
    from proset.compare.measures import HIGHER_IS_BETTER, MEASURE_WORDS, MEASURES
    from proset.compare.plan import SYSTEMS, ComparePlan
    from proset.compare.progress import CompareProgress, SoFar
    from proset.compare.result import Comparison, Drift, SystemResult
    from proset.compare.runner import compare, compare_table
    from proset.compare.saved import load_comparison, save_comparison
    from proset.compare.sizes import SizePaths, size_paths
    from proset.compare.table import MetricTable, metric_table

_HOME = {
    "HIGHER_IS_BETTER": "measures",
    "MEASURES": "measures",
    "MEASURE_WORDS": "measures",
    "SYSTEMS": "plan",
    "ComparePlan": "plan",
    "CompareProgress": "progress",
    "Comparison": "result",
    "Disagreements": "disputes",
    "DistanceMap": "maps",
    "Drift": "result",
    "Estimate": "budget",
    "FeatureMatrix": "features",
    "MetricTable": "table",
    "SideSurface": "beside",
    "SizePaths": "sizes",
    "SoFar": "progress",
    "SystemCase": "cases",
    "SystemResult": "result",
    "SystemTime": "budget",
    "compare": "runner",
    "compare_table": "runner",
    "comparison_json": "document",
    "comparison_sheets": "document",
    "cost_table": "cost",
    "disagreements": "disputes",
    "distance_map": "maps",
    "drift_table": "document",
    "estimate": "budget",
    "estimate_table": "document",
    "explain_row": "cases",
    "feature_matrix": "features",
    "fold_table": "document",
    "fold_words": "ground",
    "load_comparison": "saved",
    "map_keys": "maps",
    "metric_table": "table",
    "prepare_systems": "contenders",
    "save_comparison": "saved",
    "side_surfaces": "beside",
    "size_paths": "sizes",
    "summary_table": "document",
}

__all__ = [
    "HIGHER_IS_BETTER",
    "MEASURES",
    "MEASURE_WORDS",
    "SYSTEMS",
    "ComparePlan",
    "CompareProgress",
    "Comparison",
    "Disagreements",
    "DistanceMap",
    "Drift",
    "Estimate",
    "FeatureMatrix",
    "MetricTable",
    "SideSurface",
    "SizePaths",
    "SoFar",
    "SystemCase",
    "SystemResult",
    "SystemTime",
    "compare",
    "compare_table",
    "comparison_json",
    "comparison_sheets",
    "cost_table",
    "disagreements",
    "distance_map",
    "drift_table",
    "estimate",
    "estimate_table",
    "explain_row",
    "feature_matrix",
    "fold_table",
    "fold_words",
    "load_comparison",
    "map_keys",
    "metric_table",
    "prepare_systems",
    "save_comparison",
    "side_surfaces",
    "size_paths",
    "summary_table",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for: a page that shows a comparison needs no system."""
    if name not in _HOME:
        raise AttributeError(f"module 'proset.compare' has no attribute {name!r}")
    return getattr(import_module(f"proset.compare.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    """Names for completion."""
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
