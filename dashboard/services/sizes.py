"""About how much memory a value takes."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

_MOST_LOOKED_AT = 20_000
_ITEMS_LOOKED_AT = 100
_ARRAY_HEADER = 112
_NUMBERS, _NUMBER = "biufmM", 8  # kinds of types, and bytes that one of them takes at most
_PLAIN = frozenset({str, bytes, int, float, bool, type(None)})


def estimated_bytes(value: object) -> int:
    """Estimate how much memory a value takes with everything that it refers to.

    Parameters
    ----------
    value : object
        Frames, arrays, figures, and containers and objects of such.

    Returns
    -------
    int
        Bytes. What is met twice counts once; of long lists the first hundred items stand for the others, and of a
        value with very many parts the rest is not counted.

    Examples
    --------
    >>> estimated_bytes(np.zeros(1000)) >= 8000
    True
    >>> estimated_bytes([np.zeros(1000)] * 3) < 9000
    True
    """
    seen: set[int] = set()
    open_ends: list[tuple[Any, float]] = [(value, 1.0)]
    total = 0.0
    while open_ends and len(seen) < _MOST_LOOKED_AT:
        item, weight = open_ends.pop()
        if id(item) in seen or isinstance(item, type | types.ModuleType):
            continue
        seen.add(id(item))
        total += weight * _own_bytes(item)
        inside, more = _parts(item)
        for part in inside:
            if type(part) in _PLAIN:  # most of what a figure holds: it has no parts, and is looked at here and now
                if id(part) not in seen:
                    seen.add(id(part))
                    total += weight * more * sys.getsizeof(part)
            else:
                open_ends.append((part, weight * more))
    return int(total)


def _own_bytes(item: Any) -> int:
    """Return the bytes of a value without those of its parts."""
    if isinstance(item, np.ndarray):
        base = item.base if isinstance(item.base, np.ndarray) else item
        return int(base.nbytes) + _ARRAY_HEADER
    if isinstance(item, pd.DataFrame):
        if all(dtype.kind in _NUMBERS for dtype in item.dtypes):  # to ask each of many columns takes longer
            return _NUMBER * item.size + int(item.index.memory_usage(deep=True))
        return int(item.memory_usage(index=True, deep=True).sum())
    if isinstance(item, pd.Series | pd.Index):
        return int(item.memory_usage(deep=True))
    return sys.getsizeof(item, 0)


def _parts(item: Any) -> tuple[Iterator[Any], float]:
    """Return the parts of a value that are looked at, and how many of all each of them stands for."""
    if isinstance(item, str | bytes | int | float | np.ndarray | pd.DataFrame | pd.Series | pd.Index) or item is None:
        return iter(()), 1.0
    if isinstance(item, Mapping):
        both = (part for pair in list(item.items())[:_ITEMS_LOOKED_AT] for part in pair)
        return both, max(len(item) / _ITEMS_LOOKED_AT, 1.0)
    if isinstance(item, list | tuple | set | frozenset):
        return islice(iter(item), _ITEMS_LOOKED_AT), max(len(item) / _ITEMS_LOOKED_AT, 1.0)
    return iter(list(getattr(item, "__dict__", {}).values())), 1.0
