"""Reading saved settings back: every field is checked, and a wrong one is named."""

from __future__ import annotations

import math
from typing import Any

from proset.common.errors import StorageError

_DAMAGED = "The file is damaged or was not written by this program; save the study again."


class StateReader:
    """Takes checked values out of a mapping that came from a file.

    Parameters
    ----------
    state : object
        What the file holds; anything but a mapping with text keys is refused.
    where : str
        How messages name the place, such as "design.encoders[3]".

    Raises
    ------
    StorageError
        By every method, if the value is not what it has to be; the message names the field.

    Examples
    --------
    >>> reader = StateReader({"scale": 2.5}, "design")
    >>> reader.number("scale", positive=True)
    2.5
    >>> reader.close()
    """

    def __init__(self, state: object, where: str) -> None:
        if not isinstance(state, dict) or not all(isinstance(key, str) for key in state):
            raise StorageError(f"Field '{where}' is not a set of named fields.", hint=_DAMAGED)
        self._left: dict[str, Any] = dict(state)
        self.where = where

    def refuse(self, key: str, problem: str) -> StorageError:
        """Build the error for one field.

        Parameters
        ----------
        key : str
            Name of the field inside this place.
        problem : str
            What is wrong with it, as the end of a sentence.

        Returns
        -------
        StorageError
            To be raised by the caller.
        """
        return StorageError(f"Field '{self.where}.{key}' {problem}.", hint=_DAMAGED)

    def take(self, key: str) -> object:
        """Take one field, whatever it holds.

        Parameters
        ----------
        key : str
            Name of the field.

        Returns
        -------
        object
            Its value.
        """
        if key not in self._left:
            raise self.refuse(key, "is not there")
        return self._left.pop(key)

    def text(self, key: str, *, choices: tuple[str, ...] | None = None) -> str:
        """Take a text, where given one of several.

        Parameters
        ----------
        key : str
            Name of the field.
        choices : tuple of str or None
            The allowed texts; None allows every text.

        Returns
        -------
        str
            The text.
        """
        value = self.take(key)
        if not isinstance(value, str):
            raise self.refuse(key, "has to be a text")
        if choices is not None and value not in choices:
            raise self.refuse(key, f"has to be one of {', '.join(choices)}; it is '{value[:40]}'")
        return value

    def number(self, key: str, *, positive: bool = False) -> float:
        """Take a finite number.

        Parameters
        ----------
        key : str
            Name of the field.
        positive : bool
            Whether it has to be above zero.

        Returns
        -------
        float
            The number.
        """
        value = self.take(key)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.refuse(key, "has to be a number")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise self.refuse(key, "has to be a finite number")
        if positive and number <= 0.0:
            raise self.refuse(key, f"has to be above zero; it is {number}")
        return number

    def integer(self, key: str, *, low: int, high: int) -> int:
        """Take a whole number between two limits.

        Parameters
        ----------
        key : str
            Name of the field.
        low, high : int
            The limits, both allowed.

        Returns
        -------
        int
            The number.
        """
        value = self.take(key)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.refuse(key, f"has to be a whole number from {low} to {high}")
        return value

    def optional_text(self, key: str, *, choices: tuple[str, ...]) -> str | None:
        """Take one of several texts, or null.

        Parameters
        ----------
        key : str
            Name of the field.
        choices : tuple of str
            The allowed texts.

        Returns
        -------
        str or None
            The text.
        """
        return None if self._takes_null(key) else self.text(key, choices=choices)

    def optional_integer(self, key: str, *, low: int, high: int) -> int | None:
        """Take a whole number between two limits, or null.

        Parameters
        ----------
        key : str
            Name of the field.
        low, high : int
            The limits, both allowed.

        Returns
        -------
        int or None
            The number.
        """
        return None if self._takes_null(key) else self.integer(key, low=low, high=high)

    def _takes_null(self, key: str) -> bool:
        """Take a field if it holds null, and say whether it did."""
        return key in self._left and self._left[key] is None and self._left.pop(key) is None

    def flag(self, key: str) -> bool:
        """Take a truth value.

        Parameters
        ----------
        key : str
            Name of the field.

        Returns
        -------
        bool
            The value.
        """
        value = self.take(key)
        if not isinstance(value, bool):
            raise self.refuse(key, "has to be true or false")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Take a list of different texts.

        Parameters
        ----------
        key : str
            Name of the field.

        Returns
        -------
        tuple of str
            The texts in their order.
        """
        value = self.take(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.refuse(key, "has to be a list of texts")
        if len(set(value)) != len(value):
            raise self.refuse(key, "holds a text twice")
        return tuple(value)

    def close(self) -> None:
        """Refuse fields that nobody asked for."""
        if self._left:
            raise self.refuse(next(iter(self._left)), "is not known to this version")
