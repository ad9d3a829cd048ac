"""Curves of a joint search: what each pair of penalties came to on each fold, and which of them go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from proset.common.checked_json import StateReader
from proset.common.errors import StudyError
from proset.selection.joint_plan import JointPlan
from proset.selection.joint_rules import PATIENCE, Curve, JointPick, Point, go_on, model_size, not_worse, pick
from proset.selection.scores import FoldScores
from proset.selection.tasks import curve_ended

_SIZES = ("n_features", "n_prototypes")

Todo = tuple[int, int, int | None]
"""A fold, a pair of penalties, and the number of batches to go to; None as far as it pays."""


@dataclass(frozen=True, eq=False)
class JointCurves:
    """Scores by pair and fold.

    Every pair is tried on the first folds, and its curve over the number of batches ends where more batches no longer
    help. The best pairs go on to the next fold, and those not clearly worse by then to the rest.

    Attributes
    ----------
    plan : JointPlan
        What was to be tried.
    scores : mapping of int to tuple of FoldScores
        By number of the pair in ``plan.pairs()``, then by ``plan.weight_factors``: one row per number of batches from
        0, one column per fold.
    """

    plan: JointPlan
    scores: Mapping[int, tuple[FoldScores, ...]]

    # --- what is left -------------------------------------------------------------------------------------------------
    def left(self) -> tuple[Todo, ...]:
        """Return what is left of the round that the search is in; empty when all is done."""
        for number, folds in enumerate(self.rounds):
            left = [
                (fold, pair, self.length(pair) if number else None)
                for fold in folds
                for pair in self.alive(number)
                if not self.done(pair, fold)
            ]
            if left:
                return tuple(left)
        return ()

    def reached(self) -> tuple[int, int, int]:
        """Return the round that the search is in, from 1, the curves that are done, and all that are known of."""
        done = sum(self.done(pair, fold) for pair in self.scores for fold in range(self.plan.n_folds))
        number = next((n for n in range(len(self.rounds)) if not self.round_done(n)), len(self.rounds) - 1)
        total = 0
        for n, folds in enumerate(self.rounds):
            n_pairs = len(self.alive(n)) if n <= number else min(self.plan.n_keep, self.plan.n_pairs)
            total += n_pairs * len(folds)
        return number + 1, done, total

    @property
    def n_fits(self) -> int:
        """Fits that are done."""
        return sum(int(scores[0].done[1:].sum()) for scores in self.scores.values())

    @property
    def n_stopped_early(self) -> int:
        """Fits that are known not to have converged."""
        return sum(int(scores[0].stopped_early.sum()) for scores in self.scores.values())

    def length(self, pair: int) -> int:
        """Return the number of batches that the curve of a pair goes to: the fewest over the first folds."""
        return self.length_on(pair, self.rounds[0])

    @property
    def tried(self) -> tuple[int, ...]:
        """Pairs that were tried on all folds."""
        folds = range(self.plan.n_folds)
        return tuple(sorted(pair for pair in self.scores if all(self.done(pair, fold) for fold in folds)))

    @property
    def rounds(self) -> tuple[tuple[int, ...], ...]:
        """The folds of each round."""
        first, n_folds = self.plan.first_folds, self.plan.n_folds
        rounds = (tuple(range(first)), tuple(range(first, min(first + 1, n_folds))), tuple(range(first + 1, n_folds)))
        return tuple(folds for folds in rounds if folds)

    def alive(self, number: int) -> tuple[int, ...]:
        """Return the pairs that take part in a round; it needs the rounds before it."""
        if number == 0:
            return tuple(range(self.plan.n_pairs))
        done = [fold for folds in self.rounds[:number] for fold in folds]
        if number == 1:
            curves = {pair: self.curve(pair, done) for pair in range(self.plan.n_pairs)}
            return go_on(curves, self.plan.sparseness(), self.plan.n_keep)
        return not_worse({pair: self.curve(pair, done) for pair in self.alive(1)})

    def round_done(self, number: int) -> bool:
        """Tell whether a round is done; asked in order."""
        return all(self.done(pair, fold) for pair in self.alive(number) for fold in self.rounds[number])

    def done(self, pair: int, fold: int) -> bool:
        """Tell whether a curve has come to its end on a fold."""
        if pair not in self.scores:
            return False
        losses = np.min([scores.log_loss[:, fold] for scores in self.scores[pair]], axis=0)
        there = int(np.isfinite(losses).sum())
        if fold in self.rounds[0]:
            return there == len(losses) or (there > 0 and curve_ended(losses[:there].tolist(), PATIENCE))
        return there > 0 and there > self.length(pair)

    # --- what was measured --------------------------------------------------------------------------------------------
    def common_folds(self) -> tuple[int, ...]:
        """Return the folds on which to compare what is done so far: all that every pair tried there has finished."""
        later = range(self.plan.first_folds, self.plan.n_folds)
        begun = {fold: [pair for pair, scores in self.scores.items() if scores[0].done[0, fold]] for fold in later}
        first = [fold for fold in self.rounds[0] if any(self.done(pair, fold) for pair in self.scores)]
        after = [fold for fold in later if begun[fold] and all(self.done(pair, fold) for pair in begun[fold])]
        return (*first, *after)

    def curve(self, pair: int, folds: Sequence[int]) -> Curve:
        """Return what was measured for a pair on some folds, with the factors of the weights that are best there."""
        rows, on = np.arange(self.length_on(pair, folds) + 1), np.asarray(folds)
        losses = np.stack([scores.log_loss[np.ix_(rows, on)] for scores in self.scores[pair]])
        best = self.best_factors(pair, on)
        sizes = [getattr(self.scores[pair][0], name)[np.ix_(rows, on)].mean(axis=1) for name in _SIZES]
        return Curve(losses[best[rows], rows], model_size(*sizes))

    def best_factors(self, pair: int, on: np.ndarray) -> np.ndarray:
        """Return which factor is best for each number of batches, the first where nothing is known, shape (B + 1,)."""
        means = np.stack([scores.log_loss[:, on].mean(axis=1) for scores in self.scores[pair]])
        best: np.ndarray = np.argmin(np.where(np.isnan(means), np.inf, means), axis=0)
        return best

    def length_on(self, pair: int, folds: Sequence[int]) -> int:
        """Return the largest number of batches that was scored on all of some folds."""
        return int(self.scores[pair][0].done[:, list(folds)].all(axis=1).sum()) - 1

    def picked(self, settled: bool) -> JointPick:
        """Return the choice of the rule; of a search that is under way, unless it is settled, the best so far.

        Raises
        ------
        StudyError
            If no curve is done on any fold.
        """
        if (tried := self.tried) and (settled or not self.left()):
            return pick({pair: self.curve(pair, range(self.plan.n_folds)) for pair in tried}, self.plan.rule)
        folds = self.common_folds()
        pairs = [pair for pair in self.scores if folds and all(self.done(pair, fold) for fold in folds)]
        if not pairs:
            raise StudyError("The search has not finished anything yet.", hint="Let it go on for a moment.")
        curves = {pair: self.curve(pair, folds) for pair in pairs}
        if len(folds) > 1:
            return pick(curves, self.plan.rule)
        best = min(curves, key=lambda pair: float(curves[pair].mean.min()))
        point = (best, int(curves[best].mean.argmin()))
        return JointPick(point, point, point)

    def points(self, best: Point | None) -> pd.DataFrame:
        """Return one row per pair and number of batches that was scored, beside the best."""
        rows = [row for pair in sorted(self.scores) for row in self._points_of(pair, best)]
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

    def _points_of(self, pair: int, best: Point | None) -> list[dict[str, Any]]:
        """Describe the points of one pair."""
        lambda_v, lambda_w = self.plan.pairs()[pair]
        rows = []
        for batches in range(self.plan.max_batches + 1):
            on = np.flatnonzero(self.scores[pair][0].done[batches])
            if not on.shape[0]:
                break
            factor, losses = self.losses(pair, batches, on)
            sd = float(losses.std(ddof=1)) if on.shape[0] > 1 else np.nan
            row = {"pair": pair, "lambda_v": lambda_v, "lambda_w": lambda_w, "n_batches": batches}
            row |= {"folds": on.shape[0], "weight_factor": factor, "mean": float(losses.mean()), "sd": sd}
            row |= {name: float(getattr(self.scores[pair][0], name)[batches, on].mean()) for name in _SIZES}
            rows.append(row | self.paired(losses, on, best))
        return rows

    def losses(self, pair: int, batches: int, on: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the factor that is best for a point, and its log-loss on some folds."""
        which = int(self.best_factors(pair, on)[batches])
        return self.plan.weight_factors[which], self.scores[pair][which].log_loss[batches, on]

    def paired(self, losses: np.ndarray, on: np.ndarray, best: Point | None) -> dict[str, float]:
        """Compare a point with the best one, fold by fold."""
        if best is None:
            return {"above": np.nan, "error": np.nan}
        there = self.scores[best[0]][0].done[best[1], on]
        difference = losses[there] - self.losses(*best, on[there])[1]
        n = difference.shape[0]
        error = float(difference.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan
        return {"above": float(difference.mean()) if n else np.nan, "error": error}


def read_curves(reader: StateReader, plan: JointPlan) -> dict[int, tuple[FoldScores, ...]]:
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
