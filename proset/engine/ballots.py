"""Votes of prototypes on training rows as refining a model knows them, whatever its target is."""

from __future__ import annotations

from typing import Any, Protocol

from proset.engine.objective.penalty import ElasticNet
from proset.engine.set_manager import FloatArray, IntArray
from proset.engine.votes import Evaluate


class VotesAim(Protocol):
    """Estimates as they should be."""

    @property
    def penalty(self) -> ElasticNet:
        """On prototype weights."""
        ...

    def disagreement(self, sums: FloatArray) -> float:
        """Return how far sums of votes are from it, in nats, without the penalty."""
        ...

    def of_marginals(self) -> float:
        """Return the disagreement of a model without prototypes."""
        ...


class Ballot(Protocol):
    """Votes of some prototypes, beside an aim."""

    def sums(self, weights: FloatArray) -> FloatArray:
        """Return what the votes add up to."""
        ...

    def losses(self, weights: FloatArray, sums: FloatArray) -> FloatArray:
        """Return the rise of the disagreement for each prototype that alone is taken out: exact, shape (j,)."""
        ...

    def agreement(self) -> Evaluate:
        """Return a function from weights to the disagreement and its derivatives."""
        ...


class AnyVotes(Protocol):
    """Votes of all prototypes on training rows: for classes, or for a number."""

    @property
    def weights(self) -> FloatArray:
        """Weights of the prototypes as the model was grown, shape (J,)."""
        ...

    def aim(self, correction: float) -> VotesAim:
        """Return what estimates should be: those of the model, mixed with the targets."""
        ...

    def ballot(self, kept: IntArray, aim: Any) -> Ballot:
        """Return the votes of some prototypes beside an aim of these votes."""
        ...

    def in_order(self, kept: IntArray, weights: FloatArray) -> FloatArray:
        """Return weights batch after batch, 0 for what is not kept, shape (J,)."""
        ...
