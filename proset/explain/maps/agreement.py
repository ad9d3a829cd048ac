"""Agreement of a map with the model: cases that lie together should get the same estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

from proset.common.notebook import Displayed
from proset.common.words import percent
from proset.explain.maps.map import BatchMap
from proset.explain.plain_values import plain_fields

NEIGHBOURS = 10
FAILS_BELOW = 0.2
"""Below this share of what is possible beyond chance, places on a map say hardly anything about estimates. Of the
bundled tables, noise with six features that matter together has 0.02, ten digits 0.44, all others more than 0.6."""
MOST_ROWS = 4_000
_SEED = 0


@dataclass(frozen=True)
class MapAgreement(Displayed):
    """Share of cases that lie together on a map and get the same estimate.

    Attributes
    ----------
    share : float
        Share of neighbours on the map with the same predicted class, in [0, 1].
    chance : float
        The same share for cases picked at random.
    n_rows : int
        Number of cases it was measured on; a sample of very many.
    """

    share: float
    chance: float
    n_rows: int

    @property
    def beyond_chance(self) -> float:
        """Agreement beyond chance, as a share of what is possible: 1 if neighbours always agree, 0 for chance."""
        return (self.share - self.chance) / (1.0 - self.chance) if self.chance < 1.0 else 1.0

    @property
    def fails(self) -> bool:
        """True if places on the map say hardly anything about estimates."""
        return self.beyond_chance < FAILS_BELOW

    @property
    def words(self) -> str:
        """Say that places on the map mean hardly anything, with the numbers; empty if they mean something."""
        if not self.fails:
            return ""
        return (
            "This map says hardly anything: cases that lie together on it get the same estimate in "
            f"{percent(self.share)} of all pairs, cases picked at random in {percent(self.chance)}. "
            "The model needs directions that the map leaves out."
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the numbers as a frame of one line."""
        return pd.DataFrame([self.to_dict()])

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python values."""
        return plain_fields(self, "share", "chance", "beyond_chance", "n_rows", "fails")


def map_agreement(mapping: BatchMap) -> MapAgreement | None:
    """Measure how often the ten nearest cases on a map have the same predicted class.

    Returns
    -------
    MapAgreement or None
        None if there are fewer than two cases to compare.

    Examples
    --------
    >>> from proset.explain.maps.map import batch_map
    >>> from proset.study import fit_sample
    >>> found = map_agreement(batch_map(fit_sample("iris_2f")))
    >>> found.fails, found.n_rows
    (False, 150)
    """
    points = mapping.points
    if len(points) < 2 or mapping.plane is None:
        return None
    if len(points) > MOST_ROWS:
        chosen = np.random.default_rng(_SEED).choice(len(points), MOST_ROWS, replace=False)
        points = points.iloc[np.sort(chosen)]
    spots = points[["x", "y"]].to_numpy() * [1.0, mapping.plane.ratio]
    codes = pd.factorize(points["predicted"])[0]
    _, nearest = cKDTree(spots).query(spots, k=min(NEIGHBOURS + 1, len(points)))
    # A case is not its own neighbour; where many lie on one spot, it need not come first.
    own = nearest == np.arange(len(points))[:, np.newaxis]
    same = (codes[nearest] == codes[:, np.newaxis]) & ~own
    n = len(points)
    chance = float(sum(count * (count - 1) for count in np.bincount(codes).tolist())) / (n * (n - 1))
    return MapAgreement(float(same.sum() / (~own).sum()), chance, n)
