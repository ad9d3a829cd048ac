"""A case of pictures in a report: itself, its prototypes, how they differ, and which pixels count (figure 4.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from proset.common.words import shown
from proset.plots.image_evidence import plot_image_evidence
from proset.report.document import Block, Picture

if TYPE_CHECKING:
    from proset.explain.cases.case_evidence import CaseEvidence
    from proset.study import Study


def prototype_pictures(study: Study, evidence: CaseEvidence) -> tuple[Block, ...]:
    """Draw the case and its leading prototypes, and how they differ; nothing for a table without pictures."""
    if not evidence.case.images:
        return ()
    return (
        Picture(
            plot_image_evidence(evidence.case, used=_used(study)),
            "The case and its most influential prototypes as pictures, and how they differ.",
            "Second row: what a prototype has more (red) or less (blue) than the case. Dimmed: pixels without weight.",
        ),
    )


def overlay_pictures(study: Study, evidence: CaseEvidence) -> tuple[Block, ...]:
    """Draw SHAP values over the pictures, for the class that is said and the one to tell it from."""
    case = evidence.case
    if not case.images:
        return ()
    order = case.probabilities.sort_values(ascending=False, kind="stable").index
    other = next((name for name in (case.actual, *order) if name is not None and name != case.predicted), None)
    labels = [name for name in (case.predicted, other) if name in case.classes]
    overlays = {label: _pixels(study, evidence, case.classes.index(label)) for label in labels}
    named = " and below for ".join(f"'{shown(label)}'" for label in labels)
    return (
        Picture(
            plot_image_evidence(case, used=_used(study), differences=False, overlays=overlays),
            "SHAP values over the case and its leading prototypes.",
            f"Red pixels raise, blue ones lower the estimate for {named}, compared with the reference.",
        ),
    )


def _used(study: Study) -> NDArray[np.bool_] | None:
    """Return which pixels the model uses, as a picture."""
    grid, used = study.table.grid, set(study.used_columns)
    return None if grid is None else np.array([name in used for name in grid.columns]).reshape(grid.height, grid.width)


def _pixels(study: Study, evidence: CaseEvidence, label: int) -> NDArray[np.float64]:
    """Return the SHAP values for one class as a picture."""
    grid = study.table.grid
    assert grid is not None  # the case has pictures
    place = {name: i for i, name in enumerate(evidence.shap.features)}
    values = evidence.shap.values[0][:, label]
    own = np.array([values[place[name]] if name in place else 0.0 for name in grid.columns], dtype=np.float64)
    return own.reshape(grid.height, grid.width)
