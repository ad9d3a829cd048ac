"""Which rows a figure draws when there are too many for a browser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.words import count_words

Part = Literal["train", "held_out", "all"]


@dataclass(frozen=True)
class DrawnPoints:
    """Which rows of a map are drawn.

    Attributes
    ----------
    rows : DataFrame
        The drawn part of ``BatchMap.points``.
    n_rows : int
        Number of rows before the limit.
    n_wrong, n_wrong_drawn : int
        Number of misclassified rows among all and among the drawn ones.
    """

    rows: pd.DataFrame
    n_rows: int
    n_wrong: int
    n_wrong_drawn: int

    @property
    def thinned(self) -> bool:
        """True if there are more rows than are drawn."""
        return len(self.rows) < self.n_rows

    @property
    def note(self) -> str | None:
        """Note for the reader if not every row is drawn, else None."""
        if not self.thinned:
            return None
        drawn = f"{len(self.rows):,} of {count_words(self.n_rows, 'row')} are drawn"
        if self.n_wrong == 0:
            return f"{drawn}, a sample that keeps the share of each class."
        if self.n_wrong_drawn < self.n_wrong:
            wrong = f"{self.n_wrong_drawn:,} of the {self.n_wrong:,} misclassified ones"
        else:
            wrong = "the misclassified one" if self.n_wrong == 1 else f"all {self.n_wrong:,} misclassified ones"
        return f"{drawn}: {wrong} and a sample of the others, with the shares of their classes."


def choose_points(
    points: pd.DataFrame,
    *,
    part: Part = "all",
    always: int | None = None,
    limit: int = 5_000,
    most_wrong: int = 500,
    random_state: int = 0,
) -> DrawnPoints:
    """Choose the rows to draw: all if they fit, else a seeded sample of the misclassified and one of the others.

    Parameters
    ----------
    points : DataFrame
        ``BatchMap.points``.
    part : {"all", "train", "held_out"}, default "all"
        Which rows to draw.
    always : int, optional
        A row id that is drawn in any case if it belongs to the part.
    limit : int, default 5000
        Largest number of rows drawn.
    most_wrong : int, default 500
        Largest number of misclassified rows among them, as long as there are others: more rings than that hide what
        they are drawn on.
    random_state : int, default 0
        Draws the sample; the same number draws the same rows.

    Returns
    -------
    DrawnPoints
        The rows in their former order and how many there were.

    Examples
    --------
    >>> points = pd.DataFrame({"part": "train", "actual": ["a", "b"] * 50, "correct": [False] + [True] * 99})
    >>> chosen = choose_points(points, limit=10)
    >>> len(chosen.rows), chosen.n_rows, 0 in chosen.rows.index, chosen.rows["actual"].value_counts().to_dict()
    (10, 100, True, {'a': 5, 'b': 5})
    """
    rows = points if part == "all" else points[points["part"] == part]
    wrong = is_wrong(rows)
    n_wrong = int(wrong.sum())
    if len(rows) <= limit:
        return DrawnPoints(rows, len(rows), n_wrong, n_wrong)
    random = np.random.default_rng(random_state)
    kept = np.zeros(len(rows), dtype=bool) if always is None else np.asarray(rows.index == always)
    for candidates, room in ((wrong, max(most_wrong, limit - (len(rows) - n_wrong))), (~wrong, limit)):
        fresh = np.flatnonzero(candidates & ~kept)
        kept[_stratified(rows["actual"].iloc[fresh], fresh, min(room, limit - int(kept.sum())), random)] = True
    return DrawnPoints(rows[kept], len(rows), n_wrong, int(wrong[kept].sum()))


def is_wrong(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Tell which rows are misclassified; rows without a label are not.

    Parameters
    ----------
    rows : DataFrame
        Has a column ``correct``: true, false or missing.

    Returns
    -------
    bool array of shape (n,)
        True where a row has a label and the model says otherwise.

    Examples
    --------
    >>> is_wrong(pd.DataFrame({"correct": pd.array([True, False, None], dtype="boolean")})).tolist()
    [False, True, False]
    """
    return rows["correct"].astype("boolean").eq(False).fillna(False).to_numpy(dtype=bool)


def _stratified(labels: pd.Series, positions: NDArray[np.intp], size: int, random: np.random.Generator) -> np.ndarray:
    """Draw ``size`` of the positions without replacement, each class in proportion; all if there are no more."""
    if len(positions) <= size:
        return positions
    # Shuffled ranks within each class, divided by the class size: the smallest ones are an even share of every class.
    order = random.permutation(len(positions))
    group = pd.factorize(labels, use_na_sentinel=False)[0][order]
    rank = pd.Series(group).groupby(group).cumcount().to_numpy()
    count = np.bincount(group)[group]
    return positions[order[np.argsort((rank + 0.5) / count, kind="stable")[:size]]]
