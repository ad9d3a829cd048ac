"""What the parameters of a ``ClassifierModel`` may be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

import numpy as np

from proset.engine.objective import BACKENDS


@dataclass(frozen=True)
class Allowed:
    """A range of numbers.

    Attributes
    ----------
    low, high : float
        Its ends; infinity itself is never allowed.
    whole : bool
        Only whole numbers.
    ends : bool
        Whether the ends are allowed.
    none : bool
        Whether None is allowed.

    Examples
    --------
    >>> Allowed(0.0, 1.0, ends=False).holds(0.5), Allowed(1, whole=True, none=True).words()
    (True, 'a whole number of at least 1, or None')
    """

    low: float
    high: float = math.inf
    whole: bool = False
    ends: bool = True
    none: bool = False

    def holds(self, value: object) -> bool:
        """Tell whether a value is allowed."""
        if value is None:
            return self.none
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral if self.whole else Real):
            return False
        number = float(value)
        inside = self.low <= number <= self.high if self.ends else self.low < number < self.high
        return inside and math.isfinite(number)

    def words(self) -> str:
        """Say what is allowed, to go after "has to be"."""
        what = "a whole number" if self.whole else "a number"
        if math.isfinite(self.high):
            between = f"from {self.low:g} to {self.high:g}" if self.ends else f"between {self.low:g} and {self.high:g}"
        else:
            between = f"of at least {self.low:g}" if self.ends else f"above {self.low:g}"
        return f"{what} {between}{', or None' if self.none else ''}"


SMALLEST_FACTOR = 1e-3
"""Of all prototype weights; less would leave nothing of a model."""

NUMBERS: Mapping[str, Allowed] = MappingProxyType(
    {
        "n_iter": Allowed(0, whole=True),
        "lambda_v": Allowed(0.0),
        "lambda_w": Allowed(0.0),
        "alpha_v": Allowed(0.0, 1.0),
        "alpha_w": Allowed(0.0, 1.0),
        "num_candidates": Allowed(1, whole=True),
        "max_fraction": Allowed(0.0, 1.0, ends=False),
        "max_samples": Allowed(1, whole=True, none=True),
        "solver_factr": Allowed(0.0, ends=False),
        "weight_factor": Allowed(SMALLEST_FACTOR, 1.0),
    }
)
_JOBS = Allowed(-math.inf, whole=True, none=True)
_SEED = Allowed(0, 2**32 - 1, whole=True, none=True)


def check_parameters(values: Mapping[str, Any]) -> None:
    """Check the parameters of a model, those that are there.

    Parameters
    ----------
    values : mapping of str to object
        As ``get_params()`` returns them.

    Raises
    ------
    ValueError
        Naming the first parameter with an impossible value, and what it may be.

    Examples
    --------
    >>> check_parameters({"n_iter": 2, "backend": "numpy"})
    >>> check_parameters({"alpha_v": 1.5})
    Traceback (most recent call last):
        ...
    ValueError: alpha_v is 1.5; it has to be a number from 0 to 1.
    """
    for name, allowed in NUMBERS.items():
        if name in values and not allowed.holds(values[name]):
            raise ValueError(f"{name} is {values[name]!r}; it has to be {allowed.words()}.")
    backend = values.get("backend", BACKENDS[0])
    if not isinstance(backend, str) or backend not in BACKENDS:
        raise ValueError(f"backend is {backend!r}; it has to be one of {', '.join(map(repr, BACKENDS))}.")
    seed = values.get("random_state")
    if not isinstance(seed, np.random.RandomState) and not _SEED.holds(seed):
        raise ValueError(f"random_state is {seed!r}; it has to be {_SEED.words()}, or a RandomState.")
    jobs = values.get("n_jobs")
    if jobs == 0 or not _JOBS.holds(jobs):
        raise ValueError(f"n_jobs is {jobs!r}; it has to be a whole number other than 0, or None.")
