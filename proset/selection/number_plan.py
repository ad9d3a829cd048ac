"""Plan of a search for a model of a number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from proset.common.errors import StudyError
from proset.data.scales import Scale
from proset.engine.parameters import LARGEST_THINNING
from proset.engine.regressor import RegressorModel
from proset.selection.plan import (
    LARGEST_SEED,
    MOST_BATCHES,
    MOST_FOLDS,
    SavedPlan,
    check_tolerance,
    check_whole,
    checked_scales,
    is_number,
)

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
MOST_FACTORS, LEAST_FACTOR = 10, 0.1
SCALES = (Scale.STANDARD, Scale.SQUASHED, Scale.QUANTILE)
SMOOTHER = MappingProxyType({"lambda_v": 5e-3, "lambda_w": 1e-6, "lambda_beta": 1e-3, "min_spread": 0.25})
_LISTS: Mapping[str, tuple[float, float, bool]] = MappingProxyType(
    {
        "spread_factors": (LEAST_FACTOR, 1.0, True),
        "corrections": (0.0, 1.0, False),
        "thinnings": (0.0, LARGEST_THINNING, False),
    }
)
"""Lists of a plan: the range of their values, and whether they descend."""
_SAFE_THINNING = 0.003  # half as many prototypes that say the same, on every table that was measured
_BASES = (2, 3, 5, 7)  # of Halton's sequence, one for each range
_WHOLE = {
    "n_trials": (1, MOST_TRIALS),
    "n_folds": (2, MOST_FOLDS),
    "max_batches": (1, MOST_BATCHES),
    "n_joined": (1, MOST_JOINED),
    "random_state": (0, LARGEST_SEED),
}


@dataclass(frozen=True)
class NumberPlan(SavedPlan):
    """Plan of a search for a model of a number, by mean log score on folds.

    Parameters
    ----------
    n_trials : int, default=12
        Settings to try, from 1 to 200. The first are the usual ones, the second smoother ones with fewer prototypes,
        the others are spread evenly over the ranges 1e-5 to 1e-1 for ``lambda_v`` and ``lambda_beta``, 1e-8 to 1e-4 for
        ``lambda_w``, and 0.03 to 0.3 for ``min_spread``.
    n_folds : int, default=4
        Folds, from 2 to 100.
    max_batches : int, default=6
        Most batches, from 1 to 100; each number up to that is scored.
    n_joined : int, default=4
        Fits that are joined in the final model, and in the last look at it, from 1 to 16; the trials join none.
    spread_factors : tuple of float, default=(1.0, 0.85, 0.7)
        What the spreads of all prototypes are tried to be multiplied with, 1 first, descending; costs next to nothing.
    corrections : tuple of float, default=(0.0, 0.5, 1.0)
        Values of ``correction`` that the best of the trials is tried with in the end, each with all thinnings;
        ascending, from 0 to 1.
    thinnings : tuple of float, default=(0.0, 0.001, 0.003, 0.01)
        Values of ``thinning``, ascending, from 0 to 0.9. One value of each is taken without being tried.
    scales : tuple of Scale, default=("standard", "squashed", "quantile")
        Scales of numbers that are compared on the folds before all else; another than the standard one is taken only if
        it is clearly better. Empty: numbers stay on the scale that the settings of the fit name.
    bend_target : bool, default=True
        Whether the target is tried bent, see ``RegressorModel``, where it has a long tail; it is taken so only if that
        is clearly better.
    drop_columns : bool, default=True
        Whether columns are left out that say nothing of rows that the best of the trials has not seen.
    max_rows : int or None, default=4_000
        Most rows that a batch inside the folds learns from; each batch draws its own. None does not bind.
    cv_factr : float, default=1e10
        Tolerance of the solver inside the folds.
    random_state : int, default=0
        Seed of folds and candidates.

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
    AS_BEFORE: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {"corrections": [0.0], "thinnings": [0.0], "drop_columns": False, "scales": [], "bend_target": False}
    )

    n_trials: int = 12
    n_folds: int = 4
    max_batches: int = 6
    n_joined: int = 4
    spread_factors: tuple[float, ...] = (1.0, 0.85, 0.7)
    corrections: tuple[float, ...] = (0.0, 0.5, 1.0)
    thinnings: tuple[float, ...] = (0.0, 0.001, 0.003, 0.01)
    scales: tuple[Scale, ...] = SCALES
    bend_target: bool = True
    drop_columns: bool = True
    max_rows: int | None = 4_000
    cv_factr: float = 1e10
    random_state: int = 0

    def __post_init__(self) -> None:
        for name, (low, high) in _WHOLE.items():
            check_whole(name, getattr(self, name), low, high)
        if self.max_rows is not None:
            check_whole("max_rows", self.max_rows, FEWEST_ROWS, MOST_ROWS)
        for name, (least, most, descends) in _LISTS.items():
            self._check_list(name, least, most, descends)
        object.__setattr__(self, "scales", checked_scales(self.scales, SCALES))
        for name in ("bend_target", "drop_columns"):
            if not isinstance(getattr(self, name), bool):
                told = f"{name} is {getattr(self, name)!r}; it has to be true or false."
                raise StudyError(told, parameter=name)
        check_tolerance(self.cv_factr, usual="1e10")

    def _check_list(self, name: str, low: float, high: float, descends: bool) -> None:
        """Refuse factors and refinements that are not in order within their range."""
        values = getattr(self, name)
        known = isinstance(values, (tuple, list)) and 1 <= len(values) <= MOST_FACTORS
        if not known or not all(is_number(value) and low <= value <= high for value in values):
            told = f"{name} is {values!r}; it has to hold 1 to {MOST_FACTORS} numbers from {low:g} to {high:g}."
            raise StudyError(told, parameter=name)
        if list(values) != sorted(set(values), reverse=descends) or (descends and values[0] != 1.0):
            order = "begin with 1 and descend" if descends else "ascend"
            raise StudyError(f"{name} is {values!r}; it has to {order}.", parameter=name)
        object.__setattr__(self, name, tuple(map(float, values)))

    @classmethod
    def quick(cls, random_state: int = 0) -> NumberPlan:
        """Return the plan of a quick fit: two settings on three folds, up to four batches, one fit that is thinned.

        Folds are solved a hundred times less exactly than in a search: that costs no quality and half of the time.
        """
        return cls(
            n_trials=2,
            n_folds=3,
            max_batches=4,
            n_joined=1,
            corrections=(0.0,),
            thinnings=(_SAFE_THINNING,),
            scales=(),
            cv_factr=1e12,
            max_rows=QUICK_ROWS,
            random_state=random_state,
        )

    @property
    def is_quick(self) -> bool:
        """True if this is the plan of a quick fit, of any version: those of before refined and tried less."""
        usual = NumberPlan.quick(self.random_state)
        same = {name: getattr(usual, name) for name in (*self.AS_BEFORE, "cv_factr")}
        return replace(self, **same) == usual

    @property
    def refines(self) -> bool:
        """True if the model is refined, or may be."""
        return (self.corrections, self.thinnings) != ((0.0,), (0.0,))

    @property
    def looks(self) -> bool:
        """True if the best of the trials is tried with several refinements on the folds."""
        return len(self.refinements()) > 1

    def refinements(self) -> tuple[tuple[float, float], ...]:
        """Return what it is tried with: ``correction`` and ``thinning``."""
        return tuple((correction, thinning) for correction in self.corrections for thinning in self.thinnings)

    @property
    def sets(self) -> tuple[str, ...]:
        """Names of the settings of a fit on which the plan has its say."""
        refined = ("correction", "thinning") if self.refines else ()
        bent = ("bend_target",) if self.bend_target else ()
        return ("n_iter", *RANGES, "n_joined", "spread_factor", *refined, *(("scale",) if self.scales else ()), *bent)

    def settings(self) -> Iterator[dict[str, float]]:
        """Yield the settings to try: the usual ones, smoother ones, then others spread over the ranges."""
        known = RegressorModel().get_params()
        yield {name: known[name] for name in RANGES}
        low, high = np.log(list(RANGES.values())).T
        if self.n_trials > 1:
            yield dict(SMOOTHER)
        for number in range(1, self.n_trials - 1):
            point = np.array([radical_inverse(number, base) for base in _BASES])
            yield dict(zip(RANGES, np.exp(low + point * (high - low)).tolist(), strict=True))

    def to_state(self) -> dict[str, Any]:
        """Return the plan as plain JSON types."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        lists = {name: list(getattr(self, name)) for name in _LISTS}
        state = {"method": self.METHOD} | own | lists | {"scales": [scale.value for scale in self.scales]}
        if not self.bend_target:  # as in plans that were saved before it could be
            del state["bend_target"]
        return state


def radical_inverse(number: int, base: int) -> float:
    """Return the digits of a whole number mirrored at the point: Halton's sequence, in one dimension.

    Written out, because a saved search makes its settings anew, which no other version of a library may change.

    Examples
    --------
    >>> [radical_inverse(number, 2) for number in (1, 2, 3, 4)]
    [0.5, 0.25, 0.75, 0.125]
    """
    inverse, digit = 0.0, 1.0 / base
    while number:
        number, rest = divmod(number, base)
        inverse, digit = inverse + rest * digit, digit / base
    return inverse
