"""Which features work together: what two of them change in the votes beyond what each changes alone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.notebook import Displayed
from proset.common.words import percent, rough, shown
from proset.engine.evidence.product_shapley import vote_interactions
from proset.explain.attribution.comparison import compare, place_of
from proset.explain.plain_values import AllPlain
from proset.explain.subject import Cases, Explained


@dataclass(frozen=True, eq=False)
class ShapleyInteractions(AllPlain, Displayed):
    """Interactions of pairs of features in the votes for cases, against one reference.

    The vote for a class is the sum of the impacts of its prototypes, in units in which the class shares are one vote in
    all: a probability is the share of a class, plus its vote, divided by one plus all votes.

    Attributes
    ----------
    values : float64 array of shape (n, Q, K)
        Shapley interaction index of each pair and class: how many votes two features change together beyond what each
        changes alone, on average over what the other features are. The features of a study are the columns of its
        table.
    pairs : tuple of (str, str)
        The Q pairs of the features in use, in the order of the features.
    votes : float64 array of shape (n, K)
        Votes for the cases.
    base_votes : float64 array of shape (K,)
        Votes for the reference.
    classes : tuple of str
        The K classes.
    index : Index of length n
        The cases.
    reference : object
        Row id, label or position of the reference; None for a point given by its values.
    """

    values: NDArray[np.float64]
    pairs: tuple[tuple[str, str], ...]
    votes: NDArray[np.float64]
    base_votes: NDArray[np.float64]
    classes: tuple[str, ...]
    index: pd.Index
    reference: Any

    def strength(self) -> pd.DataFrame:
        """Return the mean absolute interaction over the cases: index pairs, strongest first, one column per class."""
        mean = np.abs(self.values).mean(axis=0) if len(self.values) else np.zeros(self.values.shape[1:])
        frame = pd.DataFrame(mean, index=self._named_pairs(), columns=list(self.classes))
        return frame.iloc[np.argsort(-mean.sum(axis=1), kind="stable")]

    @property
    def words(self) -> str:
        """Which pair works together most, in a sentence, and how much that is."""
        if not self.pairs:
            return "There is no pair: the model uses fewer than two columns."
        if not len(self.values):
            return "There is no case in whose votes columns could work together."
        sizes = self.strength().sum(axis=1)
        if not sizes.any():
            return "No two columns change the votes of these cases together: each does what it does alone."
        first, other = (f"'{shown(name)}'" for name in sizes.index[0])
        if len(sizes) == 1:
            mean = rough(sizes.iloc[0])
            return (
                f"{first} and {other} are the only pair: on average they change the votes by {mean} more or less than "
                f"both alone; a case has {rough(self.votes.sum(axis=1).mean())} votes."
            )
        share, even = sizes.iloc[0] / sizes.sum(), 1.0 / len(sizes)
        return (
            f"{first} and {other} work together most: of all that pairs change in the votes, more or less than both "
            f"columns alone, {percent(share)} is theirs; evenly spread over {len(sizes):,} pairs it would be "
            f"{percent(even)}."
        )

    def of(self, case: object, label: object, against: object | None = None) -> pd.Series:
        """Return the interactions of one case in the vote for a class, or in its lead over another one.

        Parameters
        ----------
        case : object
            From :attr:`index`.
        label : object
            The class.
        against : object, optional
            Another class, whose votes are taken off.

        Returns
        -------
        Series
            Index: pairs, the largest first, whatever the sign; those of exactly 0 are left out.

        Raises
        ------
        ValueError
            If there is no such case or class.
        """
        places = np.flatnonzero(self.index == case)
        if not len(places):
            raise ValueError(f"The case '{shown(case)}' is not among those whose interactions are here.")
        own = self.values[int(places[0])].T
        votes = own[place_of(self.classes, label)] - (0.0 if against is None else own[place_of(self.classes, against)])
        order = np.argsort(-np.abs(votes), kind="stable")
        order = order[votes[order] != 0.0]
        return pd.Series(votes[order], index=self._named_pairs()[order], name="interaction", dtype="float64")

    def to_frame(self) -> pd.DataFrame:
        """Return one line per case and pair: ``feature``, ``other`` and one column per class; index the cases."""
        n, n_pairs = self.values.shape[:2]
        cells = self.values.reshape(n * n_pairs, len(self.classes))
        frame = pd.DataFrame(cells, index=self.index.repeat(n_pairs), columns=list(self.classes))
        names = pd.DataFrame(list(self.pairs) * n, index=frame.index, columns=["feature", "other"], dtype="str")
        return pd.concat([names, frame], axis=1)

    def _named_pairs(self) -> pd.MultiIndex:
        """Return the pairs as an index."""
        return pd.MultiIndex.from_tuples(list(self.pairs), names=["feature", "other"])


def shapley_interactions(
    explained: Explained, cases: Cases | None = None, reference: Any = None
) -> ShapleyInteractions:
    """Find how the features work together in the votes for cases, pair by pair, exactly.

    Parameters
    ----------
    cases, reference
        As for :func:`proset.explain.shap_values`.

    Raises
    ------
    ValueError
        If a model gets no reference.

    Notes
    -----
    The index is that of Grabisch and Roubens (1999). It is also the Shapley value of one feature where the other has
    the case's value, less its Shapley value where the other has the reference's.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> X = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]] * 5
    >>> model = ClassifierModel(lambda_v=1e-6, random_state=0).fit(X, list("aabb") * 5)
    >>> found = shapley_interactions(model, X[1:2], reference=X[0])
    >>> found.pairs, found.values.shape
    ((('x0', 'x1'),), (1, 1, 2))
    >>> bool(found.of(0, "a", "b").iloc[0] > 0.0)  # two changes lead back to "a", each alone leads away from it
    True
    """
    comparison = compare(explained, cases, reference)
    subject, factors, X = comparison.subject, comparison.factors, comparison.matrix.X
    active = subject.active
    pairs = list(combinations(active.tolist(), 2))
    place = np.zeros((len(subject.features), len(subject.features)), dtype=np.int64)
    place[tuple(np.array(pairs, dtype=np.int64).reshape(-1, 2).T)] = np.arange(len(pairs))
    values = np.zeros((len(X), len(pairs), len(subject.classes)))
    for game in comparison.games():
        first, second = (game.players[side] for side in np.triu_indices(len(game.players), 1))
        found = vote_interactions(game, factors.target, len(subject.classes))
        values[game.rows[:, None], place[first, second]] = found
    return ShapleyInteractions(
        values=values,
        pairs=tuple((subject.features[i], subject.features[j]) for i, j in pairs),
        votes=subject.manager.unnormalized(X) - factors.marginals,
        base_votes=subject.manager.unnormalized(comparison.point[None])[0] - factors.marginals,
        classes=subject.classes,
        index=comparison.matrix.index,
        reference=comparison.name,
    )
