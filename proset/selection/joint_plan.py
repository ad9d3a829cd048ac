"""Plan of a joint search: pairs of penalties, each with every number of batches, on the same folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from proset.common.errors import StudyError
from proset.data.scales import Scale
from proset.engine.parameters import LARGEST_THINNING, SMALLEST_FACTOR
from proset.selection.plan import (
    LARGEST_SEED,
    MOST_BATCHES,
    MOST_FOLDS,
    PENALTIES,
    Penalty,
    PenaltyPlan,
    check_rule,
    check_tolerance,
    check_whole,
    checked_penalty,
    checked_scales,
    is_number,
)
from proset.selection.rules import Rule

FEWEST_VALUES, MOST_VALUES = 2, 20  # of one penalty that is a range
FEWEST_ROWS, MOST_ROWS = 50, 1_000_000
MOST_JOINED = 16
SMALL_ROWS = 500
SMALL_FRACTION, USUAL_FRACTION = 0.3, 0.5
SMALL_JOINED, USUAL_JOINED = 4, 2
# Range of each series of values, and whether it descends.
_SERIES = {
    "weight_factors": (SMALLEST_FACTOR, 1.0, True),
    "corrections": (0.0, 1.0, False),
    "thinnings": (0.0, LARGEST_THINNING, False),
}


@dataclass(frozen=True)
class JointPlan(PenaltyPlan):
    """Plan of a search over both penalties and the number of batches at once.

    Algorithm 2.2 (:class:`SearchPlan`) chooses the penalties by models of one batch, and the number of batches for
    these penalties afterwards. Small penalties pay with several batches only, so it cannot see what they are worth. As
    a model is scored after every batch on its way, all numbers of batches cost little more than the largest.

    Parameters
    ----------
    lambda_v, lambda_w : (float, float) or float, default=(1e-4, 3e-2) and (1e-7, 5e-5)
        Range of each penalty, both ends positive; a number keeps it fixed.
    n_lambda_v, n_lambda_w : int, default=4 and 2
        Values of each penalty, even on a logarithmic scale, from 2 to 20; a fixed penalty has one, whatever is stated.
    weight_factors : tuple of float, default=(1.0, 0.5, 0.25, 0.125)
        Values of ``weight_factor`` that every model is scored with, descending, in (0, 1]; they cost no fits.
    corrections : tuple of float, default=(0.0, 0.5, 1.0)
        Values of ``correction`` that the chosen model is tried with, ascending, in [0, 1].
    thinnings : tuple of float, default=(0.0, 0.001, 0.003)
        Values of ``thinning`` that it is tried with, ascending. With (0.0,) for both it is taken as it was grown.
    n_joined : int or None, default=None
        Fits like the chosen model, each on candidates of its own, whose joined votes are tried with the same
        corrections and thinnings; with 1 nothing is joined. None: 4 below 500 rows, where a fit depends most on the
        draw of its candidates and takes least, else 2. A plan without refinements joins nothing.
    take_joined : bool, default=True
        Take the joined model unless it is clearly worse over the folds, by two standard errors of the paired
        difference. Otherwise it is only shown, and a person may choose it.
    scales : tuple of Scale, default=("standard", "quantile", "evidence")
        Scales of the numbers that are compared before anything else, "standard" first; the best is taken if it is
        clearly better. Empty: numbers stay on the scale that the settings of the fit name.
    alpha_v : float, default=0.1
        Share of the L2 term in the feature penalty of all models, in [0, 1]. At the same log-loss a small one uses
        fewer features.
    max_fraction : float or None, default=None
        Largest share of the samples of one bin that may become candidates, in (0, 1). None: 0.3 below 500 rows, where
        it does better to have more rows that score fewer candidates, else 0.5.
    n_folds : int, default=5
        Folds of the cross-validation, from 2 to 100.
    first_folds : int, default=2
        Folds on which every pair is tried, all if there are no more; only the best go on to the others.
    n_keep : int, default=3
        Pairs that go on.
    max_batches : int, default=10
        Largest number of batches, from 1 to 100.
    rule : Rule, default=Rule.SE
        How far a sparser model may lie above the best, by the paired differences over the folds.
    max_rows : int or None, default=10_000
        Most rows that a batch inside the folds learns from; each batch draws its own. None does not bind.
    cv_factr : float, default=1e11
        Tolerance of the solver inside the folds.
    random_state : int, default=0
        Seed of folds and candidates.

    Raises
    ------
    StudyError
        A ValueError that names the field that is out of range.

    Examples
    --------
    >>> plan = JointPlan(lambda_v=(1e-4, 1e-2), n_lambda_v=3, lambda_w=1e-4)
    >>> plan.pairs()
    ((0.0001, 0.0001), (0.001, 0.0001), (0.01, 0.0001))
    >>> JointPlan.quick().n_pairs, JointPlan.quick().is_quick
    (4, True)
    """

    METHOD: ClassVar[str] = "joint"
    AS_BEFORE: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {"corrections": [0.0], "thinnings": [0.0], "n_joined": 1, "take_joined": False, "scales": []}
    )

    lambda_v: Penalty = (1e-4, 3e-2)
    lambda_w: Penalty = (1e-7, 5e-5)
    n_lambda_v: int = 4
    n_lambda_w: int = 2
    weight_factors: tuple[float, ...] = (1.0, 0.5, 0.25, 0.125)
    corrections: tuple[float, ...] = (0.0, 0.5, 1.0)
    thinnings: tuple[float, ...] = (0.0, 0.001, 0.003)
    n_joined: int | None = None
    take_joined: bool = True
    scales: tuple[Scale, ...] = (Scale.STANDARD, Scale.QUANTILE, Scale.EVIDENCE)
    alpha_v: float = 0.1
    max_fraction: float | None = None
    n_folds: int = 5
    first_folds: int = 2
    n_keep: int = 3
    max_batches: int = 10
    rule: Rule = Rule.SE
    max_rows: int | None = 10_000
    cv_factr: float = 1e11
    random_state: int = 0

    def __post_init__(self) -> None:
        for name in PENALTIES:
            object.__setattr__(self, name, checked_penalty(name, getattr(self, name)))
            fixed = not isinstance(getattr(self, name), tuple)
            if fixed or getattr(self, f"n_{name}") == 1:
                object.__setattr__(self, f"n_{name}", 1 if fixed else FEWEST_VALUES)
            check_whole(f"n_{name}", getattr(self, f"n_{name}"), 1 if fixed else FEWEST_VALUES, MOST_VALUES)
        check_whole("n_folds", self.n_folds, 2, MOST_FOLDS)
        check_whole("first_folds", self.first_folds, 1, MOST_FOLDS)
        object.__setattr__(self, "first_folds", min(self.first_folds, self.n_folds))
        check_whole("n_keep", self.n_keep, 1, MOST_VALUES**2)
        check_whole("max_batches", self.max_batches, 1, MOST_BATCHES)
        if self.n_joined is not None:
            check_whole("n_joined", self.n_joined, 1, MOST_JOINED)
        if not isinstance(self.take_joined, bool):
            raise StudyError(
                f"take_joined is {self.take_joined!r}; it has to be True or False.", parameter="take_joined"
            )
        check_whole("random_state", self.random_state, 0, LARGEST_SEED)
        if self.max_rows is not None:
            check_whole("max_rows", self.max_rows, FEWEST_ROWS, MOST_ROWS)
        if not is_number(self.alpha_v) or not 0.0 <= self.alpha_v <= 1.0:
            raise StudyError(f"alpha_v is {self.alpha_v!r}; it has to be a number from 0 to 1.", parameter="alpha_v")
        if self.max_fraction is not None and not (is_number(self.max_fraction) and 0.0 < self.max_fraction < 1.0):
            raise StudyError(
                f"max_fraction is {self.max_fraction!r}; it has to be a number between 0 and 1.",
                parameter="max_fraction",
            )
        self._check_factors()
        object.__setattr__(self, "scales", checked_scales(self.scales, tuple(Scale)))
        check_tolerance(self.cv_factr, usual="1e11")
        check_rule(self.rule)
        object.__setattr__(self, "rule", Rule(self.rule))

    def _check_factors(self) -> None:
        """Refuse factors and refinements that are not in order within their ranges."""
        for name, (low, high, falls) in _SERIES.items():
            values = getattr(self, name)
            if not isinstance(values, (tuple, list)) or not 1 <= len(values) <= MOST_VALUES:
                raise StudyError(f"{name} is {values!r}; it has to hold 1 to {MOST_VALUES} numbers.", parameter=name)
            if not all(is_number(value) and low <= value <= high for value in values):
                raise StudyError(f"{name} is {values!r}; they have to be from {low:g} to {high:g}.", parameter=name)
            if list(values) != sorted(set(values), reverse=falls):
                order = "descending" if falls else "ascending"
                raise StudyError(f"{name} is {values!r}; they have to be {order}.", parameter=name)
            object.__setattr__(self, name, tuple(float(value) for value in values))

    @classmethod
    def quick(cls, random_state: int = 0) -> JointPlan:
        """Return the plan of a quick fit: with or without evidence, four pairs on three folds, up to six batches."""
        return cls(
            lambda_v=(5e-4, 2e-2),
            n_lambda_v=2,
            n_folds=3,
            first_folds=3,
            n_keep=4,
            max_batches=6,
            max_rows=1000,
            n_joined=1,
            take_joined=False,
            scales=(Scale.STANDARD, Scale.EVIDENCE),
            random_state=random_state,
        )

    @property
    def is_quick(self) -> bool:
        """True if this is the plan of a quick fit, with whatever refinements and scales: those of before had none."""
        usual = JointPlan.quick(self.random_state)
        same = {name: getattr(usual, name) for name in ("corrections", "thinnings", "scales")}
        return replace(self, **same) == usual

    @property
    def sets(self) -> tuple[str, ...]:
        """Names of the settings of a fit on which the plan has its say; a penalty that it keeps fixed is its own."""
        refined = ("correction", "thinning", "n_joined") if self.refines else ()
        scale = ("scale",) if self.scales else ()
        return ("n_iter", *PENALTIES, "weight_factor", "alpha_v", "max_fraction", *refined, *scale)

    @property
    def refines(self) -> bool:
        """True if the chosen model is tried with refinements."""
        return (self.corrections, self.thinnings) != ((0.0,), (0.0,))

    def refinements(self) -> tuple[tuple[float, float], ...]:
        """Return what the chosen model is tried with: ``correction`` and ``thinning``."""
        return tuple((correction, thinning) for correction in self.corrections for thinning in self.thinnings)

    @property
    def n_pairs(self) -> int:
        """Number of pairs of penalties."""
        return self.n_lambda_v * self.n_lambda_w

    def pairs(self) -> tuple[tuple[float, float], ...]:
        """Return the pairs of penalties, ascending in ``lambda_v``, then in ``lambda_w``."""
        columns = [_spaced(getattr(self, name), getattr(self, f"n_{name}")) for name in PENALTIES]
        return tuple((v, w) for v in columns[0] for w in columns[1])

    def fraction(self, n_rows: int) -> float:
        """Return the ``max_fraction`` for a table with so many training rows."""
        if self.max_fraction is not None:
            return self.max_fraction
        return SMALL_FRACTION if n_rows < SMALL_ROWS else USUAL_FRACTION

    def joined(self, n_rows: int) -> int:
        """Return how many fits are joined on a table with so many training rows."""
        if self.n_joined is not None:
            return self.n_joined
        return SMALL_JOINED if n_rows < SMALL_ROWS else USUAL_JOINED

    def to_state(self) -> dict[str, Any]:
        """Return the plan as plain JSON types."""
        state = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in PENALTIES:
            state[name] = list(state[name]) if isinstance(state[name], tuple) else state[name]
        own: dict[str, Any] = {"scales": [scale.value for scale in self.scales]}
        if not self.scales:
            del state["scales"], own["scales"]  # as in plans of before
        own |= {"rule": self.rule.value} | {name: list(getattr(self, name)) for name in _SERIES}
        return {"method": self.METHOD} | state | own


def _spaced(value: Penalty, n: int) -> list[float]:
    """Spread a range evenly on the logarithmic scale; a number stands alone."""
    if not isinstance(value, tuple):
        return [value]
    spread: list[float] = np.geomspace(value[0], value[1], n).tolist()
    return spread
