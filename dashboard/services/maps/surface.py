"""Surfaces of the Surface page: the cut, the model it goes through, and the point it is fixed at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.services.params import EnumParam, Flag, ListedParam, Number
from dashboard.texts import surface as text
from proset.common.words import count_words, percent, shown
from proset.explain.maps.feature_axes import ranked
from proset.explain.maps.surfaces import Surface, surface
from proset.explain.subject import subject_of
from proset.reference_models import XgbPlan, fit_knn_classifier, fit_xgb_classifier
from proset.selection.folds import Fold
from proset.selection.inner_folds import NoFoldsError, inner_folds, known_words
from proset.study.fit import CheckedTable
from proset.study.settings import Bounds

if TYPE_CHECKING:
    from proset.explain.numbers.surface import NumberSurface
    from proset.study import Study
    from proset.study.any_study import AnyStudy

MOST_RIVAL_ROWS = 5_000
"""More training rows than that are sampled for the model beside, so that it takes seconds."""
SHORT_PLAN = XgbPlan(n_trials=5, learning_rates=(0.3, 0.1), iterations=40, max_iterations=300, patience=20, n_folds=3)
FOLDS = 5
_SIZE, _SIZE_FOREIGN = 100, 70  # positions along an axis; other classifiers take every spot for itself
_MARGIN, _FAR = 0.1, 0.6
_FEATURE_BOUNDS = Bounds(0, 100_000, whole=True)


class Face(StrEnum):
    """Meanings of the colours of a surface."""

    PROBABILITY = "probability"
    CLASS = "class"
    FAMILIARITY = "familiarity"


class Fixed(StrEnum):
    """Points that the rest can be fixed at; see :func:`fixed_points`."""

    CASE = "case"
    REFERENCE = "reference"
    MIDDLE = "middle"


class Rival(StrEnum):
    """Models that can stand beside."""

    NONE = "none"
    KNN = "knn"
    XGB = "xgb"


class Axes(StrEnum):
    """Axes that vary: two features, the two axes of a map, or what suits the table."""

    USUAL = "usual"
    FEATURES = "0"
    MAP = "1"


AXES = EnumParam("axes", Axes.USUAL)
FACE = EnumParam("face", Face.PROBABILITY)
FIXED = EnumParam("fixed", Fixed.CASE)
QUANTILE = ListedParam("quantile", "1", words=("1", "5", "10", "25", "50"))
"""Contour of familiarity, in per cent of the held-out cases."""
CONTOURS, CASES, PROTOTYPES, FAR = (
    Flag("contours", True), Flag("marks", True), Flag("prototypes", True), Flag("far", False)
)  # fmt: skip
# Positions from 1, because names of columns would be a stranger's words; 0 stands for the heaviest one that is free.
X, Y = (
    Number(axis, 0, of_model=True, bounds=_FEATURE_BOUNDS, most=lambda study: len(study.roles.features))
    for axis in "xy"
)


@dataclass(frozen=True)
class SurfaceCut:
    """Cut through a model; a surface is computed by it.

    Attributes
    ----------
    x, y : str
        Features; empty over a map.
    batch : int or None
        Whose map.
    at : int, tuple of float, or None
        What the rest is fixed at: a row id, a row of the matrix, or None for the middle.
    far : bool
        Whether the axes reach far beyond the data.
    quantile : float
        Share of the held-out cases that are less familiar than the contour.
    """

    x: str
    y: str
    batch: int | None
    at: int | tuple[float, ...] | None
    far: bool = False
    quantile: float = 0.01


def feature_order(study: Study) -> list[int]:
    """Return the positions of the features that can be axes, the heaviest first, counted from 1.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> feature_order(fit_sample("iris_2f"))
    [1, 2]
    """
    subject = subject_of(study)
    return [i + 1 for i in ranked(subject, subject.heaviest_columns)]


def over_map(study: Study, asked: Axes) -> bool:
    """Tell whether the axes of a map vary: where asked for, and usually for pictures: single pixels say little."""
    wanted = asked is Axes.MAP or (asked is Axes.USUAL and study.table.grid is not None)
    return wanted and len(study.prototypes) > 0


def fixed_points(*, on_map: bool, selected: bool) -> list[Fixed]:
    """Return what the rest can be fixed at, the usual one first: of a map, the plane through the middle shows most.

    Examples
    --------
    >>> [str(point) for point in fixed_points(on_map=False, selected=False)]
    ['reference', 'middle']
    """
    free = [Fixed.MIDDLE, Fixed.REFERENCE] if on_map else [Fixed.REFERENCE, Fixed.MIDDLE]
    return [Fixed.CASE, *free] if selected else free


def two_features(order: list[int], x: float, y: float) -> tuple[int, int]:
    """Return two different features, whatever was asked for.

    Parameters
    ----------
    order : list of int
        Those that can be axes, the heaviest first; at least two.
    x, y : float
        What was chosen; the heaviest free one takes the place of what cannot be.

    Examples
    --------
    >>> two_features([3, 1, 2], 0, 0), two_features([3, 1, 2], 0, 3), two_features([3, 1, 2], 2, 2)
    ((3, 1), (1, 3), (2, 3))
    """
    second = int(y) if y in order else 0
    first = int(x) if x in order else next(i for i in order if i != second)
    return first, second if second not in (0, first) else next(i for i in order if i != first)


def cut_surface(study: Study, cut: SurfaceCut, rival: Any = None) -> Surface:
    """Return the surface of a study's model, or of another classifier on the same axes."""
    return surface(
        study,
        features=(cut.x or None, cut.y or None),
        batch=cut.batch,
        reference=cut.at,
        estimator=rival,
        n_points=_SIZE if rival is None else _SIZE_FOREIGN,
        margin=_FAR if cut.far else _MARGIN,
        quantiles=(cut.quantile,),
    )


@dataclass(frozen=True, eq=False)
class FittedRival:
    """A model to stand beside, and what to say of it."""

    model: Any
    title: str
    words: str


def unused_words(study: AnyStudy, found: Surface | NumberSurface) -> str:
    """Say which of the two features that vary a model does not use; empty if it uses both."""
    names = [f"'{shown(axis.name)}'" for axis in (found.x_axis, found.y_axis) if axis.name not in study.used_columns]
    return (text.UNUSED_BOTH if len(names) > 1 else text.UNUSED).format(*names) if names else ""


def fit_rival(study: Study, kind: Rival) -> FittedRival:
    """Fit nearest neighbours or XGBoost to the training rows of a study, in seconds.

    Raises
    ------
    ProsetError
        If a class has too few rows for the folds.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> fit_rival(fit_sample("iris_2f"), Rival.KNN).title
    'Nearest neighbours'
    """
    rows = study.split.train
    sampled = len(rows) > MOST_RIVAL_ROWS
    if sampled:
        rows = np.sort(np.random.default_rng(0).choice(rows, MOST_RIVAL_ROWS, replace=False))
    X = study.encode(rows).X
    labels = study.labels.loc[pd.Index(rows)].to_numpy(dtype=object).astype(str)
    among = f" among {MOST_RIVAL_ROWS:,} sampled training rows" if sampled else ""
    folds, note = _folds(study, rows, labels, FOLDS if kind is Rival.KNN else SHORT_PLAN.n_folds)
    if kind is Rival.KNN:
        found = fit_knn_classifier(X, labels, scale=False, n_folds=FOLDS, folds=folds)
        words = (
            f"The share of each class among the {count_words(found.k, 'nearest training row')}{among}, in all features."
        )
        return FittedRival(found, "Nearest neighbours", f"{words}{note}")
    best = fit_xgb_classifier(X, labels, plan=SHORT_PLAN, folds=folds)
    trials = count_words(SHORT_PLAN.n_trials, "setting")
    words = f"XGBoost by a short search over {trials}{among}; a full search takes longer and may be better."
    return FittedRival(best, "XGBoost", f"{words}{note}")


def _folds(
    study: Study, rows: NDArray[np.int64], labels: NDArray[np.str_], most: int
) -> tuple[tuple[Fold, ...] | None, str]:
    """Return folds of some training rows where there are groups or times to respect, and what to say of them."""
    known = CheckedTable.of(study).known.at(pd.Index(study.split.train).get_indexer(pd.Index(rows))).pooled(0)
    if not known:
        return None, ""
    try:
        return inner_folds(np.unique(labels, return_inverse=True)[1].astype(np.int64), most, 0, known), ""
    except NoFoldsError:
        return None, f" {known_words(known)} leave too few folds: it was chosen on rows drawn without regard to them."


def face_words(found: Surface, face: Face, class_name: str) -> str:
    """Say what a figure shows, for those who cannot see it and for file names."""
    what = {
        Face.PROBABILITY: f"Probability of {shown(class_name, 30)}",
        Face.CLASS: "Most probable class",
        Face.FAMILIARITY: "Familiarity",
    }[face]
    return f"{what} over {shown(found.x_axis.name, 40)} and {shown(found.y_axis.name, 40)}"


def best_words(found: Surface) -> str:
    """Say how the classes share the shown part of the cut.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> best_words(cut_surface(study, SurfaceCut("", "", None, None))).split(" on ")[0]
    'virginica is the most probable class'
    """
    counts = np.bincount(found.likeliest.ravel(), minlength=len(found.classes))
    first, *others = [k for k in np.argsort(-counts, kind="stable") if counts[k]]
    shares = [f"{shown(found.classes[k], 24)} on {percent(counts[k] / counts.sum())}" for k in others[:3]]
    if len(others) > 3:
        shares.append(f"{count_words(len(others) - 3, 'other class', 'other classes')} on the rest")
    most = f"{percent(counts[first] / counts.sum())} of" if others else "all of"
    said = f"{shown(found.classes[first], 24)} is the most probable class on {most} the area shown"
    return f"{', '.join([said, *shares])}."
