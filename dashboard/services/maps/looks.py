"""Looks of the map: the meaning of its colours, the shade behind, the case whose impacts are shown."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dashboard.services.params import EnumParam, Number
from proset.common.words import count_words, percent, shown
from proset.explain.familiar.novel import novelty
from proset.explain.maps.batch_parts import map_batch
from proset.explain.maps.map_plane import nearest_places
from proset.explain.maps.surfaces import Surface, surface
from proset.plots import style
from proset.plots.map_marks import ByValue, Colouring
from proset.study.settings import Bounds

if TYPE_CHECKING:
    from proset.explain.maps.map import BatchMap
    from proset.study import Study
    from proset.study.any_study import AnyStudy

SHADE_SIZE = 80
SHADE_MARGIN = 0.3


class Colour(StrEnum):
    """Meanings of the colours of cases."""

    CLASS = "class"
    CORRECT = "correct"
    PROBABILITY = "probability"
    FAMILIARITY = "familiarity"
    NOVELTY = "novelty"


COLOUR = EnumParam("colour", Colour.CLASS)
BATCH = Number(
    "batch", 0, of_model=True, bounds=Bounds(1, 1_000, whole=True),
    most=lambda study: max(1, study.model.set_manager_.num_batches),
)  # fmt: skip
"""Whose map is shown; as long as none is chosen, the one that :func:`usual_batch` names."""


def shown_batches(study: AnyStudy) -> list[int]:
    """Return the numbers of the batches that have prototypes, ascending.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> shown_batches(fit_sample("iris_2f"))
    [1]
    """
    return sorted({int(number) for number in study.prototypes["batch"]})


def usual_batch(study: AnyStudy) -> int:
    """Return the number of the batch whose map is shown as long as none is chosen.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> usual_batch(fit_sample("iris_2f"))
    1
    """
    return map_batch(study.model.set_manager_)


def class_number(study: Study, chosen: float) -> int:
    """Return the position of the class whose probability is shown, from 0.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> study = SimpleNamespace(classes=("a", "b", "c"))
    >>> class_number(study, 0), class_number(study, 1), class_number(study, 99)
    (2, 0, 2)
    """
    return int(chosen) - 1 if 1 <= chosen <= len(study.classes) else len(study.classes) - 1


def colouring(study: Study, colour: Colour, class_at: int) -> Colouring:
    """Return what colours follow.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> colouring(study, Colour.PROBABILITY, 0).title
    'probability of setosa'
    """
    if colour is Colour.CLASS:
        return "class"
    if colour is Colour.CORRECT:
        return "correct"
    if colour is Colour.PROBABILITY:
        name, scale = study.classes[class_at], style.probability_scale(study.classes, class_at)
        return ByValue(study.probabilities.iloc[:, class_at], f"probability of {shown(name, 24)}", scale)
    if colour is Colour.FAMILIARITY:
        return ByValue(study.predictions["quantile"], "familiarity")
    return ByValue(novelty(study, study.predictions.index).to_frame()["novelty_quantile"], "nearness quantile")


def shading(study: Study, batch: int) -> Surface:
    """Return the surface behind a map: on the plane through the middle of the training rows."""
    return surface(study, batch=batch, cases=[], n_points=SHADE_SIZE, margin=SHADE_MARGIN)


def shading_words(study: Study, mapping: BatchMap, behind: Surface, rows: pd.Index) -> str:
    """Say of how many cases the shading tells something else than the model.

    Parameters
    ----------
    behind : Surface
        From :func:`shading`, over the same axes.

    Examples
    --------
    >>> from proset.explain.maps.map import batch_map
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cancer")
    >>> shading_words(study, batch_map(study), shading(study, 1), study.probabilities.index[:9]).split(":")[0]
    'The shading'
    """
    points = mapping.points.loc[rows]
    spots = [nearest_places(behind.x, points["x"].to_numpy()), nearest_places(behind.y, points["y"].to_numpy())]
    # The shading knows probabilities only, so it is held against the most probable class, not against a rule.
    own = study.probabilities.loc[rows].to_numpy().argmax(axis=1)
    other = int((behind.likeliest[spots[1], spots[0]] != own).sum())
    text = "The shading: the most probable class on one plane, through the middle of the training rows."
    if not other:
        return f"{text} It is also that of every case shown."
    cases = count_words(len(points), "case")
    return f"{text} For {other:,} of {cases} shown it is another class: they lie beside the plane."


def case_impacts(study: Study, row: int, batch: int) -> pd.Series:
    """Return the impact of a batch's prototypes on one row, index row id.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> bool((case_impacts(study, 17, 1) >= 0).all())
    True
    """
    part = study.model.set_manager_.batches[batch - 1]
    if part is None:
        return pd.Series(dtype=np.float64)
    impact = part.similarity(study.encode([row]).X)[0] * part.weights
    return pd.Series(impact, index=study.split.train[part.sample_index], name="impact")


def impact_words(study: Study, row: int, impacts: pd.Series) -> str:
    """Say how much of what speaks about a row the prototypes of a batch are."""
    total = float(study.predictions["familiarity"].loc[row])
    share = percent(float(impacts.sum()) / total) if total > 0 else "none"
    if study.model.set_manager_.num_batches == 1:
        return "Size of a prototype: its impact on the selected case."
    return f"Size of a prototype: its impact on the selected case; this batch has {share} of all impact."
