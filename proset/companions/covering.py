"""Rows in the balls around prototypes: "986 of its class, 4 of others", for any list of prototypes.

The prototype vector machine chooses its prototypes by this; here the same is counted for the prototypes of every
system that knows a distance, in the order in which they are listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import ProsetError
from proset.companions.protocol import BoolArray, FloatArray, IntArray, PrototypeModel
from proset.companions.room import check_room


@dataclass(frozen=True, eq=False)
class CoverReport:
    """Numbers of rows in the ball of each prototype, the rows at a distance below `eps`.

    Attributes
    ----------
    eps : float
        Radius of all balls.
    own, other : ndarray of int64, shape (k,)
        Rows of its own class and of other classes in the ball of each prototype.
    new : ndarray of int64, shape (k,)
        Rows of its own class that no earlier prototype of that class covers.
    covered : ndarray of bool, shape (n,)
        Whether a row lies in some ball of its own class.
    wrong : ndarray of int64, shape (n,)
        Prototypes of other classes in whose balls a row lies.
    """

    eps: float
    own: IntArray
    other: IntArray
    new: IntArray
    covered: BoolArray
    wrong: IntArray

    @property
    def n_uncovered(self) -> int:
        """Number of rows that lie in no ball of their own class."""
        return int((~self.covered).sum())

    @property
    def objective(self) -> float:
        """The cost that a prototype vector machine keeps low, without its price per prototype."""
        return float(self.n_uncovered + self.wrong.sum())

    def words(self, prototype: int) -> str:
        """Say what one prototype covers.

        Examples
        --------
        >>> report = cover_report([[0.0], [0.4], [0.3], [5.0]], ["a", "a", "b", "a"], ["a"], 0.5)
        >>> report.words(0), report.n_uncovered
        ('covers 2 of its class, 1 of others', 2)
        """
        return f"covers {self.own[prototype]:,} of its class, {self.other[prototype]:,} of others"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per prototype: own, other, new."""
        return pd.DataFrame({"own": self.own, "other": self.other, "new": self.new})


def cover_report(distance: ArrayLike, y: ArrayLike, target: ArrayLike, eps: float) -> CoverReport:
    """Count what the balls of some prototypes cover.

    Parameters
    ----------
    distance : array-like of shape (n, k)
        Of each row to each prototype, in whatever distance the balls are meant.
    y : array-like of shape (n,)
        Class of each row.
    target : array-like of shape (k,)
        Class that each prototype speaks for.
    eps : float
        Radius; a row lies in a ball if it is nearer than that.

    Raises
    ------
    ProsetError
        If the radius is not above zero, a distance is missing, or the shapes do not fit.

    Examples
    --------
    >>> cover_report([[0.1, 0.2], [0.1, 2.0]], [0, 0], [0, 0], 1.0).to_frame().to_dict("list")
    {'own': [2, 1], 'other': [0, 0], 'new': [2, 0]}
    """
    apart, own_class, speaks_for = np.asarray(distance), np.asarray(y), np.asarray(target)
    if not eps > 0.0:
        raise ProsetError(f"eps is {eps!r}; it has to be a number above 0.")
    if apart.shape != (len(own_class), len(speaks_for)):
        raise ProsetError(
            f"The distances have the shape {apart.shape}, but there are {len(own_class)} rows and {len(speaks_for)} "
            "prototypes."
        )
    if np.isnan(apart).any():
        raise ProsetError("Some distances are missing.", hint="Balls need a distance of every row to every prototype.")
    inside = apart < eps
    same = own_class[:, None] == speaks_for[None, :]
    hits = inside & same
    first = hits.any(axis=1)
    # All prototypes that hit a row speak for its class, so the first to hit it is the one that newly covers it.
    new = (
        np.bincount(hits[first].argmax(axis=1), minlength=len(speaks_for)) if first.any() else np.zeros(apart.shape[1])
    )
    return CoverReport(
        eps=float(eps),
        own=hits.sum(axis=0).astype(np.int64),
        other=(inside & ~same).sum(axis=0).astype(np.int64),
        new=new.astype(np.int64),
        covered=first,
        wrong=(inside & ~same).sum(axis=1).astype(np.int64),
    )


def cover_of(model: PrototypeModel, X: ArrayLike, y: ArrayLike, eps: float | None = None) -> CoverReport:
    """Count what the prototypes of a fitted model cover, in the model's own distance.

    Parameters
    ----------
    model : PrototypeModel
        Fitted, with prototypes and a distance.
    X, y : array-like of shape (n, D) and (n,)
        Rows and their classes.
    eps : float or None, default=None
        Radius. None: the model's own `eps_` if it has one, else :func:`typical_eps`.

    Raises
    ------
    NotOfferedError
        If the model has no prototypes or no distance.

    Examples
    --------
    >>> from proset.companions.adapters import KnnPrototypes
    >>> X, y = np.array([[0.0], [0.1], [1.0], [1.1]]), ["a", "a", "b", "b"]
    >>> cover_of(KnnPrototypes(n_neighbors=1, standardize=False).fit(X, y), X, y, eps=0.5).words(0)
    'covers 2 of its class, 0 of others'
    """
    table = model.prototypes()
    labels = np.asarray(y)
    check_room(len(labels), len(table))
    if not len(table):
        return cover_report(np.empty((len(labels), 0)), labels, table.target, eps or 1.0)
    apart = model.distance(X, table.X)
    if eps is None:
        eps = getattr(model, "eps_", None) or typical_eps(apart, labels, table.target)
    return cover_report(apart, labels, table.target, float(eps))


def typical_eps(distance: FloatArray, y: NDArray[Any], labels: NDArray[Any]) -> float:
    """Return the radius within which half of the rows have a prototype of their own class.

    Parameters
    ----------
    distance, y, labels
        As for :func:`cover_report`.

    Returns
    -------
    float
        Median over the rows of the distance to the nearest prototype of their own class that is not at the very same
        place; 1 if there is none.

    Examples
    --------
    >>> typical_eps(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array(list("aaaa")), np.array(["a"]))
    2.0
    """
    # A prototype covers itself at every radius: it says nothing about how wide the balls have to be.
    apart = np.where((y[:, None] == labels[None, :]) & (distance > 0.0), distance, np.inf)
    nearest = apart.min(axis=1, initial=np.inf)
    finite = nearest[np.isfinite(nearest)]
    return float(np.median(finite)) if len(finite) else 1.0
