"""Record of a joint search: results so far, tasks left, and the choice by the rule or by a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from proset.common.checked_json import StateReader
from proset.common.errors import StudyError
from proset.selection.joint_plan import JointPlan
from proset.selection.joint_rules import (
    PATIENCE,
    ChosenRefinement,
    Curve,
    JoinedModel,
    JointPick,
    Point,
    go_on,
    model_size,
    not_worse,
    pick,
    pick_joined,
    pick_refinement,
)
from proset.selection.scale_choice import ChosenScale, choose_scale
from proset.selection.scores import FoldScores
from proset.selection.tasks import Score, curve_ended

_SIZES = ("n_features", "n_prototypes")
_PARTS = ("refined", "joined", "scaled")  # of a state, where there is anything of it

Todo = tuple[int, int, int | None]
"""A fold, a pair of penalties, and the number of batches to go to; None as far as it pays."""


@dataclass(frozen=True, eq=False)
class JointRecord:
    """A joint search, finished or under way.

    Every pair of penalties is tried on the first folds, and its curve over the number of batches ends where more
    batches no longer help. The best pairs go on to the next fold, and those not clearly worse by then to the rest.

    Attributes
    ----------
    plan : JointPlan
        What was to be tried.
    fingerprint : str
        Hash of data and settings; a record only goes on with the same.
    n_rows : int
        Rows that the search learns from, all folds together.
    curves : mapping of int to tuple of FoldScores
        By number of the pair in ``plan.pairs()``, then by ``plan.weight_factors``: one row per number of batches from
        0, one column per fold.
    refined : FoldScores or None
        What the rule's choice comes to with each of ``plan.refinements()``, one row each; None as long as nothing is
        known of it.
    joined : FoldScores or None
        The same for the joined votes of several fits like it; None where the plan joins nothing.
    scaled : FoldScores or None
        What each of ``plan.scales`` comes to, one row each; None where no scale is chosen.
    choice : (int, int) or None
        A person's pair and number of batches; None leaves the choice to the rule.
    joins : bool
        A person has chosen the joined model.
    """

    plan: JointPlan
    fingerprint: str
    n_rows: int
    curves: Mapping[int, tuple[FoldScores, ...]] = field(default_factory=dict)
    refined: FoldScores | None = None
    joined: FoldScores | None = None
    choice: Point | None = None
    joins: bool = False
    scaled: FoldScores | None = None

    # --- what is left -------------------------------------------------------------------------------------------------
    def to_do(self) -> tuple[Todo, ...]:
        """Return what is left of the round that the search is in; empty when all is done, or a person has chosen."""
        if self.choice is not None:
            return ()
        for number, folds in enumerate(self._rounds):
            left = [
                (fold, pair, self.length(pair) if number else None)
                for fold in folds
                for pair in self._alive(number)
                if not self._done(pair, fold)
            ]
            if left:
                return tuple(left)
        return ()

    def to_scale(self) -> tuple[tuple[int, int], ...]:
        """Return the scales, by number, and the folds on which they have still to be tried, before all else."""
        if self.choice is not None or self.curves or not self.plan.scales:
            return ()
        done = None if self.scaled is None else self.scaled.done
        every = [(number, fold) for fold in range(self.plan.n_folds) for number in range(len(self.plan.scales))]
        return tuple(place for place in every if done is None or not done[place])

    def to_refine(self) -> tuple[int, ...]:
        """Return the folds on which the rule's choice has still to be refined, once all curves are done."""
        if self.choice is not None or not self.plan.refines or self.to_do() or not self.found.chosen[1]:
            return ()
        return tuple(fold for fold in range(self.plan.n_folds) if not self._refined_on(fold))

    @property
    def complete(self) -> bool:
        """True if nothing is left to do."""
        return not self.to_do() and not self.to_refine()

    def reached(self) -> tuple[int, int, int]:
        """Return how far the search is: the round from 1, the curves that are done, and all that are known of."""
        done = sum(self._done(pair, fold) for pair in self.curves for fold in range(self.plan.n_folds))
        number = next((n for n in range(len(self._rounds)) if not self._round_done(n)), len(self._rounds) - 1)
        total = 0
        for n, folds in enumerate(self._rounds):
            n_pairs = len(self._alive(n)) if n <= number else min(self.plan.n_keep, self.plan.n_pairs)
            total += n_pairs * len(folds)
        if self.plan.refines:
            done += sum(self._refined_on(fold) for fold in range(self.plan.n_folds))
            total += self.plan.n_folds
        if self.scaled is not None:
            done += int(self.scaled.done.sum())
            total += self.scaled.done.size
        return number + 1, done, total

    @property
    def n_fits(self) -> int:
        """Fits that are done."""
        return sum(int(scores[0].done[1:].sum()) for scores in self.curves.values())

    def length(self, pair: int) -> int:
        """Return the number of batches that the curve of a pair goes to: the fewest over the first folds."""
        return self._length_on(pair, self._rounds[0])

    @property
    def n_stopped_early(self) -> int:
        """Fits that are known not to have converged."""
        return sum(int(scores[0].stopped_early.sum()) for scores in self.curves.values())

    # --- what was found -----------------------------------------------------------------------------------------------
    @property
    def tried(self) -> tuple[int, ...]:
        """Pairs that were tried on all folds."""
        folds = range(self.plan.n_folds)
        return tuple(sorted(pair for pair in self.curves if all(self._done(pair, fold) for fold in folds)))

    @cached_property
    def found(self) -> JointPick:
        """The choice of the rule; of a search that is under way, the best so far.

        Raises
        ------
        StudyError
            If no curve is done on any fold.
        """
        if self.tried and (self.choice is not None or not self.to_do()):
            return pick({pair: self._curve(pair, range(self.plan.n_folds)) for pair in self.tried}, self.plan.rule)
        folds = self._common_folds()
        pairs = [pair for pair in self.curves if folds and all(self._done(pair, fold) for fold in folds)]
        if not pairs:
            raise StudyError("The search has not finished anything yet.", hint="Let it go on for a moment.")
        if len(folds) > 1:
            return pick({pair: self._curve(pair, folds) for pair in pairs}, self.plan.rule)
        curves = {pair: self._curve(pair, folds) for pair in pairs}
        best = min(curves, key=lambda pair: float(curves[pair].mean.min()))
        point = (best, int(curves[best].mean.argmin()))
        return JointPick(point, point, point)

    @property
    def can_be_taken(self) -> bool:
        """True if there is a best so far."""
        return bool(self._common_folds())

    @property
    def chosen(self) -> Point:
        """Pair and number of batches to fit with: a person's choice, else the rule's."""
        return self.found.chosen if self.choice is None else self.choice

    @property
    def by_hand(self) -> bool:
        """True if a person has chosen."""
        return self.choice is not None or self.joins

    @property
    def unfinished(self) -> bool:
        """True if a person has chosen before the search had come to its end."""
        return self.by_hand and bool(replace(self, choice=None).to_do())

    @property
    def chosen_penalties(self) -> tuple[float, float]:
        """``lambda_v`` and ``lambda_w`` to fit with."""
        return self.plan.pairs()[self.chosen[0]]

    @property
    def chosen_batches(self) -> int:
        """Number of batches to fit."""
        return self.chosen[1]

    @property
    def chosen_factor(self) -> float:
        """``weight_factor`` to fit with: the best over the folds for what is chosen."""
        pair, batches = self.chosen
        on = np.flatnonzero(self.curves[pair][0].done[batches])
        return self.plan.weight_factors[self._best_factors(pair, on)[batches]]

    @cached_property
    def scale(self) -> ChosenScale | None:
        """Scale that was chosen for the numbers, and why; None where none is."""
        if self.scaled is None or not self.scaled.complete:
            return None
        return choose_scale(self.plan.scales, self.scaled.log_loss)

    @cached_property
    def refinement(self) -> ChosenRefinement | None:
        """Refinement of the model that is chosen; None where it is taken as it was grown."""
        if self.refined is None or not self.refined.complete or self.chosen != self.found.chosen:
            return None
        row = self._best_row(self.refined)
        losses, size = self.refined.log_loss[row], self.refined.n_prototypes[row]
        return ChosenRefinement(*self.plan.refinements()[row], float(losses.mean()), float(size.mean()))

    @cached_property
    def joined_model(self) -> JoinedModel | None:
        """The joined votes of several fits like the rule's choice; None where they were not tried on all folds."""
        if self.refined is None or self.joined is None or not self.joined.complete:
            return None
        row = self._joined_row(self.refined, self.joined)
        losses, size = self.joined.log_loss[row], self.joined.n_prototypes[row]
        below = self.refined.log_loss[self._best_row(self.refined)] - losses
        return JoinedModel(
            *self.plan.refinements()[row],
            float(losses.mean()),
            float(size.mean()),
            n_joined=self.plan.n_joined,
            n_features=float(self.joined.n_features[row].mean()),
            sd=float(losses.std(ddof=1)),
            below=float(below.mean()),
            error=float(below.std(ddof=1) / np.sqrt(below.shape[0])),
        )

    @property
    def joined_above(self) -> tuple[float, float]:
        """By how much the joined model is above the best point on the same folds, and the standard error of that."""
        if self.refined is None or self.joined is None or not self.joined.complete:
            return np.nan, np.nan
        row = self._joined_row(self.refined, self.joined)
        losses, folds = self.joined.log_loss[row], np.arange(self.plan.n_folds)
        paired = self._paired(losses, folds, self.found.best)
        return paired["above"], paired["error"]

    @property
    def takes_joined(self) -> bool:
        """True if the joined model is to be fitted: chosen by a person, or taken by the plan and not clearly worse."""
        found = self.joined_model
        if found is None or self.choice is not None:
            return False
        return self.joins or (self.plan.take_joined and not found.is_worse)

    @cached_property
    def points(self) -> pd.DataFrame:
        """One row per pair and number of batches that was scored.

        Returns
        -------
        DataFrame
            Columns ``pair``, ``lambda_v``, ``lambda_w``, ``n_batches``; ``folds``, on how many it was scored; the
            ``weight_factor`` that is best there; with it ``mean`` and ``sd`` of the log-loss, the mean ``n_features``
            and ``n_prototypes``; ``above`` the best and ``error``, mean and standard error of the paired difference
            over the folds both have, nan without; ``on_front``: no other point on all folds has both a lower mean and
            a smaller model.
            The model without batches is there once, for the first pair.
        """
        rows = [row for pair in sorted(self.curves) for row in self._points_of(pair)]
        frame = pd.DataFrame(rows)
        if frame.empty:
            return frame
        once = (frame["n_batches"] > 0) | ~frame.duplicated("n_batches")
        frame = frame[once].reset_index(drop=True)
        whole = frame["folds"] == self.plan.n_folds
        size = model_size(frame["n_features"].to_numpy(), frame["n_prototypes"].to_numpy())
        beaten = [
            bool((whole & (frame["mean"] <= mean) & (size <= own) & ((frame["mean"] < mean) | (size < own))).any())
            for mean, own in zip(frame["mean"], size, strict=True)
        ]
        return frame.assign(on_front=whole & ~np.array(beaten))

    def point_row(self, point: Point) -> int:
        """Return the row label of a point in :attr:`points`.

        Raises
        ------
        StudyError
            If it was not scored.
        """
        pair, batches = point
        same = self.points["n_batches"] == batches
        if batches:
            same &= self.points["pair"] == pair
        if not same.any():
            raise StudyError(f"The search has not scored {batches} batches with the penalties number {pair}.")
        return int(self.points.index[same][0])

    # --- other states -------------------------------------------------------------------------------------------------
    def with_point(self, pair: int, batches: int) -> JointRecord:
        """Choose a pair and a number of batches instead of the rule; nothing is left to do then.

        Raises
        ------
        StudyError
            If they were not scored.
        """
        self.point_row((pair, batches))
        return replace(self, choice=(int(pair), int(batches)), joins=False)

    def with_joined(self) -> JointRecord:
        """Choose the joined votes of several fits like the rule's choice.

        Raises
        ------
        StudyError
            If they were not tried on all folds.
        """
        if self.joined_model is None:
            raise StudyError("The search has not joined the votes of several fits.", hint="Choose another point.")
        return replace(self, choice=None, joins=True)

    def take_best_so_far(self) -> JointRecord:
        """Choose what the rule makes of the folds that are done."""
        return self.with_point(*self.found.chosen)

    def with_scores(self, pair: int, scores: tuple[FoldScores, ...]) -> JointRecord:
        """Return the record with other scores of a pair."""
        return replace(self, curves={**self.curves, pair: scores})

    def with_scaled(self, scores: Sequence[Score]) -> JointRecord:
        """Return the record with one scale tried on one fold, which is one score."""
        (score,) = scores
        before = self.scaled or FoldScores.empty(len(self.plan.scales), self.plan.n_folds)
        return replace(self, scaled=before.with_score(score))

    def with_refined(self, scores: Sequence[Score]) -> JointRecord:
        """Return the record with the refinements of one fold: rows of the single fit first, then of the joined ones."""
        n_rows = len(self.plan.refinements())
        empty = FoldScores.empty(n_rows, self.plan.n_folds)
        refined = (self.refined or empty).with_fold([score for score in scores if score.row < n_rows])
        joined = [replace(score, row=score.row - n_rows) for score in scores if score.row >= n_rows]
        return replace(self, refined=refined, joined=(self.joined or empty).with_fold(joined) if joined else None)

    def empty_scores(self) -> tuple[FoldScores, ...]:
        """Return scores of a pair of which nothing is done."""
        empty = FoldScores.empty(self.plan.max_batches + 1, self.plan.n_folds)
        return (empty,) * len(self.plan.weight_factors)

    def to_state(self) -> dict[str, Any]:
        """Return the record as plain JSON types."""
        tried = {name: part.to_state() for name in _PARTS if (part := getattr(self, name)) is not None}
        return (
            tried
            | ({"joins": True} if self.joins else {})
            | {
                "plan": self.plan.to_state(),
                "fingerprint": self.fingerprint,
                "n_rows": self.n_rows,
                "curves": {
                    str(pair): [part.to_state() for part in scores] for pair, scores in sorted(self.curves.items())
                },
                "choice": None if self.choice is None else list(self.choice),
            }
        )

    @classmethod
    def from_state(cls, state: object) -> JointRecord:
        """Rebuild a record from what :meth:`to_state` returned.

        Raises
        ------
        StorageError
            Naming the field that is missing, unknown or wrong.
        """
        reader = StateReader(state, "search")
        plan = JointPlan.from_state(reader.take("plan"))
        fingerprint, n_rows = reader.text("fingerprint"), reader.integer("n_rows", low=1, high=2**40)
        shape = (len(plan.refinements()), plan.n_folds)
        record = cls(
            plan,
            fingerprint,
            n_rows,
            _read_curves(reader, plan),
            refined=_read_part(reader, "refined", shape),
            joined=_read_part(reader, "joined", shape),
            scaled=_read_part(reader, "scaled", (len(plan.scales), plan.n_folds)),
        )
        if (record.joined is None) != (record.refined is None or plan.n_joined == 1):
            raise reader.refuse("joined", "has to be there where the plan joins fits, and only there")
        choice = reader.take("choice")
        joins = "joins" in reader and reader.take("joins")
        reader.close()
        if choice is None:
            return record._read_joins(joins, reader)
        if not isinstance(choice, list) or len(choice) != 2 or not all(type(part) is int for part in choice):
            raise reader.refuse("choice", "has to be two whole numbers")
        try:
            return record.with_point(*choice)
        except StudyError as error:
            raise reader.refuse("choice", "is no point of the search") from error

    # --- inside -------------------------------------------------------------------------------------------------------
    def _read_joins(self, joins: object, reader: StateReader) -> JointRecord:
        """Return the record with what a person has said of the joined model."""
        if joins is False:
            return self
        if joins is not True or self.joined_model is None:
            raise reader.refuse("joins", "has to be true, where votes were joined on all folds")
        return self.with_joined()

    def _best_row(self, scores: FoldScores) -> int:
        """Return which refinement is taken."""
        losses, size = scores.log_loss.mean(axis=1), scores.n_prototypes.mean(axis=1)
        alone = float(self.curves[self.found.chosen[0]][0].log_loss[0].mean())
        return pick_refinement(losses, size, alone, self.plan.rule)

    def _joined_row(self, refined: FoldScores, joined: FoldScores) -> int:
        """Return which refinement of the joined votes is taken, none larger than so many fits like the choice."""
        alone = float(self.curves[self.found.chosen[0]][0].log_loss[0].mean())
        most = self.plan.n_joined * float(refined.n_prototypes[self._best_row(refined)].mean())
        losses, size = joined.log_loss.mean(axis=1), joined.n_prototypes.mean(axis=1)
        return pick_joined(losses, size, most, alone, self.plan.rule)

    @property
    def _rounds(self) -> tuple[tuple[int, ...], ...]:
        """The folds of each round."""
        first, n_folds = self.plan.first_folds, self.plan.n_folds
        rounds = (tuple(range(first)), tuple(range(first, min(first + 1, n_folds))), tuple(range(first + 1, n_folds)))
        return tuple(folds for folds in rounds if folds)

    def _alive(self, number: int) -> tuple[int, ...]:
        """Return the pairs that take part in a round; it needs the rounds before it."""
        if number == 0:
            return tuple(range(self.plan.n_pairs))
        done = [fold for folds in self._rounds[:number] for fold in folds]
        if number == 1:
            curves = {pair: self._curve(pair, done) for pair in range(self.plan.n_pairs)}
            return go_on(curves, self.plan.sparseness(), self.plan.n_keep)
        return not_worse({pair: self._curve(pair, done) for pair in self._alive(1)})

    def _refined_on(self, fold: int) -> bool:
        """Tell whether the choice was refined on a fold."""
        return self.refined is not None and bool(self.refined.done[:, fold].all())

    def _round_done(self, number: int) -> bool:
        """Tell whether a round is done; asked in order."""
        return all(self._done(pair, fold) for pair in self._alive(number) for fold in self._rounds[number])

    def _done(self, pair: int, fold: int) -> bool:
        """Tell whether a curve has come to its end on a fold."""
        if pair not in self.curves:
            return False
        losses = np.min([scores.log_loss[:, fold] for scores in self.curves[pair]], axis=0)
        there = int(np.isfinite(losses).sum())
        if fold in self._rounds[0]:
            return there == len(losses) or (there > 0 and curve_ended(losses[:there].tolist(), PATIENCE))
        return there > 0 and there > self.length(pair)

    def _common_folds(self) -> tuple[int, ...]:
        """Return the folds on which to compare what is done so far: all that every pair tried there has finished."""
        later = range(self.plan.first_folds, self.plan.n_folds)
        begun = {fold: [pair for pair, scores in self.curves.items() if scores[0].done[0, fold]] for fold in later}
        first = [fold for fold in self._rounds[0] if any(self._done(pair, fold) for pair in self.curves)]
        after = [fold for fold in later if begun[fold] and all(self._done(pair, fold) for pair in begun[fold])]
        return (*first, *after)

    def _curve(self, pair: int, folds: Sequence[int]) -> Curve:
        """Return what was measured for a pair on some folds, with the factors of the weights that are best there."""
        rows, on = np.arange(self._length_on(pair, folds) + 1), np.asarray(folds)
        losses = np.stack([scores.log_loss[np.ix_(rows, on)] for scores in self.curves[pair]])
        best = self._best_factors(pair, on)
        sizes = [getattr(self.curves[pair][0], name)[np.ix_(rows, on)].mean(axis=1) for name in _SIZES]
        return Curve(losses[best[rows], rows], model_size(*sizes))

    def _best_factors(self, pair: int, on: np.ndarray) -> np.ndarray:
        """Return which factor is best for each number of batches, the first where nothing is known, shape (B + 1,)."""
        means = np.stack([scores.log_loss[:, on].mean(axis=1) for scores in self.curves[pair]])
        best: np.ndarray = np.argmin(np.where(np.isnan(means), np.inf, means), axis=0)
        return best

    def _length_on(self, pair: int, folds: Sequence[int]) -> int:
        """Return the largest number of batches that was scored on all of some folds."""
        return int(self.curves[pair][0].done[:, list(folds)].all(axis=1).sum()) - 1

    def _points_of(self, pair: int) -> list[dict[str, Any]]:
        """Describe the points of one pair."""
        lambda_v, lambda_w = self.plan.pairs()[pair]
        best = self.found.best if self.can_be_taken else None
        rows = []
        for batches in range(self.plan.max_batches + 1):
            on = np.flatnonzero(self.curves[pair][0].done[batches])
            if not on.shape[0]:
                break
            factor, losses = self._losses(pair, batches, on)
            sd = float(losses.std(ddof=1)) if on.shape[0] > 1 else np.nan
            row = {"pair": pair, "lambda_v": lambda_v, "lambda_w": lambda_w, "n_batches": batches}
            row |= {"folds": on.shape[0], "weight_factor": factor, "mean": float(losses.mean()), "sd": sd}
            row |= {name: float(getattr(self.curves[pair][0], name)[batches, on].mean()) for name in _SIZES}
            rows.append(row | self._paired(losses, on, best))
        return rows

    def _losses(self, pair: int, batches: int, on: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the factor that is best for a point, and its log-loss on some folds."""
        which = int(self._best_factors(pair, on)[batches])
        return self.plan.weight_factors[which], self.curves[pair][which].log_loss[batches, on]

    def _paired(self, losses: np.ndarray, on: np.ndarray, best: Point | None) -> dict[str, float]:
        """Compare a point with the best one, fold by fold."""
        if best is None:
            return {"above": np.nan, "error": np.nan}
        there = self.curves[best[0]][0].done[best[1], on]
        difference = losses[there] - self._losses(*best, on[there])[1]
        n = difference.shape[0]
        error = float(difference.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan
        return {"above": float(difference.mean()) if n else np.nan, "error": error}


def _read_part(reader: StateReader, name: str, shape: tuple[int, int]) -> FoldScores | None:
    """Read the scores of the refinements or of the scales; nothing in a record that has none."""
    if name not in reader:
        return None
    if not shape[0]:
        raise reader.refuse(name, "is there, but the plan names none")
    return FoldScores.from_state(reader.take(name), f"search.{name}", shape)


def _read_curves(reader: StateReader, plan: JointPlan) -> dict[int, tuple[FoldScores, ...]]:
    """Read the scores of the pairs."""
    state = reader.take("curves")
    numbers = {str(pair): pair for pair in range(plan.n_pairs)}
    if not isinstance(state, dict) or not set(state) <= set(numbers):
        raise reader.refuse("curves", "has to name pairs of the plan")
    shape = plan.max_batches + 1, plan.n_folds
    curves = {}
    for name, parts in state.items():
        if not isinstance(parts, list) or len(parts) != len(plan.weight_factors):
            raise reader.refuse("curves", f"has to hold {len(plan.weight_factors)} tables for pair {name}")
        where = f"search.curves.{name}"
        scores = tuple(FoldScores.from_state(part, where, shape) for part in parts)
        if any((np.diff(part.done.astype(int), axis=0) > 0).any() for part in scores):
            raise reader.refuse("curves", f"has a gap in the curve of pair {name}")
        if any(not np.array_equal(part.done, scores[0].done) for part in scores):
            raise reader.refuse("curves", f"has not the same fits for all factors of pair {name}")
        curves[numbers[name]] = scores
    return curves
