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
from proset.common.notebook import Displayed
from proset.selection.joint_curves import JointCurves, Todo, read_curves
from proset.selection.joint_plan import USUAL_JOINED, JointPlan
from proset.selection.joint_rules import (
    LARGEST_JOINED,
    ChosenRefinement,
    JoinedModel,
    JointPick,
    Point,
    pick_joined,
    pick_refinement,
)
from proset.selection.scale_choice import ChosenScale, choose_scale
from proset.selection.scores import FoldScores
from proset.selection.tasks import Score

_PARTS = ("refined", "joined", "scaled")  # of a state, where there is anything of it


@dataclass(frozen=True, eq=False)
class JointRecord(Displayed):
    """A joint search, finished or under way.

    Attributes
    ----------
    plan : JointPlan
        What was to be tried.
    fingerprint : str
        Hash of data and settings; a record only goes on with the same.
    n_rows : int
        Rows that the search learns from, all folds together.
    curves : mapping of int to tuple of FoldScores
        What was scored, as ``JointCurves.scores``.
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

    @cached_property
    def so_far(self) -> JointCurves:
        """The curves, and which pairs go on."""
        return JointCurves(self.plan, self.curves)

    @property
    def tried(self) -> tuple[int, ...]:
        """Pairs that were tried on all folds."""
        return self.so_far.tried

    @property
    def n_joined(self) -> int:
        """Fits whose votes are joined in the last look; 1 where none are."""
        return self.plan.joined(self.n_rows)

    @property
    def n_fits(self) -> int:
        """Fits that are done."""
        return self.so_far.n_fits

    @property
    def n_stopped_early(self) -> int:
        """Fits that are known not to have converged."""
        return self.so_far.n_stopped_early

    # --- what is left -------------------------------------------------------------------------------------------------
    def to_do(self) -> tuple[Todo, ...]:
        """Return what is left of the round that the search is in; empty when all is done, or a person has chosen."""
        return () if self.choice is not None else self.so_far.left()

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
        number, done, total = self.so_far.reached()
        if self.plan.refines:
            done += sum(self._refined_on(fold) for fold in range(self.plan.n_folds))
            total += self.plan.n_folds
        if self.scaled is not None:
            done += int(self.scaled.done.sum())
            total += self.scaled.done.size
        return number, done, total

    # --- what was found -----------------------------------------------------------------------------------------------
    @cached_property
    def found(self) -> JointPick:
        """The choice of the rule; of a search that is under way, the best so far.

        Raises
        ------
        StudyError
            If no curve is done on any fold.
        """
        return self.so_far.picked(settled=self.choice is not None)

    @property
    def can_be_taken(self) -> bool:
        """True if there is a best so far."""
        return bool(self.so_far.common_folds())

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
        return self.by_hand and not replace(self, choice=None).complete

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
        return self.plan.weight_factors[self.so_far.best_factors(pair, on)[batches]]

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
            n_joined=self.n_joined,
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
        paired = self.so_far.paired(losses, folds, self.found.best)
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
        return self.so_far.points(self.found.best if self.can_be_taken else None)

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
            read_curves(reader, plan),
            refined=_read_part(reader, "refined", shape),
            joined=_read_part(reader, "joined", shape),
            scaled=_read_part(reader, "scaled", (len(plan.scales), plan.n_folds)),
        )
        if (record.joined is None) != (record.refined is None or record.n_joined == 1):
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
        """Return which refinement of the joined votes is taken, none larger than two fits like the choice."""
        alone = float(self.curves[self.found.chosen[0]][0].log_loss[0].mean())
        most = LARGEST_JOINED * float(refined.n_prototypes[self._best_row(refined)].mean())
        size, many = joined.n_prototypes.mean(axis=1), self.n_joined > USUAL_JOINED
        at_risk = np.array([many and correction > 0.0 for correction, _ in self.plan.refinements()])
        return pick_joined(joined.log_loss, size, at_risk, most, alone, self.plan.rule)

    def _refined_on(self, fold: int) -> bool:
        """Tell whether the choice was refined on a fold."""
        return self.refined is not None and bool(self.refined.done[:, fold].all())


def _read_part(reader: StateReader, name: str, shape: tuple[int, int]) -> FoldScores | None:
    """Read the scores of the refinements or of the scales; nothing in a record that has none."""
    if name not in reader:
        return None
    if not shape[0]:
        raise reader.refuse(name, "is there, but the plan names none")
    return FoldScores.from_state(reader.take(name), f"search.{name}", shape)
