"""A case of pictures in a report: itself, its prototypes, how they differ, and which pixels count (figure 4.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proset.common.words import shown
from proset.explain.cases.pixels import shap_pixels, told_apart, used_pixels
from proset.plots.image_evidence import plot_image_evidence
from proset.report.document import Block, Picture

if TYPE_CHECKING:
    from proset.explain.evidence import Evidence


def prototype_pictures(evidence: Evidence) -> tuple[Block, ...]:
    """Draw the case and its leading prototypes, and how they differ; nothing for a table without pictures."""
    if not evidence.report.images:
        return ()
    return (
        Picture(
            plot_image_evidence(evidence.report, used=used_pixels(evidence.study)),
            "The case and its most influential prototypes as pictures, and how they differ.",
            "Second row: where a prototype is brighter (white) or darker (black) than the case. Dimmed: pixels without"
            " weight.",
        ),
    )


def _lowering(n_classes: int) -> str:
    """Say which colour pixels have that lower an estimate."""
    return "that of the other class" if n_classes == 2 else "grey"


def overlay_pictures(evidence: Evidence) -> tuple[Block, ...]:
    """Draw SHAP values over the pictures, for the class that is said and the one to tell it from."""
    case, study = evidence.report, evidence.study
    if not case.images:
        return ()
    overlays = shap_pixels(study, evidence.shap, told_apart(case, case.predicted))
    named = " and below for ".join(f"'{shown(label)}'" for label in overlays)
    return (
        Picture(
            plot_image_evidence(case, used=used_pixels(study), differences=False, overlays=overlays),
            "SHAP values over the case and its leading prototypes.",
            f"Compared with the reference: pixels that raise the estimate for {named} have the colour of that class,"
            f" those that lower it {_lowering(len(case.classes))}.",
        ),
    )
