"""What a search has found so far: log-loss per setting and fold, what the rule makes of it, what a person chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proset.data.state import StateReader
from proset.errors import StudyError
from proset.selection.plan import PENALTIES, SearchPlan
from proset.selection.rules import Choice, choose, stage_table
from proset.set_manager import BoolArray, FloatArray

QUANTITIES = ("log_loss", "n_features", "n_prototypes")
_SAME = 1e-9  # relative difference up to which two penalties are the same


@dataclass(frozen=True, eq=False)
class FoldScores:
    """One row per setting, one column per fold; nan where a fit is still to be done.

    Attributes
    ----------
    log_loss : ndarray of shape (n, F)
        Weighted mean of -log(estimated probability of the actual class) on the rows left out.
    n_features, n_prototypes : ndarray of shape (n, F)
        Active features and prototypes of the model that was scored.
    """

    log_loss: FloatArray
    n_features: FloatArray
    n_prototypes: FloatArray

    @classmethod
    def empty(cls, n_settings: int, n_folds: int) -> FoldScores:
        """Return scores of which nothing is done."""
        return cls(*(np.full((n_settings, n_folds), np.nan) for _ in QUANTITIES))

    def copy(self) -> FoldScores:
        """Return scores that can be filled without changing these."""
        return FoldScores(*(getattr(self, name).copy() for name in QUANTITIES))

    @property
    def done(self) -> BoolArray:
        """Which fits are done, shape (n, F)."""
        finished: BoolArray = np.isfinite(self.log_loss)
        return finished

    @property
    def complete(self) -> bool:
        """Whether every fit is done."""
        return bool(self.done.all())

    def frame(self, settings: Mapping[str, ArrayLike]) -> pd.DataFrame:
        """Put the settings in front, and means over the folds behind; nan unless every fold is done."""
        return stage_table(settings, self.log_loss).assign(
            n_features=self.n_features.mean(axis=1), n_prototypes=self.n_prototypes.mean(axis=1)
        )

    def to_state(self) -> dict[str, list[list[float | None]]]:
        """Return plain JSON types; null stands for a fit still to be done."""
        return {
            name: [[None if np.isnan(x) else float(x) for x in row] for row in getattr(self, name)]
            for name in QUANTITIES
        }

    @classmethod
    def from_state(cls, state: object, where: str, shape: tuple[int, int]) -> FoldScores:
        """Rebuild scores, refusing what is not a table of that shape."""
        reader = StateReader(state, where)
        scores = cls(*(_table(reader, name, shape) for name in QUANTITIES))
        reader.close()
        for name in QUANTITIES[1:]:
            if not np.array_equal(np.isfinite(getattr(scores, name)), scores.done):
                raise reader.refuse(name, "has to have a value exactly where there is a log-loss")
        return scores


@dataclass(frozen=True, eq=False)
class SearchRecord:
    """Algorithm 2.2, finished or under way.

    Attributes
    ----------
    plan : SearchPlan
        What was to be tried.
    fingerprint : str
        Hash of data and settings; a record only goes on with the same.
    scores_1 : FoldScores
        Stage 1, one row per pair of ``plan.pairs()``.
    scores_2 : FoldScores or None
        Stage 2 for the chosen pair, one row per number of batches from 0; None before it begins.
    choice : (float, float) or None
        A person's ``lambda_v`` and ``lambda_w``; None leaves the choice to the rule.
    batches : int or None
        A person's number of batches; None leaves the choice to the rule.
    """

    plan: SearchPlan
    fingerprint: str
    scores_1: FoldScores
    scores_2: FoldScores | None = None
    choice: tuple[float, float] | None = None
    batches: int | None = None

    @cached_property
    def stage_1(self) -> pd.DataFrame:
        """One row per pair: lambda_v, lambda_w, fold_1 to fold_F, mean, sd, n_features, n_prototypes."""
        return self.scores_1.frame(dict(zip(PENALTIES, np.array(self.plan.pairs()).T, strict=True)))

    @cached_property
    def stage_2(self) -> pd.DataFrame | None:
        """One row per number of batches: n_batches, fold_1 to fold_F, mean, sd, n_features, n_prototypes."""
        if self.scores_2 is None:
            return None
        return self.scores_2.frame({"n_batches": np.arange(self.plan.max_batches + 1)})

    @property
    def complete(self) -> bool:
        """Whether both stages are done for the chosen pair."""
        return self.scores_1.complete and self.scores_2 is not None and self.scores_2.complete

    @property
    def by_hand(self) -> bool:
        """Whether a person chose the penalties or the number of batches."""
        return self.choice is not None or self.batches is not None

    def threshold(self, stage: int) -> float:
        """Largest mean log-loss that counts as equivalent to the best of a stage (1 or 2)."""
        return self._found(stage).threshold

    def optimal(self, stage: int) -> int:
        """Row label of the lowest mean log-loss of a stage (1 or 2)."""
        return self._found(stage).optimal

    def chosen(self, stage: int) -> int:
        """Row label of what is used: a person's choice, else the rule's. In stage 2 that is the number of batches."""
        if stage == 1 and self.choice is not None:
            return pair_row(self.plan, *self.choice)
        if stage == 2 and self.batches is not None:
            return self.batches
        return self._found(stage).chosen

    @property
    def chosen_penalties(self) -> tuple[float, float]:
        """``lambda_v`` and ``lambda_w`` to fit with."""
        return self.plan.pairs()[self.chosen(1)]

    @property
    def chosen_batches(self) -> int:
        """Number of batches to fit."""
        return self.chosen(2)

    def with_choice(self, *, lambda_v: float, lambda_w: float) -> SearchRecord:
        """Choose a pair instead of the rule.

        Parameters
        ----------
        lambda_v, lambda_w : float
            One of the pairs of stage 1.

        Returns
        -------
        SearchRecord
            Without stage 2, unless the pair is the one it was done for.

        Raises
        ------
        StudyError
            If stage 1 did not try the pair.
        """
        row = pair_row(self.plan, lambda_v, lambda_w)
        if self.scores_2 is not None and row == self.chosen(1):
            return replace(self, choice=self.plan.pairs()[row])
        return replace(self, choice=self.plan.pairs()[row], scores_2=None, batches=None)

    def with_batches(self, n: int) -> SearchRecord:
        """Choose a number of batches instead of the rule, from 0 to ``plan.max_batches``."""
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or not 0 <= n <= self.plan.max_batches:
            raise StudyError(
                f"The number of batches is {n!r}; it has to be a whole number from 0 to {self.plan.max_batches}."
            )
        return replace(self, batches=int(n))

    def _found(self, stage: int) -> Choice:
        """What the rule makes of a stage."""
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
            "stage_2": None if self.scores_2 is None else self.scores_2.to_state(),
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
        plan = SearchPlan.from_state(reader.take("plan"))
        stage_2 = reader.take("stage_2")
        record = cls(
            plan=plan,
            fingerprint=reader.text("fingerprint"),
            scores_1=FoldScores.from_state(reader.take("stage_1"), "search.stage_1", (plan.n_pairs, plan.n_folds)),
            scores_2=None
            if stage_2 is None
            else FoldScores.from_state(stage_2, "search.stage_2", (plan.max_batches + 1, plan.n_folds)),
            choice=_choice(reader, plan),
            batches=reader.optional_integer("batches", low=0, high=plan.max_batches),
        )
        reader.close()
        if record.scores_2 is not None and record.choice is None and not record.scores_1.complete:
            raise reader.refuse("stage_2", "cannot be there before stage 1 is complete")
        return record


def pair_row(plan: SearchPlan, lambda_v: float, lambda_w: float) -> int:
    """Find a pair of penalties among those of a plan.

    Parameters
    ----------
    plan : SearchPlan
        The plan.
    lambda_v, lambda_w : float
        The pair.

    Returns
    -------
    int
        Its row in stage 1.

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


def _choice(reader: StateReader, plan: SearchPlan) -> tuple[float, float] | None:
    """A person's pair, checked against the plan."""
    value = reader.take("choice")
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2 or not all(type(part) is float for part in value):
        raise reader.refuse("choice", "has to be two numbers")
    try:
        return plan.pairs()[pair_row(plan, *value)]
    except StudyError as error:
        raise reader.refuse("choice", "is not a pair of the plan") from error


def _table(reader: StateReader, name: str, shape: tuple[int, int]) -> FloatArray:
    """A table of numbers that are not negative, with gaps."""
    rows = reader.take(name)
    if not isinstance(rows, list) or len(rows) != shape[0] or not all(isinstance(row, list) for row in rows):
        raise reader.refuse(name, f"has to have {shape[0]} rows")
    if any(len(row) != shape[1] for row in rows):
        raise reader.refuse(name, f"has to have {shape[1]} columns")
    cells = [cell for row in rows for cell in row]
    if not all(cell is None or (type(cell) in (int, float) and 0.0 <= cell < float("inf")) for cell in cells):
        raise reader.refuse(name, "has to hold finite numbers that are not negative, or null")
    return np.array([np.nan if cell is None else float(cell) for cell in cells]).reshape(shape)
