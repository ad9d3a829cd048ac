"""Kernels of one case split by feature, so that a change of a few of them costs no more than those few.

A kernel is a product of one factor per feature. With the factors of all values at hand, any combination of two changes
is a product of matrices, and no exponential has to be taken for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proset.engine.kernels.similarity import FloatArray, IntArray
from proset.engine.set_manager import SetManager
from proset.study.decision import DecisionRule

_TINY = 1e-300


class KernelTerms:
    """What each feature of a case adds to the exponents of all J prototypes.

    Parameters
    ----------
    manager : SetManager
        A fitted model of K classes.
    x : float64 array of shape (D,)
        The case.
    groups : sequence of F int64 arrays
        Matrix columns of the features that may count.

    Attributes
    ----------
    weights : float64 array of shape (J, K)
        Weight of each prototype in the column of its class.
    own : float64 array of shape (F, J)
        Terms of the case's own values, at least 0; their sum is minus the logarithm of a kernel.

    Examples
    --------
    >>> from proset.engine.set_manager import Batch
    >>> batch = Batch(np.array([0, 1]), np.ones(2, np.float32), np.zeros((1, 2)), np.array([1]),
    ...               np.ones(1, np.float32), np.array([0]))
    >>> terms = KernelTerms(SetManager([0.5, 0.5], 2, (batch,)), np.array([2.0, 1.0]), [np.array([0]), np.array([1])])
    >>> terms.own.tolist(), terms.of(0, np.array([[0.0], [4.0]])).tolist()
    ([[2.0], [0.5]], [[0.0], [8.0]])
    """

    def __init__(self, manager: SetManager, x: FloatArray, groups: Sequence[IntArray]) -> None:
        batches = [batch for batch in manager.batches if batch is not None and len(batch)]
        sizes = [len(batch) for batch in batches]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self.weights = np.zeros((int(starts[-1]), manager.num_classes))
        self._parts: list[list[tuple[slice, int, FloatArray]]] = [[] for _ in groups]
        self._scales: list[list[float]] = [[] for _ in groups]
        for start, batch in zip(starts, batches, strict=False):
            where = slice(int(start), int(start) + len(batch))
            self.weights[np.arange(where.start, where.stop), batch.target] = batch.weights
            place = {int(column): j for j, column in enumerate(batch.active_features)}
            for f, group in enumerate(groups):
                for g, column in enumerate(group.tolist()):
                    if column in place:
                        self._parts[f].append((where, g, batch.prototypes[:, place[column]].astype(np.float64)))
                        self._scales[f].append(float(batch.feature_weights[place[column]]))
        self.own = np.array([self.of(f, x[group][None])[0] for f, group in enumerate(groups)]).reshape(
            len(groups), len(self.weights)
        )

    def of(self, f: int, values: FloatArray) -> FloatArray:
        """Return the terms of some values of a feature.

        Parameters
        ----------
        f : int
            Its place.
        values : float64 array of shape (n, g)
            As the model sees them.

        Returns
        -------
        float64 array of shape (n, J)
        """
        found = np.zeros((len(values), len(self.weights)))
        for (where, g, prototypes), scale in zip(self._parts[f], self._scales[f], strict=True):
            found[:, where] += 0.5 * np.square(scale * (values[:, g, None] - prototypes))
        return found


@dataclass(frozen=True, eq=False)
class Aim:
    """Answer that is looked for: one of some classes is said, of a case that is familiar enough.

    Attributes
    ----------
    rule : DecisionRule
        Says a class.
    classes : int64 array
        Places of the classes of which one is to be said, at least one and not all.
    marginals : float64 array of shape (K,)
        What is added to the sums over prototypes.
    least : float
        Familiarity that is enough.

    Examples
    --------
    >>> aim = Aim(DecisionRule(), np.array([1]), np.array([0.5, 0.5]), 1.0)
    >>> [part.round(2).tolist() for part in aim.measure(np.array([[0.0, 2.0], [0.0, 0.5], [9.0, 0.0]]))]
    [[True, False, False], [0.69, -0.69, -2.94]]
    """

    rule: DecisionRule
    classes: IntArray
    marginals: FloatArray
    least: float

    def measure(self, sums: FloatArray) -> tuple[NDArray[np.bool_], FloatArray]:
        """Tell which cases are an answer, and by how much they are or are not.

        Parameters
        ----------
        sums : float64 array of shape (..., K)
            Impacts of the prototypes by class.

        Returns
        -------
        fits : bool array
        slack : float64 array
            The smaller of how far the class leads and of how familiar the case is beyond what is enough, as logarithms;
            where either is missing, the sum of what is missing.
        """
        lines = sums.reshape(-1, sums.shape[-1])
        familiarity = lines.sum(axis=1)
        shares = (lines + self.marginals) / (1.0 + familiarity)[:, None]
        familiar = np.log(np.maximum(familiarity, _TINY)) - np.log(max(self.least, _TINY)) if self.least > 0.0 else None
        leads = self._leads(shares)
        fits = np.isin(self.rule.choose(shares), self.classes)
        if familiar is None:
            return fits.reshape(sums.shape[:-1]), leads.reshape(sums.shape[:-1])
        enough = familiarity >= self.least
        missing = np.minimum(leads, 0.0) + np.minimum(familiar, 0.0)
        slack = np.where((leads >= 0.0) & (familiar >= 0.0), np.minimum(leads, familiar), missing)
        return (fits & enough).reshape(sums.shape[:-1]), slack.reshape(sums.shape[:-1])

    def _leads(self, shares: FloatArray) -> FloatArray:
        """Return by how much the best of the wanted classes leads all others, as a logarithm."""
        if self.rule.cutoff is not None:
            away = np.log(shares[:, 1] + _TINY) - np.log(self.rule.cutoff + _TINY)
            return away if 1 in self.classes else -away
        if self.rule.costs is not None:
            shares = 1.0 / (shares @ np.asarray(self.rule.costs, dtype=np.float64) + 1e-12)
        wanted = np.zeros(shares.shape[1], dtype=bool)
        wanted[self.classes] = True
        best, other = shares[:, wanted].max(axis=1), shares[:, ~wanted].max(axis=1)
        found: FloatArray = np.log(best + _TINY) - np.log(other + _TINY)
        return found
