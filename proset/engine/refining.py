"""Refine a model after its last batch, beyond the report: all prototype weights at once, and fewer prototypes.

Each batch is solved with those before it fixed (section 2.1). The *correction* solves for the prototype weights of all
batches together, as fully corrective boosting does. *Thinning* takes out prototypes whose absence changes least, and
solves again for the weights of the others. Feature weights stay as they are, and no row votes for itself.

Both look at how well estimates agree with an aim: the estimates of the model as it was grown, mixed with the targets of
the training rows. The former alone keeps what the model says (a projection, as in projection predictive selection: the
mean Kullback-Leibler divergence is by how much the log-loss rises if the model is right); the latter alone fits anew,
which small noisy tables do not bear. The folds of a search decide on the mixture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count

import numpy as np

from proset.common.words import count_words
from proset.engine.ballots import AnyVotes, Ballot, VotesAim
from proset.engine.density_sets import DensityManager
from proset.engine.density_votes import DensityVotes
from proset.engine.fitting import TrainingData
from proset.engine.set_manager import Batch, FloatArray, IntArray, SetManager
from proset.engine.solver import minimize_nonnegative
from proset.engine.votes import MOST_ENTRIES, Votes

SHARE_OUT = 0.15  # of the prototypes leave in one step, as long as that gives up little
CORRECTION_STEPS, THINNING_STEPS = 60, 15  # iterations; where thinning begins, weights are near their minimum already
REFINE_STREAM = 1  # of a fit's seed, apart from those of its batches
_VISIBLE = 0.0005  # less reads as 0.000

OnEvaluation = Callable[[int, float], None]


def _votes(manager: SetManager, data: TrainingData, rng: np.random.Generator, most_entries: int) -> AnyVotes:
    """Compare training rows with the prototypes of a model."""
    if isinstance(manager, DensityManager):
        return DensityVotes.of(manager, data, rng, most_entries)
    return Votes.of(manager, data, rng, most_entries)


@dataclass(frozen=True)
class Refinement:
    """Result of refining a model.

    Attributes
    ----------
    correction, thinning : float
        What was asked for, see :func:`refine`.
    n_before, n_after : int
        Prototypes before and after.
    given_up : float
        Rise of the mean disagreement with the aim by thinning, in nats.
    known : float
        The same for the marginal probabilities or density: all that there was to give up.
    of_number : bool
        Whether the model is of a number.
    """

    correction: float
    thinning: float
    n_before: int
    n_after: int
    given_up: float
    known: float
    of_number: bool = False

    @property
    def message(self) -> str:
        """Sentences on what was done, for people.

        Examples
        --------
        >>> print(Refinement(0.5, 0.01, n_before=91, n_after=34, given_up=0.004, known=0.5).message)
        The weights of all prototypes were fitted together once more (correction 0.5). 34 of 91 prototypes are left, which costs about 0.004 in log-loss on training rows.
        """  # noqa: E501  # one message is one line
        parts = []
        if self.correction:
            how = f"(correction {self.correction:g})"
            parts.append(f"The weights of all prototypes were fitted together once more {how}.")
        if self.n_after < self.n_before:
            price = f"about {self.given_up:.3f}" if self.given_up >= _VISIBLE else "next to nothing"
            left = f"{self.n_after:,} of {count_words(self.n_before, 'prototype')}"
            left += " is" if self.n_after == 1 else " are"
            score = "log score" if self.of_number else "log-loss"
            parts.append(f"{left} left, which costs {price} in {score} on training rows.")
        return " ".join(parts) or "Refining the model changed nothing."


def refine(
    manager: SetManager,
    data: TrainingData,
    rng: np.random.Generator,
    *,
    correction: float = 0.0,
    thinning: float = 0.0,
    most: int | None = None,
    on_evaluation: OnEvaluation | None = None,
) -> tuple[SetManager, Refinement]:
    """Solve for all prototype weights at once, then take prototypes out.

    Parameters
    ----------
    manager : SetManager
        The model as it was grown.
    data : TrainingData
        What it was grown on. Of many rows as many are drawn as keep the similarities in some 32 MiB.
    rng : numpy.random.Generator
        Draws the rows.
    correction : float
        Share of the targets in the aim, in [0, 1]; the rest are the estimates of the model. With 0 nothing is
        corrected.
    thinning : float
        Share of what the model knows that may be given up for fewer prototypes, in [0, 1); 0 leaves all.
    most : int or None
        Prototypes that may be left, at least 1, whatever that gives up; None does not bind.
    on_evaluation : callable or None
        Called with the number of evaluations and the latest disagreement; raising from it ends the work.

    Returns
    -------
    manager : SetManager
        The refined model; a batch that has no prototype left is empty. What was given, if nothing changed.
    result : Refinement

    Examples
    --------
    >>> from proset.engine.model import ClassifierModel
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = ClassifierModel(lambda_v=1e-2, random_state=0).fit(X, X[:, 0] > 0)
    >>> data = TrainingData(X, (X[:, 0] > 0).astype(np.int64), np.ones(200), np.arange(200))
    >>> small, found = refine(model.set_manager_, data, np.random.default_rng(0), thinning=0.01)
    >>> found.n_after == small.get_num_prototypes() < found.n_before, found.given_up <= 0.01 * found.known
    (True, True)
    """
    (found,) = refinements(
        manager,
        data,
        rng,
        corrections=(correction,),
        thinnings=(thinning,),
        most=most,
        on_evaluation=on_evaluation,
    )
    return found


def refinements(
    manager: SetManager,
    data: TrainingData,
    rng: np.random.Generator,
    *,
    corrections: Sequence[float],
    thinnings: Sequence[float],
    most: int | None = None,
    most_entries: int = MOST_ENTRIES,
    on_evaluation: OnEvaluation | None = None,
) -> Iterator[tuple[SetManager, Refinement]]:
    """Do what :func:`refine` does for several corrections, each with several ascending values of `thinning`.

    `most_entries` bounds the similarities that are held at once, and so the rows.

    Yields
    ------
    (SetManager, Refinement)
        All values of `thinning` for one correction, then for the next.

    Examples
    --------
    >>> data = TrainingData(np.zeros((4, 1)), np.array([0, 0, 1, 1]), np.ones(4), np.arange(4))
    >>> empty, rng = SetManager([0.5, 0.5], 1), np.random.default_rng(0)
    >>> found = refinements(empty, data, rng, corrections=(0.0, 1.0), thinnings=(0.0, 0.1))
    >>> [(one.correction, one.thinning, one.n_after) for _, one in found]
    [(0.0, 0.0, 0), (0.0, 0.1, 0), (1.0, 0.0, 0), (1.0, 0.1, 0)]
    """
    n_before = manager.get_num_prototypes()
    votes = _votes(manager, data, rng, most_entries) if n_before else None
    of_number = isinstance(manager, DensityManager)
    evaluations = count(1)

    def tell(value: float) -> None:
        if on_evaluation is not None:
            on_evaluation(next(evaluations), value)

    for correction in corrections:
        if votes is None:
            yield from ((manager, Refinement(correction, share, 0, 0, 0.0, 0.0, of_number)) for share in thinnings)
            continue
        aim = votes.aim(correction)
        base = _Selection(votes, aim, np.arange(n_before), votes.weights)
        base = base.solved(base.kept, base.weights, CORRECTION_STEPS, tell) if correction else base
        known, found = aim.of_marginals() - base.disagreement, base
        for share in thinnings:
            allowed = base.disagreement + share * known if share else -np.inf
            found = _fewest(found, allowed, most, tell)
            given_up = max(found.disagreement - base.disagreement, 0.0)
            weights = votes.in_order(found.kept, found.weights)
            refined = _with_weights(manager, weights) if correction or len(found.kept) < n_before else manager
            n_after = refined.get_num_prototypes()
            yield refined, Refinement(correction, share, n_before, n_after, given_up, known, of_number)


@dataclass(frozen=True, eq=False)
class _Selection:
    """Some of the prototypes, by ascending column, with positive weights of their own."""

    votes: AnyVotes
    aim: VotesAim
    kept: IntArray
    weights: FloatArray

    @cached_property
    def ballot(self) -> Ballot:
        """Votes of those that are kept."""
        return self.votes.ballot(self.kept, self.aim)

    @cached_property
    def sums(self) -> FloatArray:
        """Sums of their votes and the marginals, in a form that the aim knows."""
        return self.ballot.sums(self.weights)

    @cached_property
    def disagreement(self) -> float:
        """Disagreement with the aim."""
        return self.aim.disagreement(self.sums)

    @cached_property
    def losses(self) -> FloatArray:
        """Rise of the disagreement for each prototype that alone is taken out: exact, shape (j,)."""
        return self.ballot.losses(self.weights, self.sums)

    def without(self, n: int, tell: Callable[[float], None]) -> _Selection:
        """Take out the `n` that are missed least, and solve for the weights of the others again."""
        left = np.sort(np.argsort(self.losses, kind="stable")[n:])
        return self.solved(self.kept[left], self.weights[left], THINNING_STEPS, tell)

    def solved(self, kept: IntArray, start: FloatArray, steps: int, tell: Callable[[float], None]) -> _Selection:
        """Solve for the weights of some prototypes; those that come out as 0 are not kept."""
        if not kept.shape[0]:
            return replace(self, kept=kept, weights=start)
        part, unit, net = replace(self, kept=kept, weights=start), float(start.mean()), self.aim.penalty
        agrees = part.ballot.agreement()

        def evaluate(scaled: FloatArray) -> tuple[float, FloatArray]:
            (value, slope), (of_net, by_net) = agrees(scaled * unit), net.both(scaled * unit)
            tell(value + of_net)
            return value + of_net, unit * (slope + by_net)

        found = minimize_nonnegative(evaluate, start / unit, factr=1e9, max_iterations=steps).x * unit
        positive = np.flatnonzero(found.astype(np.float32) > 0.0)
        return replace(self, kept=kept[positive], weights=found[positive])


def _fewest(start: _Selection, allowed: float, most: int | None, tell: Callable[[float], None]) -> _Selection:
    """Go on while the disagreement stays within `allowed`, and in any case until no more than `most` are left."""
    found, share = start, SHARE_OUT
    while n_left := found.kept.shape[0]:
        too_many = 0 if most is None else max(n_left - most, 0)
        if allowed == -np.inf and not too_many:
            break
        n_out = max(1, int(share * n_left))
        trial = found.without(n_out, tell)
        if trial.disagreement > allowed:
            if too_many:
                trial = trial if n_out <= too_many else found.without(too_many, tell)
            elif n_out == 1:
                break
            else:
                share /= 2.0
                continue
        found = trial
    return found


def _with_weights(manager: SetManager, weights: FloatArray) -> SetManager:
    """Return the model with other weights of its prototypes, batch after batch; those of weight 0 are left out."""
    batches: list[Batch | None] = []
    start = 0
    for batch in manager.batches:
        if batch is None:
            batches.append(None)
            continue
        own = weights[start : start + len(batch)].astype(np.float32)
        start += len(batch)
        kept = np.flatnonzero(own > 0.0)
        batches.append(replace(batch.taken(kept), weights=own[kept]) if kept.shape[0] else None)
    return manager.with_batches(tuple(batches))
