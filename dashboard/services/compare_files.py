"""All numbers of a comparison as one JSON file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from proset.compare import cost_table, disagreements, feature_matrix, metric_table, size_paths

if TYPE_CHECKING:
    from proset.compare import Comparison
    from proset.study import Study


def json_bytes(study: Study, found: Comparison) -> bytes:
    """Write everything that the page shows as numbers; what is not known is null.

    Parameters
    ----------
    study : Study
        The model.
    found : Comparison
        Of this model with others.

    Returns
    -------
    bytes
        UTF-8.
    """
    matrix, rows = feature_matrix(found), disagreements(study, found)
    document = {
        "table": study.table.name,
        "model": found.study_id,
        "plan": found.plan.to_state(),
        "classes": list(found.classes),
        "measured_on": found.which,
        "systems": {
            entry.key: {
                "title": entry.title,
                "about": entry.about,
                "settings": entry.settings,
                "failed": entry.failed,
                "notes": list(entry.notes),
                "uses_weights": entry.uses_weights,
                "fold_scores": entry.fold_scores,
            }
            for entry in found.systems
        },
        "measures": metric_table(found).to_frame(),
        "sizes": size_paths(found).frame,
        "features": matrix.shares,
        "shared_prototypes": matrix.overlap,
        "agreement": rows.agreement,
        "disagreements": rows.rows,
        "drift": None if found.drift is None else found.drift.to_frame(),
        "cost": cost_table(found),
    }
    return json.dumps(_plain(document), ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace")


def _plain(value: Any) -> Any:
    """Turn frames, arrays and numbers of any kind into what JSON knows."""
    if isinstance(value, pd.DataFrame):
        return [_plain(line) for line in value.reset_index().to_dict("records")]
    if isinstance(value, dict):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if value is pd.NA or (isinstance(value, float) and not np.isfinite(value)):
        return None
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
