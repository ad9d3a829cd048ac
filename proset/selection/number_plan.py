"""Plan of a search for a model of a number, and what such a search has found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.stats import qmc

from proset.common.checked_json import StateReader
from proset.common.errors import StudyError
from proset.engine.regressor import RegressorModel
from proset.engine.set_manager import FloatArray
from proset.selection.plan import LARGEST_SEED, MOST_BATCHES, MOST_FOLDS, check_whole, is_number

RANGES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "lambda_v": (1e-5, 1e-1),
        "lambda_w": (1e-8, 1e-4),
        "lambda_beta": (1e-5, 1e-1),
        "min_spread": (0.03, 0.3),
    }
)
"""Settings that are searched on a logarithmic scale."""
MOST_TRIALS, MOST_JOINED, FEWEST_ROWS, MOST_ROWS = 200, 16, 50, 1_000_000
QUICK_ROWS = 1_000
_WHOLE = {
    "n_trials": (1, MOST_TRIALS),
    "n_folds": (2, MOST_FOLDS),
    "max_batches": (1, MOST_BATCHES),
    "n_joined": (1, MOST_JOINED),
    "random_state": (0, LARGEST_SEED),
}


@dataclass(frozen=True)
class NumberPlan:
    """Plan of a search for a model of a number, by mean log score on folds.

    Parameters
    ----------
    n_trials : int, default=12
        Settings to try, from 1 to 200. The first are the usual ones, the others are spread evenly over the ranges 1e-5
        to 1e-1 for ``lambda_v`` and ``lambda_beta``, 1e-8 to 1e-4 for ``lambda_w``, and 0.03 to 0.3 for ``min_spread``.
    n_folds : int, default=4
        Folds, from 2 to 100.
    max_batches : int, default=6
        Most batches, from 1 to 100; each number up to that is scored.
    n_joined : int, default=1
        Fits that are joined in the final model, from 1 to 16; the search joins none.
    max_rows : int or None, default=4_000
        Most rows that a batch inside the folds learns from; each batch draws its own. None does not bind.
    cv_factr : float, default=1e10
        Tolerance of the solver inside the folds.
    random_state : int, default=0
        Seed of folds, settings and candidates.

    Raises
    ------
    StudyError
        A ValueError that names the field that is out of range.

    Examples
    --------
    >>> plan = NumberPlan(n_trials=3)
    >>> len(list(plan.settings())), next(plan.settings())["lambda_v"], NumberPlan.quick().is_quick
    (3, 0.001, True)
    """

    METHOD: ClassVar[str] = "number"

    n_trials: int = 12
    n_folds: int = 4
    max_batches: int = 6
    n_joined: int = 1
    max_rows: int | None = 4_000
    cv_factr: float = 1e10
    random_state: int = 0

    def __post_init__(self) -> None:
        for name, (low, high) in _WHOLE.items():
            check_whole(name, getattr(self, name), low, high)
        if self.max_rows is not None:
            check_whole("max_rows", self.max_rows, FEWEST_ROWS, MOST_ROWS)
        if not is_number(self.cv_factr) or self.cv_factr <= 0.0:
            told = f"cv_factr is {self.cv_factr!r}; it has to be a number above zero."
            raise StudyError(told, hint="Try 1e10.", parameter="cv_factr")

    @classmethod
    def quick(cls, random_state: int = 0) -> NumberPlan:
        """Return the plan of a quick fit: two settings on three folds, up to four batches."""
        return cls(n_trials=2, n_folds=3, max_batches=4, max_rows=QUICK_ROWS, random_state=random_state)

    @property
    def is_quick(self) -> bool:
        """True if this is the plan of a quick fit."""
        return self == NumberPlan.quick(self.random_state)

    @property
    def sets(self) -> tuple[str, ...]:
        """Names of the settings of a fit on which the plan has its say."""
        return ("n_iter", *RANGES, "n_joined")

    def settings(self) -> Iterator[dict[str, float]]:
        """Yield the settings to try: the usual ones, then others spread over the ranges."""
        known = RegressorModel().get_params()
        yield {name: known[name] for name in RANGES}
        low, high = np.log(list(RANGES.values())).T
        for point in qmc.Halton(len(RANGES), rng=self.random_state).random(self.n_trials - 1):
            yield dict(zip(RANGES, np.exp(low + point * (high - low)).tolist(), strict=True))

    def to_state(self) -> dict[str, Any]:
        """Return the plan as plain JSON types."""
        return {"method": self.METHOD} | {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_state(cls, state: object) -> NumberPlan:
        """Rebuild a plan from what :meth:`to_state` returned.

        Raises
        ------
        StorageError
            Naming the field that is missing, unknown or wrong.
        """
        reader = StateReader(state, "search.plan")
        if reader.take("method") != cls.METHOD:
            raise reader.refuse("method", f"has to be '{cls.METHOD}'")
        values: dict[str, Any] = {field.name: reader.take(field.name) for field in fields(cls)}
        reader.close()
        try:
            return cls(**values)
        except StudyError as error:
            raise reader.refuse(str(error.parameter), f"is not allowed: {error.message}") from error


@dataclass(frozen=True, eq=False)
class NumberTrial:
    """Settings that were tried.

    Attributes
    ----------
    settings : mapping of str to float
        Parameters of ``RegressorModel``.
    log_scores : ndarray of shape (n_folds, max_batches + 1)
        Mean log score on the rows that each fold leaves out, with 0, 1, ... batches; in nats per unit of the target.
    """

    settings: Mapping[str, float]
    log_scores: FloatArray

    @property
    def means(self) -> FloatArray:
        """Mean over the folds for each number of batches, shape (max_batches + 1,)."""
        return np.asarray(self.log_scores.mean(axis=0))


@dataclass(frozen=True, eq=False)
class NumberRecord:
    """Trials that a search has finished.

    Attributes
    ----------
    plan : NumberPlan
        What was to be tried.
    fingerprint : str
        Of the rows that were searched.
    trials : tuple of NumberTrial
        Finished ones, in the order of ``plan.settings()``.
    choice : (int, int) or None
        Trial and number of batches that a person has chosen; None for the best.

    Examples
    --------
    >>> trial = NumberTrial({"lambda_v": 0.001}, np.array([[2.0, 1.5], [2.0, 1.4]]))
    >>> record = NumberRecord(NumberPlan(n_trials=1, n_folds=2, max_batches=1), "", (trial,))
    >>> record.complete, record.chosen, round(record.log_score, 2)
    (True, (0, 1), 1.45)
    """

    plan: NumberPlan
    fingerprint: str
    trials: tuple[NumberTrial, ...] = ()
    choice: tuple[int, int] | None = None

    @property
    def complete(self) -> bool:
        """Tell whether everything was tried."""
        return len(self.trials) == self.plan.n_trials or self.by_hand

    @property
    def by_hand(self) -> bool:
        """Tell whether a person has chosen."""
        return self.choice is not None

    @property
    def best(self) -> tuple[int, int]:
        """Trial and number of batches with the lowest mean log score."""
        means = np.array([trial.means for trial in self.trials])
        trial, batches = np.unravel_index(int(np.argmin(means)), means.shape)
        return int(trial), int(batches)

    @property
    def chosen(self) -> tuple[int, int]:
        """Trial and number of batches of the model."""
        return self.choice or self.best

    @property
    def log_score(self) -> float:
        """Mean log score of the choice over the folds: of the best of many, so somewhat too good."""
        trial, batches = self.chosen
        return float(self.trials[trial].means[batches])

    @property
    def found(self) -> dict[str, Any]:
        """Settings of the chosen model."""
        trial, batches = self.chosen
        return {"n_iter": batches, "n_joined": self.plan.n_joined, **self.trials[trial].settings}

    def with_choice(self, trial: int, batches: int) -> NumberRecord:
        """Return the record with another choice than the best.

        Raises
        ------
        StudyError
            If it was not tried.
        """
        if not (0 <= trial < len(self.trials) and 0 <= batches <= self.plan.max_batches):
            raise StudyError(f"Trial {trial} with {batches} batches was not tried.", hint="Choose one that was.")
        return replace(self, choice=(trial, batches))

    def points(self) -> pd.DataFrame:
        """Return one line per trial and number of batches: ``trial``, ``batches``, ``mean``, ``error``, settings."""
        lines = []
        for number, trial in enumerate(self.trials):
            errors = trial.log_scores.std(axis=0, ddof=1) / np.sqrt(len(trial.log_scores))
            for batches, (mean, error) in enumerate(zip(trial.means, errors, strict=True)):
                lines.append({"trial": number, "batches": batches, "mean": mean, "error": error, **trial.settings})
        return pd.DataFrame(lines, columns=["trial", "batches", "mean", "error", *RANGES])

    def to_state(self) -> dict[str, Any]:
        """Return the record as plain JSON types."""
        return {
            "plan": self.plan.to_state(),
            "fingerprint": self.fingerprint,
            "log_scores": [trial.log_scores.tolist() for trial in self.trials],
            "choice": None if self.choice is None else list(self.choice),
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
        reader.close()
        if not isinstance(scores, list) or len(scores) > plan.n_trials:
            raise reader.refuse("log_scores", f"has to hold at most {plan.n_trials} trials")
        trials = []
        for settings, trial in zip(plan.settings(), scores, strict=False):
            if not isinstance(trial, list) or len(trial) != plan.n_folds:
                raise reader.refuse("log_scores", f"has to hold {plan.n_folds} folds of each trial")
            n = plan.max_batches + 1
            values = [reader.numbers_of("log_scores", fold, fewest=n, most=n) for fold in trial]
            trials.append(NumberTrial(settings, np.array(values)))
        record = cls(plan, fingerprint, tuple(trials))
        if choice is None:
            return record
        trial_and_batches = tuple(map(int, reader.numbers_of("choice", choice, fewest=2, most=2)))
        try:
            return record.with_choice(*trial_and_batches)
        except StudyError as error:
            raise reader.refuse("choice", "names what was not tried") from error
