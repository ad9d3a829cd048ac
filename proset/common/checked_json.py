"""JSON that comes from outside: read under a limit, and taken apart field by field with a wrong one named."""

from __future__ import annotations

import json
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proset.common.errors import StorageError
from proset.common.words import shown

_DAMAGED = "The file is damaged or was not written by this program; save the study again."
_CHUNK = 1 << 20
_MOST_DIGITS = 20
_LONGEST_PROBLEM = 300
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class _NumberError(ValueError):
    """A number that is no double, or much longer than any that this program writes."""


@dataclass(frozen=True)
class JsonLimits:
    """Bounds on JSON that is read; parsing takes less than 500 MB and three seconds within the defaults.

    Attributes
    ----------
    max_bytes : int
        Length of the text. The record of the largest search (1,000 pairs, 100 folds) has 8 MB.
    max_values : int
        Numbers, texts, lists and objects, keys included; each takes some 100 bytes of memory, whatever its length.
    max_depth : int
        Lists and objects inside each other; what this program writes has 7.
    """

    max_bytes: int = 32 << 20
    max_values: int = 1_000_000
    max_depth: int = 32


def parse_json(data: bytes | str, what: str, *, limits: JsonLimits = JsonLimits()) -> Any:
    """Return the value of a JSON text, checked for what it would cost before it is parsed.

    Parameters
    ----------
    data : bytes or str
        The text; bytes are UTF-8.
    what : str
        How messages name it, such as "Member 'study.json'".
    limits : JsonLimits
        How much is read at most.

    Returns
    -------
    dict, list, str, int, float, bool or None
        Numbers are finite and whole ones shorter than 21 digits; texts hold no lone surrogates, see :func:`sound`.

    Raises
    ------
    StorageError
        If it is too large, too deep, or not JSON.

    Examples
    --------
    >>> parse_json(b'{"scale": [2.5, null]}', "The request")
    {'scale': [2.5, None]}
    >>> parse_json(b"[1, NaN]", "The request")
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: The request is damaged: it is not valid JSON.
    """
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    if len(raw) > limits.max_bytes:
        raise _too_large(what, limits)
    depth, values = _measure(raw)
    if depth > limits.max_depth:
        raise StorageError(f"{what} is damaged: it is nested {depth:,} levels deep.", hint=_DAMAGED)
    if values > limits.max_values:
        raise StorageError(f"{what} holds {values:,} values; at most {limits.max_values:,} are read.")
    try:
        value = json.loads(
            raw.decode("utf-8"), parse_constant=_no_constant, parse_int=_whole_number, parse_float=_number
        )
    except _NumberError as error:
        raise StorageError(f"{what} is damaged: it holds a number that is too large.") from error
    except (ValueError, RecursionError) as error:
        raise StorageError(f"{what} is damaged: it is not valid JSON.") from error
    return sound(value) if _SURROGATE.search(raw) else value


def load_json(path: str | Path, what: str, *, limits: JsonLimits = JsonLimits()) -> Any:
    """Return the value of an ordinary JSON file; see :func:`parse_json`. A file that cannot be read is a StorageError.

    Examples
    --------
    >>> load_json("no such file.json", "The request")
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: The request cannot be read: No such file or directory.
    """
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise StorageError(f"{what} is not an ordinary file.")
        with Path(path).open("rb") as file:
            data = file.read(limits.max_bytes + 1)
    except OSError as error:
        raise StorageError(f"{what} cannot be read: {error.strerror or error}.") from error
    return parse_json(data, what, limits=limits)


def sound(value: Any) -> Any:
    r"""Return plain JSON types with every lone surrogate in a text replaced by U+FFFD.

    JSON can spell half of a character, and a file name that is not UTF-8 holds such halves; no page, file or terminal
    takes them. This is the one rule for them, applied to what is saved and to what is loaded.

    Parameters
    ----------
    value : dict, list, str, int, float, bool or None
        Plain JSON types, nested no deeper than :class:`JsonLimits` allows.

    Returns
    -------
    dict, list, str, int, float, bool or None

    Examples
    --------
    >>> sound({"name": ["table\udcff.csv", 1]})
    {'name': ['table\ufffd.csv', 1]}
    """
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [sound(item) for item in value]
    if isinstance(value, dict):
        return {sound(key): sound(item) for key, item in value.items()}
    return value


def outside_texts(raw: bytes) -> NDArray[np.bool_]:
    """Say for each byte of a JSON text, or of a piece that begins outside of all texts, whether no text holds it."""
    if b"\\" in raw:  # outside of what they escape, all quotes begin or end a text; both replacements keep the length
        raw = raw.replace(rb"\\", b"__").replace(rb"\"", b"__")
    quotes = np.cumsum(np.frombuffer(raw, dtype=np.uint8) == ord('"'), dtype=np.uint8)
    outside: NDArray[np.bool_] = (quotes & 1) == 0
    return outside


def _measure(raw: bytes) -> tuple[int, int]:
    """Count levels and values of a JSON text without parsing it."""
    outside, codes = outside_texts(raw), np.frombuffer(raw, dtype=np.uint8)
    depth, deepest, values = 0, 0, 1
    for start in range(0, len(raw), _CHUNK):
        free, code = outside[start : start + _CHUNK], codes[start : start + _CHUNK]
        opens = free & ((code == ord("[")) | (code == ord("{")))
        closes = free & ((code == ord("]")) | (code == ord("}")))
        values += int((opens | (free & ((code == ord(",")) | (code == ord(":"))))).sum())
        levels = depth + np.cumsum(opens.astype(np.int8) - closes.astype(np.int8), dtype=np.int64)
        deepest, depth = max(deepest, int(levels.max())), int(levels[-1])
    return deepest, values


def _too_large(what: str, limits: JsonLimits) -> StorageError:
    """Return the error for a text that is not even looked at."""
    return StorageError(f"{what} is larger than {limits.max_bytes / 1e6:,.0f} MB, more than it needs; it is not read.")


def _no_constant(text: str) -> None:
    """Refuse NaN and Infinity, which JSON does not have."""
    raise ValueError(text)


def _whole_number(text: str) -> int:
    """Return a whole number, if it is of a length that something can be done with."""
    if len(text) > _MOST_DIGITS:
        raise _NumberError(text[:_MOST_DIGITS])
    return int(text)


def _number(text: str) -> float:
    """Return a number, if it is finite."""
    value = float(text)
    if not math.isfinite(value):
        raise _NumberError(text[:_MOST_DIGITS])
    return value


class StateReader:
    """Takes checked values out of a mapping that came from a file.

    Each method takes the field `key`; a number has to lie between `low` and `high`, both allowed, and a text has to be
    one of `choices` where there are any. What is taken is gone, so that :meth:`close` can refuse what is left over.

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

    def __contains__(self, key: str) -> bool:
        """Tell whether a field that may be left out is there, and not yet taken."""
        return key in self._left

    def refuse(self, key: str, problem: str) -> StorageError:
        """Return the error for one field, to be raised by the caller; `problem` is the end of a sentence."""
        return StorageError(f"Field '{self.where}.{shown(key)}' {shown(problem, _LONGEST_PROBLEM)}.", hint=_DAMAGED)

    def take(self, key: str) -> object:
        """Take a field, whatever it holds."""
        if key not in self._left:
            raise self.refuse(key, "is not there")
        return self._left.pop(key)

    def text(self, key: str, *, choices: tuple[str, ...] | None = None) -> str:
        """Take a text."""
        value = self.take(key)
        if not isinstance(value, str):
            raise self.refuse(key, "has to be a text")
        if choices is not None and value not in choices:
            raise self.refuse(key, f"has to be one of {', '.join(choices)}; it is '{shown(value)}'")
        return value

    def number(self, key: str, *, positive: bool = False) -> float:
        """Take a finite number, where asked for one above zero."""
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
        """Take a whole number."""
        value = self.take(key)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.refuse(key, f"has to be a whole number from {low} to {high}")
        return value

    def optional_text(self, key: str, *, choices: tuple[str, ...]) -> str | None:
        """Take a text or null."""
        return None if self._takes_null(key) else self.text(key, choices=choices)

    def optional_integer(self, key: str, *, low: int, high: int) -> int | None:
        """Take a whole number or null."""
        return None if self._takes_null(key) else self.integer(key, low=low, high=high)

    def _takes_null(self, key: str) -> bool:
        """Take a field if it holds null, and say whether it did."""
        return key in self._left and self._left[key] is None and self._left.pop(key) is None

    def flag(self, key: str) -> bool:
        """Take a truth value."""
        value = self.take(key)
        if not isinstance(value, bool):
            raise self.refuse(key, "has to be true or false")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Take a list of different texts, in its order."""
        value = self.take(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.refuse(key, "has to be a list of texts")
        if len(set(value)) != len(value):
            raise self.refuse(key, "holds a text twice")
        return tuple(value)

    def numbers(self, key: str, *, fewest: int, most: int) -> tuple[float, ...]:
        """Take a list of so many finite numbers."""
        return self.numbers_of(key, self.take(key), fewest=fewest, most=most)

    def numbers_of(self, key: str, value: object, *, fewest: int, most: int) -> tuple[float, ...]:
        """Return a list of so many finite numbers that is a part of a field that was taken."""
        if not isinstance(value, list) or not fewest <= len(value) <= most or not all(map(_is_finite, value)):
            count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
            raise self.refuse(key, f"has to hold {count} numbers")
        return tuple(map(float, value))

    def close(self) -> None:
        """Refuse fields that nobody asked for."""
        if self._left:
            raise self.refuse(next(iter(self._left)), "is not known to this version")


def _is_finite(entry: object) -> bool:
    """Tell whether an entry of a list is a number, and finite."""
    return isinstance(entry, (int, float)) and not isinstance(entry, bool) and abs(entry) <= sys.float_info.max
