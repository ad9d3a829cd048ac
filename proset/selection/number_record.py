"""Record of a search for a model of a number: all that is finished, and the choice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from proset.common.checked_json import StateReader
from proset.common.errors import StudyError
from proset.common.notebook import Displayed
from proset.selection.joint_rules import GIVEN_AWAY, pick_refinement
from proset.selection.number_bend import ChosenBend, chosen_bend
from proset.selection.number_plan import RANGES, NumberPlan
from proset.selection.number_scale import chosen_scale
from proset.selection.number_scores import (
    NumberColumns,
    NumberRefined,
    NumberRefinement,
    NumberTrial,
    columns_state,
    read_bends,
    read_columns,
    read_fold,
    read_refined,
    read_scaled,
    refined_state,
)
from proset.selection.rules import Rule
from proset.selection.scale_choice import ChosenScale


@dataclass(frozen=True, eq=False)
class NumberRecord(Displayed):
    """Trials that a search has finished.

    Attributes
    ----------
    plan : NumberPlan
        What was to be tried.
    fingerprint : str
        Of the rows that were searched.
    trials : tuple of NumberTrial
        Finished ones, in the order of ``plan.settings()``.
    choice : (int, int, int) or None
        Trial, number of batches and place of the spread factor that a person has chosen; None for the best.
    refined : tuple of NumberRefined
        The best of the trials, refined, on each fold that is done.
    columns : NumberColumns or None
        What columns are worth to the best of the trials, once that is known.
    scaled : tuple of tuple of float
        Of each fold that is done, the mean log score without prototypes, then with each scale of the plan.
    bends : tuple of tuple of float
        Of each fold that is done, mean log score and mean CRPS of the target as it is, then of the bent one; none where
        the target has no long tail.

    Examples
    --------
    >>> plain = {"spread_factors": (1.0,), "thinnings": (0.01,), "drop_columns": False}
    >>> plan = NumberPlan(n_trials=1, n_folds=2, max_batches=1, **plain)
    >>> trial = NumberTrial({"lambda_v": 0.001}, np.array([[[2.0], [1.5]], [[2.0], [1.4]]]))
    >>> record = NumberRecord(plan, "", (trial,))
    >>> record.complete, record.chosen, round(record.log_score, 2)
    (False, (0, 1, 0), 1.45)
    >>> fold = NumberRefined(np.array([[1.46], [1.42], [1.6]]), np.array([9.0, 8.0, 7.0]))
    >>> record = replace(record, refined=(fold, fold))
    >>> record.complete, record.refinement.correction, round(record.log_score, 2)
    (True, 0.5, 1.42)
    """

    plan: NumberPlan
    fingerprint: str
    trials: tuple[NumberTrial, ...] = ()
    choice: tuple[int, int, int] | None = None
    refined: tuple[NumberRefined, ...] = ()
    columns: NumberColumns | None = None
    scaled: tuple[tuple[float, ...], ...] = ()
    bends: tuple[tuple[float, ...], ...] = ()

    @property
    def to_scale(self) -> int:
        """Folds on which the scales have still to be tried, before all else."""
        return self.plan.n_folds - len(self.scaled) if self.plan.scales and not self.trials else 0

    @property
    def scale(self) -> ChosenScale | None:
        """The scale that the search has taken; None where it has none to choose, or has not yet."""
        done = self.plan.scales and len(self.scaled) == self.plan.n_folds
        return chosen_scale(self.plan, self.scaled) if done else None

    @property
    def to_bend(self) -> int:
        """Folds on which the bent target has still to be tried, if it has a long tail."""
        return self.plan.n_folds - len(self.bends) if self.plan.bend_target and not self.trials else 0

    @property
    def bend(self) -> ChosenBend | None:
        """Choice between the target as it is and the bent one; None where it has not tried it, or not on all folds."""
        return chosen_bend(self.bends) if len(self.bends) == self.plan.n_folds else None

    @property
    def complete(self) -> bool:
        """Tell whether everything was tried."""
        tried = len(self.trials) == self.plan.n_trials
        return self.by_hand or (tried and not self.to_weigh_columns and not self.to_refine)

    @property
    def _looks(self) -> bool:
        """Tell whether all trials are done, and the best of them has prototypes."""
        return not self.by_hand and len(self.trials) == self.plan.n_trials and self.best[1] > 0

    @property
    def to_weigh_columns(self) -> bool:
        """Tell whether it is still to be found out what columns are worth, all trials being done."""
        return self._looks and self.plan.drop_columns and self.columns is None

    @property
    def to_refine(self) -> int:
        """Folds on which the best of the trials has still to be refined, all trials being done."""
        return self.plan.n_folds - len(self.refined) if self._looks and self.plan.looks else 0

    @property
    def dropped(self) -> tuple[str, ...]:
        """Columns that the model does without: they say nothing of unseen rows, and folds are no worse without them."""
        if self.by_hand or self.columns is None or self.columns.without is None:
            return ()
        trial, batches, factor = self.best
        means = self.trials[trial].means
        allowed = GIVEN_AWAY[Rule.SE] * (means[0, 0] - means[batches, factor])
        return self.columns.idle if self.columns.without - means[batches, factor] <= allowed else ()

    @cached_property
    def refinement(self) -> NumberRefinement | None:
        """The refinement that the folds prefer: the smallest model that gives away next to nothing.

        None where a person has chosen, where there is nothing to choose, or where it is not known on all folds.
        """
        if self.by_hand or not self.plan.looks or len(self.refined) < self.plan.n_folds:
            return None
        losses = np.mean([fold.log_scores for fold in self.refined], axis=0)
        size = np.mean([fold.prototypes for fold in self.refined], axis=0)
        everybody = float(self.trials[self.best[0]].means[0, 0])
        row = pick_refinement(losses.min(axis=1), size, everybody, Rule.SE, share=1.0)
        factor = int(losses[row].argmin())
        return NumberRefinement(*self.plan.refinements()[row], factor, float(losses[row, factor]), float(size[row]))

    @property
    def by_hand(self) -> bool:
        """Tell whether a person has chosen."""
        return self.choice is not None

    @property
    def can_be_taken(self) -> bool:
        """Tell whether there is a best so far."""
        return bool(self.trials)

    @property
    def unfinished(self) -> bool:
        """Tell whether a choice was made before the search had come to its end."""
        return self.by_hand and not replace(self, choice=None).complete

    def take_best_so_far(self) -> NumberRecord:
        """Choose the best of the trials that are done."""
        return self.with_choice(*self.best)

    @property
    def best(self) -> tuple[int, int, int]:
        """Trial, number of batches and place of the spread factor with the lowest mean log score."""
        means = np.array([trial.means for trial in self.trials])
        trial, batches, factor = np.unravel_index(int(np.argmin(means)), means.shape)
        return int(trial), int(batches), int(factor)

    @property
    def chosen(self) -> tuple[int, int, int]:
        """Trial, number of batches and place of the spread factor of the model."""
        if self.choice is not None:
            return self.choice
        trial, batches, factor = self.best
        return trial, batches, factor if self.refinement is None else self.refinement.factor

    @property
    def log_score(self) -> float:
        """Mean log score of the choice over the folds: of the best of many, so somewhat too good."""
        if self.refinement is not None:
            return self.refinement.log_score
        trial, batches, factor = self.chosen
        return float(self.trials[trial].means[batches, factor])

    @property
    def found(self) -> dict[str, Any]:
        """Settings of the chosen model."""
        trial, batches, factor = self.chosen
        shared: dict[str, Any] = {"n_joined": self.plan.n_joined, "spread_factor": self.plan.spread_factors[factor]}
        if self.plan.refines:
            # Without folds that say so the least is done, but what says next to nothing may always be left out.
            least = next((thinning for thinning in self.plan.thinnings if thinning), 0.0)
            own = self.refinement
            shared |= {
                "correction": own.correction if own else self.plan.corrections[0],
                "thinning": own.thinning if own else least,
            }
        if self.scale is not None:
            shared["scale"] = self.scale.scale
        if self.plan.bend_target:
            shared["bend_target"] = self.bend is not None and self.bend.bent
        return {"n_iter": batches, **shared, **self.trials[trial].settings}

    def with_choice(self, trial: int, batches: int, factor: int = 0) -> NumberRecord:
        """Return the record with another choice than the best.

        Parameters
        ----------
        trial, batches, factor : int
            Place of the trial, number of batches, place of the spread factor.

        Raises
        ------
        StudyError
            If it was not tried.
        """
        known = 0 <= trial < len(self.trials) and 0 <= factor < len(self.plan.spread_factors)
        if not known or not 0 <= batches <= self.plan.max_batches:
            raise StudyError(f"Trial {trial} with {batches} batches was not tried.", hint="Choose one that was.")
        return replace(self, choice=(trial, batches, factor))

    def points(self) -> pd.DataFrame:
        """Return one line per trial and number of batches, each with its best spread factor.

        Columns ``trial``, ``batches``, ``mean``, ``error`` (standard error over the folds) and the settings.
        """
        lines = []
        for number, trial in enumerate(self.trials):
            errors = trial.log_scores.std(axis=0, ddof=1) / np.sqrt(len(trial.log_scores))
            for batches, means in enumerate(trial.means):
                best = int(np.argmin(means))
                measured = {"mean": means[best], "error": errors[batches, best]}
                lines.append({"trial": number, "batches": batches, **measured, **trial.settings})
        return pd.DataFrame(lines, columns=["trial", "batches", "mean", "error", *RANGES])

    def to_state(self) -> dict[str, Any]:
        """Return the record as plain JSON types."""
        return {
            "plan": self.plan.to_state(),
            "fingerprint": self.fingerprint,
            "log_scores": [trial.log_scores.tolist() for trial in self.trials],
            "choice": None if self.choice is None else list(self.choice),
            **({"refined": [refined_state(fold) for fold in self.refined]} if self.refined else {}),
            **({} if self.columns is None else {"columns": columns_state(self.columns)}),
            **({"scaled": [list(fold) for fold in self.scaled]} if self.scaled else {}),
            **({"bends": [list(fold) for fold in self.bends]} if self.bends else {}),
        }

    @classmethod
    def from_state(cls, state: object) -> NumberRecord:
        """Rebuild a record from what :meth:`to_state` returned; settings follow from the plan.

        Raises
        ------
        StorageError
            Naming the field that is missing, unknown or wrong.
        """
        reader = StateReader(state, "search")
        plan = NumberPlan.from_state(reader.take("plan"))
        fingerprint, scores, choice = reader.text("fingerprint"), reader.take("log_scores"), reader.take("choice")
        folds, scaled, bends = (reader.take(name) if name in reader else [] for name in ("refined", "scaled", "bends"))
        weighed = reader.take("columns") if "columns" in reader else None
        reader.close()
        if not isinstance(scores, list) or len(scores) > plan.n_trials:
            raise reader.refuse("log_scores", f"has to hold at most {plan.n_trials} trials")
        trials = []
        for settings, trial in zip(plan.settings(), scores, strict=False):
            if not isinstance(trial, list) or len(trial) != plan.n_folds:
                raise reader.refuse("log_scores", f"has to hold {plan.n_folds} folds of each trial")
            trials.append(NumberTrial(settings, np.array([read_fold(reader, fold, plan) for fold in trial])))
        if not isinstance(folds, list) or len(folds) > (plan.n_folds if len(trials) == plan.n_trials else 0):
            raise reader.refuse("refined", f"has to hold at most {plan.n_folds} folds, once all trials are done")
        refined = tuple(read_refined(reader, one, plan) for one in folds)
        columns = None if weighed is None else read_columns(weighed)
        before = read_scaled(reader, scaled, plan), read_bends(reader, bends, plan)
        record = cls(plan, fingerprint, tuple(trials), None, refined, columns, *before)
        if trials and record.plan.scales and record.scale is None:
            raise reader.refuse("scaled", f"has to hold {plan.n_folds} folds, once there are trials")
        if trials and record.bends and record.bend is None:
            raise reader.refuse("bends", f"has to hold {plan.n_folds} folds or none, once there are trials")
        if choice is None:
            return record
        places = tuple(map(int, reader.numbers_of("choice", choice, fewest=3, most=3)))
        try:
            return record.with_choice(*places)
        except StudyError as error:
            raise reader.refuse("choice", "names what was not tried") from error
