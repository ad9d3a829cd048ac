"""Plan of a hyperparameter search: penalties, number of folds, batches, rule."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from proset.common.checked_json import StateReader
from proset.common.errors import StudyError
from proset.data.scales import Scale
from proset.engine.set_manager import FloatArray
from proset.selection.folds import Fold, make_folds
from proset.selection.rules import Rule

Penalty = float | tuple[float, float]

PENALTIES = ("lambda_v", "lambda_w")

GRID_TRIALS, RANDOM_TRIALS = 11, 50
REPORT_LAMBDA_W = (1e-9, 1e-4)
MOST_TRIALS, MOST_FOLDS, MOST_BATCHES = 1_000, 100, 100
LARGEST_SEED = 2**32 - 1
PAIR_STREAM, DRAW_STREAM = 0, 1  # first keys of the random streams that start from the plan's seed

__all__ = ["Fold", "Rule", "SearchPlan", "make_folds"]


@dataclass(frozen=True)
class SavedPlan:
    """Plan of a search, rebuilt from its saved form."""

    METHOD: ClassVar[str] = ""
    """Name of the search in saved plans; empty if they have none."""
    AS_BEFORE: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    """Values of fields that plans lack which were saved before there were these."""

    @classmethod
    def from_state(cls, state: object) -> Self:
        """Rebuild a plan from what ``to_state`` returned.

        Raises
        ------
        StorageError
            Naming the field that is missing, unknown or wrong.
        """
        reader = StateReader({**cls.AS_BEFORE, **state} if isinstance(state, dict) else state, "search.plan")
        if cls.METHOD and reader.take("method") != cls.METHOD:
            raise reader.refuse("method", f"has to be '{cls.METHOD}'")
        values: dict[str, Any] = {field.name: reader.take(field.name) for field in fields(cls)}
        reader.close()
        try:
            return cls(**values)
        except StudyError as error:
            raise reader.refuse(str(error.parameter), f"is not allowed: {error.message}") from error


class PenaltyPlan(SavedPlan):
    """Plan of a search for penalties, which it tries in pairs."""

    def pairs(self) -> tuple[tuple[float, float], ...]:
        """Return the pairs of penalties to try, ascending in ``lambda_v``, then in ``lambda_w``."""
        raise NotImplementedError

    @property
    def searched(self) -> tuple[str, ...]:
        """Names of the penalties that are searched, those given as ranges."""
        return tuple(name for name in PENALTIES if isinstance(getattr(self, name), tuple))

    def sparseness(self) -> tuple[float, ...]:
        """Return how sparse each pair makes a model: the geometric mean of the penalties that are searched."""
        counts = [PENALTIES.index(name) for name in self.searched or PENALTIES]
        return tuple(math.prod(pair[i] for i in counts) ** (1.0 / len(counts)) for pair in self.pairs())


@dataclass(frozen=True)
class SearchPlan(PenaltyPlan):
    """Plan of algorithm 2.2, with one penalty fixed unless both are ranges; :meth:`report` is the report's own.

    Parameters
    ----------
    lambda_v : (float, float) or float, default=(1e-6, 1e-1)
        Range of the penalty on the feature weights, both ends positive; a number keeps it fixed.
    lambda_w : (float, float) or float, default=1e-8
        The same for the penalty on the prototype weights. The report's range is 1e-9 to 1e-4.
    n_trials : int or None, default=None
        Pairs of penalties in stage 1. None: 50 random pairs if both are ranges, a grid of 11 if one is, else 1.
    n_folds : int, default=5
        Folds of the cross-validation, from 2 to 100.
    max_batches : int, default=10
        Stage 2 tries 0 to that many batches, from 1 to 100.
    rule : Rule, default=Rule.SD
        What counts as equivalent to the best.
    cv_factr : float, default=1e11
        Tolerance of the solver inside the cross-validation; loose, because only the ranking matters there.
    random_state : int, default=0
        Seed of pairs, folds and candidates, from 0 to 2**32 - 1.
    second_look : bool, default=False
        Stage 1 compares models of one batch; a smaller penalty may only pay with more. True: stage 2 goes on from the
        chosen pair to pairs that are less sparse by half a decade each, among those equivalent in stage 1, for as
        long as that lowers the best mean by more than the standard error of the difference over the folds; the rule
        then applies to all of them. False: as algorithm 2.2 has it.

    Raises
    ------
    StudyError
        A ValueError that names the field that is out of range.

    Examples
    --------
    >>> SearchPlan(lambda_v=(1e-4, 1e-2), n_trials=3).pairs()
    ((0.0001, 1e-08), (0.001, 1e-08), (0.01, 1e-08))
    """

    lambda_v: Penalty = (1e-6, 1e-1)
    lambda_w: Penalty = 1e-8
    n_trials: int | None = None
    n_folds: int = 5
    max_batches: int = 10
    rule: Rule = Rule.SD
    cv_factr: float = 1e11
    random_state: int = 0
    second_look: bool = False

    def __post_init__(self) -> None:
        for name in PENALTIES:
            object.__setattr__(self, name, checked_penalty(name, getattr(self, name)))
        if self.n_trials is not None:
            check_whole("n_trials", self.n_trials, 1, MOST_TRIALS)
            if not self.searched and self.n_trials != 1:
                raise StudyError(
                    f"n_trials is {self.n_trials}, but lambda_v and lambda_w are both fixed.",
                    hint="Give one of them as a range (low, high), or leave n_trials out.",
                    parameter="n_trials",
                )
        check_whole("n_folds", self.n_folds, 2, MOST_FOLDS)
        check_whole("max_batches", self.max_batches, 1, MOST_BATCHES)
        check_whole("random_state", self.random_state, 0, LARGEST_SEED)
        check_tolerance(self.cv_factr, usual="1e11")
        check_rule(self.rule)
        if not isinstance(self.second_look, (bool, np.bool_)):
            raise StudyError(
                f"second_look is {self.second_look!r}; it has to be True or False.", parameter="second_look"
            )
        object.__setattr__(self, "rule", Rule(self.rule))
        object.__setattr__(self, "second_look", bool(self.second_look))

    @classmethod
    def report(cls, random_state: int = 0, **changes: Any) -> Self:
        """Return algorithm 2.2 as the report has it: 50 random pairs of penalties over both ranges of its case study.

        Parameters
        ----------
        random_state : int, default=0
            Draws the pairs, folds and candidates.
        **changes
            Other fields that are not to be the report's.

        Examples
        --------
        >>> plan = SearchPlan.report(random_state=1)
        >>> plan.lambda_v, plan.lambda_w, len(plan.pairs()), plan.n_folds, plan.max_batches, plan.second_look
        ((1e-06, 0.1), (1e-09, 0.0001), 50, 5, 10, False)
        """
        own: dict[str, Any] = {"lambda_w": REPORT_LAMBDA_W, "second_look": False}
        return cls(random_state=random_state, **own | changes)

    @property
    def n_pairs(self) -> int:
        """Number of pairs that stage 1 tries."""
        return self.n_trials or (1, GRID_TRIALS, RANDOM_TRIALS)[len(self.searched)]

    def pairs(self) -> tuple[tuple[float, float], ...]:
        """Return the pairs of penalties for stage 1, ascending in ``lambda_v``, then in ``lambda_w``.

        Returns
        -------
        tuple of (lambda_v, lambda_w)
            Random and uniform on the logarithmic scale if both are ranges; evenly spaced on it if one is.
        """
        rng = np.random.default_rng(np.random.SeedSequence(self.random_state, spawn_key=(PAIR_STREAM,)))
        spread = _drawn if self.searched == PENALTIES else _spaced
        columns = [spread(value, self.n_pairs, rng) for value in (self.lambda_v, self.lambda_w)]
        return tuple(sorted(zip(*(column.tolist() for column in columns), strict=True)))

    def to_state(self) -> dict[str, Any]:
        """Return the plan as plain JSON types."""
        state = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in PENALTIES:
            state[name] = list(state[name]) if isinstance(state[name], tuple) else state[name]
        return state | {"rule": self.rule.value}


def _drawn(value: Penalty, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw values of a range at random, uniform on the logarithmic scale; repeat a number."""
    if not isinstance(value, tuple):
        return np.full(n, value)
    return np.exp(rng.uniform(math.log(value[0]), math.log(value[1]), size=n))


def _spaced(value: Penalty, n: int, _rng: np.random.Generator) -> FloatArray:
    """Spread a range as a grid, even on the logarithmic scale; repeat a number."""
    return np.geomspace(*value, n) if isinstance(value, tuple) else np.full(n, value)


def is_number(value: object) -> bool:
    """Tell whether a value is a finite real number and no truth value."""
    kinds = (int, float, np.floating, np.integer)
    return isinstance(value, kinds) and not isinstance(value, bool) and math.isfinite(value)


def check_whole(name: str, value: object, low: int, high: int) -> None:
    """Refuse anything but a whole number in a range."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not low <= value <= high:  # type: ignore[operator]
        raise StudyError(f"{name} is {value!r}; it has to be a whole number from {low} to {high}.", parameter=name)


def check_tolerance(value: Any, *, usual: str) -> None:
    """Refuse a tolerance of the solver, ``cv_factr``, that is no number above zero."""
    if not is_number(value) or value <= 0.0:
        told = f"cv_factr is {value!r}; it has to be a number above zero."
        raise StudyError(told, hint=f"Try {usual}.", parameter="cv_factr")


def check_rule(value: object) -> None:
    """Refuse what is no rule."""
    if value not in tuple(Rule):
        raise StudyError(f"rule is {value!r}; it has to be one of {', '.join(Rule)}.", parameter="rule")


def checked_scales(scales: Any, known: tuple[Scale, ...]) -> tuple[Scale, ...]:
    """Return scales that are to be compared; refuse those that there are not, and a choice without the standard one.

    Raises
    ------
    StudyError
        If it is neither empty nor a list of two or more that differ, the standard one first.
    """
    listed = isinstance(scales, (tuple, list))
    different = listed and all(name in known for name in scales) and len(set(scales)) == len(scales) != 1
    if not different or (scales and scales[0] != Scale.STANDARD):
        raise StudyError(
            f"scales is {scales!r}; it has to be empty, or hold two or more of {', '.join(known)},"
            f" {Scale.STANDARD} first.",
            parameter="scales",
        )
    return tuple(Scale(name) for name in scales)


def checked_penalty(name: str, value: Any) -> Penalty:
    """Return a penalty as a float or a pair of floats."""
    if is_number(value) and value >= 0.0:
        return float(value)
    if isinstance(value, (tuple, list)) and len(value) == 2 and all(is_number(end) for end in value):
        low, high = (float(end) for end in value)
        if 0.0 < low < high:
            return low, high
    raise StudyError(
        f"{name} is {value!r}; it has to be a number that is not negative, or a range (low, high) with 0 < low < high.",
        parameter=name,
    )
