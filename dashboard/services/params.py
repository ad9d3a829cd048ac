"""Values that people choose on a page, kept in its address: a name, what is allowed, and the usual value."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from proset.study.settings import Bounds

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

_SHARE = Bounds(0.0, 1.0)
NOT_THERE = "The address says {name} = '{value}', which {what} does not have; the usual value is used."
"""Told of an allowed value for which there is nothing in what is looked at."""


@dataclass(frozen=True)
class Param(Generic[T]):
    """One value of a page, with a name under which it is kept and, if the page says so, stands in the address.

    Attributes
    ----------
    name : str
        Name in the address; the same name on two pages is the same value.
    usual : object
        What holds until something is chosen; it is left out of the address.
    of_model : bool
        Belongs to one model and not to the whole table.
    """

    name: str
    usual: T
    of_model: bool = False

    def read(self, text: str) -> T | None:
        """Return the value that a text stands for; None if it is not allowed."""
        raise NotImplementedError

    def write(self, value: T) -> str:
        """Return the text that :meth:`read` takes for the value."""
        return str(value)

    def fits(self, value: T, model: Any) -> bool:
        """Tell whether a model has something for an allowed value."""
        return True

    @property
    def allowed(self) -> str:
        """Allowed values, in words that can follow "which is not"."""
        raise NotImplementedError


@dataclass(frozen=True)
class EnumParam(Param[E]):
    """One of a few words.

    Examples
    --------
    >>> colour = EnumParam("colour", StrEnum("Colour", {"RED": "red", "BLUE": "blue"}).RED)
    >>> str(colour.read("blue")), colour.read("green"), colour.allowed
    ('blue', None, 'one of red, blue')
    """

    def read(self, text: str) -> E | None:
        """Return the option of that name."""
        return next((option for option in self.options if option == text), None)

    @property
    def options(self) -> list[E]:
        """Everything that can be chosen."""
        return list(type(self.usual))

    @property
    def allowed(self) -> str:
        """The options."""
        return f"one of {', '.join(self.options)}"


@dataclass(frozen=True)
class Flag(Param[bool]):
    """Yes or no; 1 or 0 in the address.

    Examples
    --------
    >>> Flag("fade", False).read("1"), Flag("fade", False).write(False), Flag("fade", False).read("yes")
    (True, '0', None)
    """

    allowed = "1 or 0"

    def read(self, text: str) -> bool | None:
        """Return True for 1 and False for 0."""
        return {"1": True, "0": False}.get(text)

    def write(self, value: bool) -> str:
        """Return 1 or 0."""
        return str(int(value))


@dataclass(frozen=True)
class ListedParam(Param[str]):
    """One of a few words that are known elsewhere.

    Attributes
    ----------
    words : tuple of str
        All of them.

    Examples
    --------
    >>> metric = ListedParam("metric", "knn", words=("knn", "pvm"))
    >>> metric.read("pvm"), metric.read("moon"), metric.allowed
    ('pvm', None, 'one of knn, pvm')
    """

    words: tuple[str, ...] = ()

    def read(self, text: str) -> str | None:
        """Return the word."""
        return text if text in self.words else None

    @property
    def options(self) -> list[str]:
        """Everything that can be chosen."""
        return list(self.words)

    @property
    def allowed(self) -> str:
        """All words."""
        return f"one of {', '.join(self.words)}"


@dataclass(frozen=True)
class Several(Param[tuple[str, ...]]):
    """Some of a few words, always in the order of all of them.

    Attributes
    ----------
    parts : tuple of str
        All of them.

    Examples
    --------
    >>> several = Several("use", ("knn", "pvm"), parts=("knn", "pvm", "smp"))
    >>> several.read("smp,knn"), several.read(""), several.read("moon"), several.write(("knn", "smp"))
    (('knn', 'smp'), (), None, 'knn,smp')
    """

    parts: tuple[str, ...] = ()

    def read(self, text: str) -> tuple[str, ...] | None:
        """Return the words that a text names; None if it names one that there is not."""
        named = {name for name in text.split(",") if name}
        return self.in_order(named) if named <= set(self.parts) else None

    def write(self, value: tuple[str, ...]) -> str:
        """Return the words with commas between them."""
        return ",".join(value)

    def in_order(self, some: Iterable[str]) -> tuple[str, ...]:
        """Return some of the words in the order of all."""
        chosen = set(some)
        return tuple(name for name in self.parts if name in chosen)

    @property
    def allowed(self) -> str:
        """All words."""
        return f"a list of {', '.join(self.parts)}"


@dataclass(frozen=True)
class Number(Param[float]):
    """A number within bounds; one that is whole comes as an int.

    Attributes
    ----------
    bounds : Bounds
        What can be read.
    most : callable or None
        Takes a model and returns the largest number that it has something for; None where that is not for it to say.

    Examples
    --------
    >>> k = Number("k", 5, bounds=Bounds(1, 20, whole=True))
    >>> k.read("7"), k.read("2.5"), k.read("0"), k.read("nan"), k.allowed
    (7, None, None, None, 'a whole number from 1 to 20')
    """

    bounds: Bounds = _SHARE
    most: Callable[[Any], int] | None = None

    def read(self, text: str) -> float | None:
        """Return the number."""
        return number(text, self.bounds)

    def write(self, value: float) -> str:
        """Return the number with every digit."""
        return repr(value)

    def fits(self, value: float, model: Any) -> bool:
        """Tell whether the number is at most the largest one for the model."""
        return self.most is None or value <= self.most(model)

    @property
    def allowed(self) -> str:
        """Kind and range."""
        return bounds_words(self.bounds)


def number(text: str, bounds: Bounds) -> float | int | None:
    """Return the number that a text holds; None if it is no number or not allowed.

    Examples
    --------
    >>> number("3", Bounds(0, 10, whole=True)), number("1e-3", Bounds(0, 1)), number("9" * 5000, Bounds(0, 1))
    (3, 0.001, None)
    """
    try:
        value = int(text) if bounds.whole else float(text)
    except ValueError:
        return None
    return value if bounds.hold(value) else None


def bounds_words(bounds: Bounds) -> str:
    """Say which numbers are allowed.

    Examples
    --------
    >>> bounds_words(Bounds(1e-6, 0.1))
    'a number from 1e-06 to 0.1'
    """
    return f"{'a whole number' if bounds.whole else 'a number'} from {bounds.low:g} to {bounds.high:g}"


def names(params: Iterable[Param]) -> set[str]:
    """Return the names of some values."""
    return {param.name for param in params}
