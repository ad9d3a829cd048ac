"""Kernels of one case split by feature, so that a change of a few of them costs no more than those few.

A kernel is a product of one factor per feature. With the factors of all values at hand, any combination of two changes
is a product of matrices, and no exponential has to be taken for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proset.common.lazy import lazy_property
from proset.engine.kernels.similarity import FloatArray, IntArray
from proset.engine.set_manager import SetManager
from proset.study.decision import DecisionRule

_TINY = 1e-300


class KernelTerms:
    """Terms that each feature of a case adds to the exponents of all J prototypes.

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
    weights : float64 array of shape (J,)
        Weights of the prototypes, which are in the order of their classes.
    classes : tuple of K slices
        Where the prototypes of each class are.
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
        target = np.concatenate([np.zeros(0, dtype=np.int64), *(batch.target for batch in batches)])
        order = np.argsort(target, kind="stable")
        ends = np.cumsum(np.bincount(target, minlength=manager.num_classes)).tolist()
        self.classes = tuple(slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True))
        self.weights = np.concatenate([np.zeros(0), *(batch.weights for batch in batches)]).astype(np.float64)[order]
        self._parts: list[list[tuple[IntArray, int, float, FloatArray]]] = [[] for _ in groups]
        place, start = np.argsort(order, kind="stable"), 0
        for batch in batches:
            where, start = place[start : start + len(batch)], start + len(batch)
            used = {int(column): j for j, column in enumerate(batch.active_features)}
            for f, group in enumerate(groups):
                for g, column in enumerate(group.tolist()):
                    if column in used:
                        j = used[column]
                        part = (where, g, float(batch.feature_weights[j]), batch.prototypes[:, j].astype(np.float64))
                        self._parts[f].append(part)
        self.own = np.zeros((len(groups), len(self.weights)))
        for f, group in enumerate(groups):
            self.own[f] = self.of(f, x[group][None])[0]

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
        for where, g, scale, prototypes in self._parts[f]:
            found[:, where] += 0.5 * np.square(scale * (values[:, g, None] - prototypes))
        return found

    def sums(self, terms: FloatArray) -> FloatArray:
        """Return the impacts by class, shape (..., K), at exponents of shape (..., J)."""
        return self.products(np.exp(-terms)[..., None, :], np.ones((len(self.weights), 1)))[..., 0, 0, :]

    def products(self, one: FloatArray, other: FloatArray) -> FloatArray:
        """Return the impacts by class of every combination of two factors of the kernels.

        Parameters
        ----------
        one, other : float64 arrays of shape (..., n, J) and (..., J, m)
            The factors.

        Returns
        -------
        float64 array of shape (..., n, m, K)
        """
        weighted = one * self.weights
        return np.stack([weighted[..., part] @ other[..., part, :] for part in self.classes], axis=-1)


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
    >>> fits, slack = aim.measure(np.array([[0.0, 2.0], [0.0, 0.5], [9.0, 0.0]]))
    >>> fits.tolist(), slack.round(2).tolist()
    ([True, False, False], [0.69, -0.69, -2.94])
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
        fits = self._wanted[self.rule.choose(shares)]
        if familiar is None:
            return fits.reshape(sums.shape[:-1]), leads.reshape(sums.shape[:-1])
        enough = familiarity >= self.least
        missing = np.minimum(leads, 0.0) + np.minimum(familiar, 0.0)
        slack = np.where((leads >= 0.0) & (familiar >= 0.0), np.minimum(leads, familiar), missing)
        return (fits & enough).reshape(sums.shape[:-1]), slack.reshape(sums.shape[:-1])

    @lazy_property
    def _wanted(self) -> NDArray[np.bool_]:
        """Which classes are wanted, shape (K,)."""
        return np.isin(np.arange(len(self.marginals)), self.classes)

    def _leads(self, shares: FloatArray) -> FloatArray:
        """Return by how much the best of the wanted classes leads all others, as a logarithm."""
        if self.rule.cutoff is not None:
            away = np.log(shares[:, 1] + _TINY) - np.log(self.rule.cutoff + _TINY)
            return away if 1 in self.classes else -away
        if self.rule.costs is not None:
            shares = 1.0 / (shares @ np.asarray(self.rule.costs, dtype=np.float64) + 1e-12)
        best, other = shares[:, self._wanted].max(axis=1), shares[:, ~self._wanted].max(axis=1)
        found: FloatArray = np.log(best + _TINY) - np.log(other + _TINY)
        return found
