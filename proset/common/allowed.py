"""Allowed values of parameters: numbers, words, switches, seeds; one check and one message for all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np

from proset.common.errors import ParameterError, ProsetError
from proset.common.words import shown

LARGEST_SEED = 2**32 - 1


class AllowedValues(Protocol):
    """Tells which values a parameter may have."""

    def holds(self, value: object) -> bool:
        """Tell whether a value is allowed."""
        ...

    def words(self) -> str:
        """Say what is allowed, to go after "has to be"."""
        ...


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
    named : tuple of str
        Words that are allowed instead of a number.

    Examples
    --------
    >>> Allowed(0.0, 1.0, ends=False).holds(0.5), Allowed(1, whole=True, none=True).words()
    (True, 'a whole number of at least 1, or None')
    >>> Allowed(0.0, ends=False, named=("cv",)).words()
    "'cv', or a number above 0"
    """

    low: float
    high: float = math.inf
    whole: bool = False
    ends: bool = True
    none: bool = False
    named: tuple[str, ...] = ()

    def holds(self, value: object) -> bool:
        """Tell whether a value is allowed."""
        if value is None:
            return self.none
        if isinstance(value, str):
            return value in self.named
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral if self.whole else Real):
            return False
        number = float(value)
        inside = self.low <= number <= self.high if self.ends else self.low < number < self.high
        return inside and math.isfinite(number)

    def words(self) -> str:
        """Say what is allowed, to go after "has to be"."""
        what = "a whole number" if self.whole else "a number"
        low, high = f"{self.low:.15g}", f"{self.high:.15g}"
        if math.isfinite(self.high):
            between = f"from {low} to {high}" if self.ends else f"between {low} and {high}"
        else:
            between = f"of at least {low}" if self.ends else f"above {low}"
        named = f"{OneOf(self.named).words()}, or " if self.named else ""
        return f"{named}{what} {between}{', or None' if self.none else ''}"


@dataclass(frozen=True)
class OneOf:
    """A few words, None if it is among them.

    Examples
    --------
    >>> OneOf(("sd", "se")).holds("best"), OneOf(("sd", "se")).words()
    (False, "one of 'sd', 'se'")
    """

    options: tuple[str | None, ...]

    def holds(self, value: object) -> bool:
        """Tell whether a value is allowed."""
        return (value is None or isinstance(value, str)) and value in self.options

    def words(self) -> str:
        """Say what is allowed, to go after "has to be"."""
        listed = ", ".join(map(repr, self.options))
        return listed if len(self.options) == 1 else f"one of {listed}"


@dataclass(frozen=True)
class Share:
    """A part of a whole, or all of it.

    Examples
    --------
    >>> Share().holds(1.0), Share().holds(0.0), Share().words()
    (True, False, 'a number above 0, up to 1')
    """

    def holds(self, value: object) -> bool:
        """Tell whether a value is allowed."""
        return value != 0 and _UP_TO_ONE.holds(value)

    def words(self) -> str:
        """Say what is allowed, to go after "has to be"."""
        return "a number above 0, up to 1"


@dataclass(frozen=True)
class Switch:
    """On or off.

    Examples
    --------
    >>> Switch().holds(1), Switch().words()
    (False, 'True or False')
    """

    def holds(self, value: object) -> bool:
        """Tell whether a value is allowed."""
        return isinstance(value, (bool, np.bool_))

    def words(self) -> str:
        """Say what is allowed, to go after "has to be"."""
        return "True or False"


@dataclass(frozen=True)
class Seed:
    """Start of random choices, as scikit-learn has it.

    Examples
    --------
    >>> Seed().holds(np.random.RandomState(0)), Seed().words()
    (True, 'a whole number from 0 to 4294967295, or None, or a RandomState')
    """

    def holds(self, value: object) -> bool:
        """Tell whether a value is allowed."""
        return isinstance(value, np.random.RandomState) or _SEED.holds(value)

    def words(self) -> str:
        """Say what is allowed, to go after "has to be"."""
        return f"{_SEED.words()}, or a RandomState"


@dataclass(frozen=True)
class Jobs:
    """Number of threads or processes, as joblib has it: negative numbers count from all cores.

    Examples
    --------
    >>> Jobs().holds(-1), Jobs().holds(0)
    (True, False)
    """

    def holds(self, value: object) -> bool:
        """Tell whether a value is allowed."""
        return value != 0 and _JOBS.holds(value)

    def words(self) -> str:
        """Say what is allowed, to go after "has to be"."""
        return "a whole number other than 0, or None"


@dataclass(frozen=True)
class Each:
    """A list of one value at least, to be tried.

    Attributes
    ----------
    rule : AllowedValues
        What each of them may be.

    Examples
    --------
    >>> Each(Allowed(0.0)).holds([0.1, 1]), Each(Allowed(0.0)).holds([]), Each(Allowed(0.0)).words()
    (True, False, 'a list of values to try, each a number of at least 0')
    """

    rule: AllowedValues

    def holds(self, value: object) -> bool:
        """Tell whether a value is allowed."""
        if isinstance(value, str) or not hasattr(value, "__iter__"):
            return False
        values = list(value)
        return bool(values) and all(map(self.rule.holds, values))

    def words(self) -> str:
        """Say what is allowed, to go after "has to be"."""
        return f"a list of values to try, each {self.rule.words()}"


SHARE, SWITCH, SEED, JOBS = Share(), Switch(), Seed(), Jobs()
WHOLE_SEED = Allowed(0, LARGEST_SEED, whole=True)
"""A seed where nothing but a number will do."""
_SEED = Allowed(0, LARGEST_SEED, whole=True, none=True)
_UP_TO_ONE = Allowed(0.0, 1.0)
_JOBS = Allowed(-math.inf, whole=True, none=True)


Rules = Mapping[str, AllowedValues]


def check_values(
    values: Mapping[str, Any], rules: Rules, error: type[ProsetError | ParameterError] = ProsetError
) -> None:
    """Refuse the first value that is not allowed.

    Parameters
    ----------
    values : mapping of str to object
        By name, as ``get_params()`` returns them.
    rules : mapping of str to AllowedValues
        What each may be; names that are not among the values are passed over.
    error : type, default=ProsetError
        What is raised: a ParameterError where callers say more about it in a ProsetError of their own.

    Raises
    ------
    ValueError
        Of this type; names the parameter, also as its `parameter`, what it is, and what it may be.

    Examples
    --------
    >>> check_values({"cv": 5}, {"cv": Allowed(2, whole=True)})
    >>> check_values({"cv": 1}, {"cv": Allowed(2, whole=True)})
    Traceback (most recent call last):
        ...
    proset.common.errors.ProsetError: cv is 1; it has to be a whole number of at least 2.
    """
    for name, rule in rules.items():
        if name in values and not rule.holds(values[name]):
            raise error(f"{name} is {shown(repr(values[name]))}; it has to be {rule.words()}.", parameter=name)
