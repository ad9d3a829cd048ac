"""Surfaces of all systems over two features, beside each other on the same axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from proset.common.notebook import Displayed
from proset.common.spread import spread_out
from proset.compare.disputes import check_same
from proset.explain.maps.surfaces import Surface, surface

if TYPE_CHECKING:
    from proset.compare.result import Comparison
    from proset.study import Study

USUAL_SIZE = 60
MOST_CASES = 1_000
"""Measured rows that are drawn into a surface, at most: every system says something of each of them."""


@dataclass(frozen=True, eq=False)
class SideSurface(Displayed):
    """The surface of one system.

    Attributes
    ----------
    key, title : str
        The system.
    surface : Surface
        What it says, on the same axes and around the same point as all others.
    """

    key: str
    title: str
    surface: Surface


def side_surfaces(
    study: Study,
    comparison: Comparison,
    features: tuple[str | int | None, str | int | None] = (None, None),
    *,
    n_points: int = USUAL_SIZE,
    reference: Any = None,
) -> tuple[SideSurface, ...]:
    """Evaluate every system that has a model over the same two features.

    Parameters
    ----------
    features : (str, int or None, str, int or None)
        The two features; None for the heaviest of the study's own model.
    n_points : int
        Positions along an axis of numbers.
    reference : int, point or None
        What all other features are fixed at, see :func:`proset.explain.maps.surfaces.surface`.

    Returns
    -------
    tuple of SideSurface
        In the order of the plan, without the systems that failed.

    Raises
    ------
    ProsetError
        If there are no two features, or the comparison is of another study.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False))
    >>> [(side.key, side.surface.probabilities.shape) for side in side_surfaces(study, found, n_points=4)]
    [('proset', (4, 4, 3)), ('knn', (4, 4, 3))]
    """
    check_same(study, comparison)
    cases = spread_out(comparison.measured, MOST_CASES)
    found: list[SideSurface] = []
    for entry in comparison.fitted:
        shown = surface(study, cases, features=features, n_points=n_points, reference=reference, estimator=entry.model)
        found.append(SideSurface(entry.key, entry.title, shown))
    return tuple(found)
