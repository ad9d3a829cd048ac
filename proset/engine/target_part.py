"""All in which models of a class and of a number differ while they grow: one object that travels with the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from proset.engine.candidates import correctly_classified
from proset.engine.objective.penalty import ElasticNet
from proset.engine.objective.problem import BatchProblem, make_problem
from proset.engine.set_manager import BoolArray, FloatArray, IntArray, SetManager


class TargetPart(Protocol):
    """The target's part of growing a model.

    Growth, draws, working set, solver, clean-up and set manager know the target through this and through the problem
    that it makes. `target` are strata: classes, or parts of the range of a number.
    """

    cost: ClassVar[int]
    """About what a pair of a row and a candidate takes in the objective, in units of that of a class."""

    def marginal_model(self, target: IntArray, weight: FloatArray, n_features: int) -> SetManager:
        """Return the model without batches."""
        ...

    def before(
        self, manager: SetManager, X: NDArray[np.floating], target: IntArray, rows: IntArray
    ) -> tuple[FloatArray, BoolArray]:
        """Return what the earlier batches say of training rows, in a form of its own, and which they explain well."""
        ...

    def problem(
        self,
        X: NDArray[np.floating],
        target: IntArray,
        sample_weight: FloatArray,
        prior: FloatArray,
        rows: IntArray,
        *,
        candidates: IntArray,
        reference: IntArray,
        penalties: Mapping[str, ElasticNet],
        first: bool,
    ) -> BatchProblem:
        """Arrange training rows as a batch problem; `candidates` and `reference` are positions among `rows`."""
        ...


@dataclass(frozen=True)
class ClassIndicator:
    """The part of a class: prototypes vote for theirs (2.6).

    Examples
    --------
    >>> CLASS_INDICATOR.marginal_model(np.array([0, 0, 1]), np.array([1.0, 1.0, 2.0]), 1).marginals.tolist()
    [0.5, 0.5]
    """

    cost: ClassVar[int] = 1

    def marginal_model(self, target: IntArray, weight: FloatArray, n_features: int) -> SetManager:
        """Return the marginal probabilities (2.2), weighted as remark 2.2 has it."""
        total = np.bincount(target, weights=weight)
        return SetManager(total / total.sum(), n_features)

    def before(
        self, manager: SetManager, X: NDArray[np.floating], target: IntArray, rows: IntArray
    ) -> tuple[FloatArray, BoolArray]:
        """Return unnormalised probabilities (2.5), shape (n, K), and which rows are classified correctly."""
        prior = manager.unnormalized(X)
        probabilities = prior / prior.sum(axis=1, keepdims=True)
        return prior, correctly_classified(probabilities, target)

    def problem(
        self,
        X: NDArray[np.floating],
        target: IntArray,
        sample_weight: FloatArray,
        prior: FloatArray,
        rows: IntArray,
        *,
        candidates: IntArray,
        reference: IntArray,
        penalties: Mapping[str, ElasticNet],
        first: bool,
    ) -> BatchProblem:
        """Return the problem of (2.8)."""
        return make_problem(
            X,
            target,
            sample_weight,
            prior,
            candidates=candidates,
            reference=reference,
            penalty_v=penalties["penalty_v"],
            penalty_w=penalties["penalty_w"],
            first=first,
        )


CLASS_INDICATOR = ClassIndicator()
