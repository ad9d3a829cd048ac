"""Record of a search: log-loss per setting and fold, the choice by the rule, and that of a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from proset.common.checked_json import StateReader
from proset.common.errors import StudyError
from proset.common.notebook import Displayed
from proset.selection.plan import PENALTIES, SearchPlan
from proset.selection.rules import JointChoice, Rule, SettingChoice, choose, choose_jointly
from proset.selection.scores import FoldScores
from proset.selection.second_look import ladder, next_pair

_SAME = 1e-9  # relative difference up to which two penalties are the same


@dataclass(frozen=True, eq=False)
class SearchRecord(Displayed):
    """Algorithm 2.2, finished or under way.

    The tables `stage_1` and `stage_2` have the log-loss on the rows left out in columns ``fold_1`` to ``fold_F``, its
    ``mean`` and standard deviation ``sd`` (F - 1 degrees of freedom), and the means over the folds of ``n_features``,
    ``n_prototypes`` and ``converged``, the share of fits that came to a proper end; nan where a fold is to be done.

    Attributes
    ----------
    plan : SearchPlan
        What was to be tried.
    fingerprint : str
        Hash of data and settings; a record only goes on with the same.
    scores_1 : FoldScores
        Stage 1, one row per pair of ``plan.pairs()``.
    curves : mapping of int to FoldScores
        Stage 2: row of a pair in stage 1 to its scores, one row per number of batches from 0.
    choice : (float, float) or None
        A person's ``lambda_v`` and ``lambda_w``; None leaves the choice to the rule.
    batches : int or None
        A person's number of batches; None leaves the choice to the rule.
    """

    plan: SearchPlan
    fingerprint: str
    scores_1: FoldScores
    curves: Mapping[int, FoldScores] = field(default_factory=dict)
    choice: tuple[float, float] | None = None
    batches: int | None = None

    @cached_property
    def stage_1(self) -> pd.DataFrame:
        """One row per pair: lambda_v, lambda_w, then `fold_1` and so on as described above."""
        return self.scores_1.frame(dict(zip(PENALTIES, np.array(self.plan.pairs()).T, strict=True)))

    @cached_property
    def scores_2(self) -> FoldScores | None:
        """Stage 2 for the chosen pair; None before it begins."""
        known = self.choice is not None or self.scores_1.complete
        return self.curves.get(self.chosen(1)) if known else None

    @cached_property
    def stage_2(self) -> pd.DataFrame | None:
        """One row per number of batches, for the chosen pair: n_batches, then `fold_1` and so on as described above."""
        return None if self.scores_2 is None else self.curve(self.chosen(1))

    def curve(self, row: int) -> pd.DataFrame:
        """Return what stage 2 measured for a pair that it has looked at, given by its row in stage 1, as `stage_2`."""
        return self.curves[row].frame({"n_batches": np.arange(self.plan.max_batches + 1)})

    @property
    def complete(self) -> bool:
        """True if both stages are done."""
        return self.scores_1.complete and self.to_do() is None

    @property
    def compared(self) -> Mapping[int, FoldScores]:
        """The curves that stage 2 compares: all of them, or, once a person chose penalties, theirs alone."""
        if self.choice is None:
            return self.curves
        return {row: scores for row, scores in self.curves.items() if row == self.chosen(1)}

    def reached(self) -> tuple[int, int, int]:
        """Return how far the search is: the stage, the fits done in it, and all of its fits that are known of."""
        if not self.scores_1.complete or not self.compared:
            return 1, int(self.scores_1.done.sum()), self.scores_1.done.size
        done = [scores.done for scores in self.compared.values()]
        return 2, sum(int(fits.sum()) for fits in done), sum(fits.size for fits in done)

    @property
    def n_fits(self) -> int:
        """Fits of both stages that are known of."""
        return sum(scores.log_loss.size for scores in (self.scores_1, *self.curves.values()))

    def to_do(self) -> int | None:
        """Return the row of the pair that stage 2 has to look at next, or to finish; None when it is done."""
        return next_pair(self._ladder(), self.curves)

    @property
    def looked_at(self) -> tuple[int, ...]:
        """Rows of the pairs that stage 2 is done with, the sparsest first."""
        sparseness = self.plan.sparseness()
        return tuple(
            sorted((row for row in self.curves if self.curves[row].complete), key=lambda row: -sparseness[row])
        )

    @property
    def by_hand(self) -> bool:
        """True if a person chose the penalties or the number of batches."""
        return self.choice is not None or self.batches is not None

    def threshold(self, stage: int) -> float:
        """Return the largest mean log-loss that counts as equivalent to the best of a stage (1 or 2).

        In stage 2 the best is that of all pairs looked at, unless a person chose one.
        """
        if stage == 2 and self._joint is not None:
            return self._joint.threshold
        return self._found(stage).threshold

    def optimal(self, stage: int) -> int:
        """Return the row label of the lowest mean log-loss in the table of a stage (1 or 2)."""
        return self._found(stage).optimal

    def chosen(self, stage: int) -> int:
        """Return the row label of what is used: a person's choice, else the rule's.

        In stage 2 that is the number of batches.
        """
        if stage == 1 and self.choice is not None:
            return pair_row(self.plan, *self.choice)
        if stage == 2 and self.batches is not None:
            return self.batches
        if self._joint is not None:
            return self._joint.curve if stage == 1 else self._joint.batches
        return self._found(stage).chosen

    @property
    def chosen_penalties(self) -> tuple[float, float]:
        """``lambda_v`` and ``lambda_w`` to fit with."""
        return self.plan.pairs()[self.chosen(1)]

    @property
    def chosen_batches(self) -> int:
        """Number of batches to fit."""
        return self.chosen(2)

    def with_scores(self, row: int | None, scores: FoldScores) -> SearchRecord:
        """Return the record with other scores: of stage 1 if `row` is None, else of stage 2 for that row of stage 1."""
        if row is None:
            return replace(self, scores_1=scores)
        return replace(self, curves={**self.curves, row: scores})

    def with_choice(self, *, lambda_v: float, lambda_w: float) -> SearchRecord:
        """Choose one of the pairs of stage 1 instead of the rule.

        Returns
        -------
        SearchRecord
            Incomplete if stage 2 has not looked at the pair.

        Raises
        ------
        StudyError
            If stage 1 did not try the pair.
        """
        row = pair_row(self.plan, lambda_v, lambda_w)
        same = row in self.curves and row == self.chosen(1)
        return replace(self, choice=self.plan.pairs()[row], batches=self.batches if same else None)

    def with_batches(self, n: int) -> SearchRecord:
        """Choose a number of batches instead of the rule, from 0 to ``plan.max_batches``."""
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n <= self.plan.max_batches:
            raise StudyError(
                f"The number of batches is {n!r}; it has to be a whole number from 0 to {self.plan.max_batches}."
            )
        return replace(self, batches=int(n))

    def _ladder(self) -> tuple[int, ...]:
        """Return the rows of the pairs that stage 2 may look at, the sparsest first."""
        if self.choice is not None:
            return (self.chosen(1),)
        found = self._found(1)
        if not self.plan.second_look or self.plan.rule is Rule.BEST:
            return (found.chosen,)
        return ladder(found.chosen, self.plan.sparseness(), self.stage_1["mean"], found.threshold)

    @cached_property
    def _joint(self) -> JointChoice | None:
        """Choice of the rule over all pairs that stage 2 is done with, a row as `curve`; None without any."""
        if self.choice is not None or not self.scores_1.complete:
            return None
        done = [row for row in self._ladder() if row in self.curves and self.curves[row].complete]
        if not done:
            return None
        found = choose_jointly([self.curves[row].log_loss for row in done], self.plan.rule)
        return replace(found, curve=done[found.curve])

    def _found(self, stage: int) -> SettingChoice:
        """Apply the rule to the table of a stage."""
        if stage not in (1, 2):
            raise ValueError(f"stage is {stage!r}; it has to be 1 or 2.")
        table = self.stage_1 if stage == 1 else self.stage_2
        if table is None:
            raise ValueError("Stage 2 has not begun; run the search on.")
        sparseness = self.plan.sparseness() if stage == 1 else -table["n_batches"]
        return choose(table["mean"], table["sd"], self.plan.n_folds, self.plan.rule, sparseness)

    def to_state(self) -> dict[str, Any]:
        """Return the record as plain JSON types."""
        return {
            "plan": self.plan.to_state(),
            "fingerprint": self.fingerprint,
            "stage_1": self.scores_1.to_state(),
            "stage_2": {str(row): scores.to_state() for row, scores in self.curves.items()},
            "choice": None if self.choice is None else list(self.choice),
            "batches": self.batches,
        }

    @classmethod
    def from_state(cls, state: object) -> SearchRecord:
        """Rebuild a record from what :meth:`to_state` returned.

        Raises
        ------
        StorageError
            Naming the field that is missing, unknown or wrong.
        """
        reader = StateReader(state, "search")
        plan_state, stage_2 = reader.take("plan"), reader.take("stage_2")
        one_look = False
        if isinstance(plan_state, dict) and "second_look" not in plan_state:  # from before there was a second
            one_look, plan_state = True, plan_state | {"second_look": False}
        plan = SearchPlan.from_state(plan_state)
        record = cls(
            plan=plan,
            fingerprint=reader.text("fingerprint"),
            scores_1=FoldScores.from_state(reader.take("stage_1"), "search.stage_1", (plan.n_pairs, plan.n_folds)),
            choice=_read_choice(reader, plan),
            batches=reader.optional_integer("batches", low=0, high=plan.max_batches),
        )
        reader.close()
        if stage_2 and record.choice is None and not record.scores_1.complete:
            raise reader.refuse("stage_2", "cannot be there before stage 1 is complete")
        if one_look:
            stage_2 = {} if stage_2 is None else {str(record.chosen(1)): stage_2}
        return replace(record, curves=_read_curves(stage_2, reader, plan))


def pair_row(plan: SearchPlan, lambda_v: float, lambda_w: float) -> int:
    """Find a pair of penalties among those that a plan tries.

    Returns
    -------
    int
        Its row in stage 1; a relative difference of 1e-9 is forgiven.

    Raises
    ------
    StudyError
        If the plan does not hold the pair.

    Examples
    --------
    >>> pair_row(SearchPlan(lambda_v=(1e-4, 1e-2), n_trials=3), 1e-3, 1e-8)
    1
    """
    same = np.isclose(np.array(plan.pairs()), [[lambda_v, lambda_w]], rtol=_SAME, atol=0.0).all(axis=1)
    if not same.any():
        raise StudyError(
            f"Stage 1 did not try lambda_v={lambda_v:g} with lambda_w={lambda_w:g}.",
            hint="Choose one of the rows of its table.",
        )
    return int(np.argmax(same))


def _read_choice(reader: StateReader, plan: SearchPlan) -> tuple[float, float] | None:
    """Read a person's pair and check it against the plan."""
    value = reader.take("choice")
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or not all(type(part) is float for part in value):
        raise reader.refuse("choice", "has to be two numbers")
    try:
        return plan.pairs()[pair_row(plan, *value)]
    except StudyError as error:
        raise reader.refuse("choice", "is not a pair of the plan") from error


def _read_curves(state: object, reader: StateReader, plan: SearchPlan) -> dict[int, FoldScores]:
    """Read stage 2 of the pairs it has looked at."""
    shape = plan.max_batches + 1, plan.n_folds
    rows = {str(row): row for row in range(plan.n_pairs)}
    if not isinstance(state, dict) or not set(state) <= set(rows):
        raise reader.refuse("stage_2", "has to name rows of stage 1")
    return {
        rows[name]: FoldScores.from_state(scores, f"search.stage_2.{name}", shape) for name, scores in state.items()
    }
