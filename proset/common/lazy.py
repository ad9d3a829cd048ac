"""Properties that are computed once, without a lock that other objects need."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")

# Locks stand here and not in the objects, which may be copied or sent to another process while a value is computed.
_UNDER_WAY: dict[tuple[int, str], tuple[threading.RLock, list[None]]] = {}
_GUARD = threading.Lock()


class lazy_property(Generic[T]):  # noqa: N801  # used like `property`
    """Compute a property at its first use and keep it with its object.

    Like :class:`functools.cached_property`, but threads that ask the same object at the same time compute the value
    once, and those that ask another object do not wait: up to Python 3.11 the former holds one lock for all objects of
    a class, from 3.12 on none at all. If the computation raises, nothing is kept.

    Examples
    --------
    >>> class Table:
    ...     @lazy_property
    ...     def rows(self) -> int:
    ...         print("counted")
    ...         return 7
    >>> table = Table()
    >>> table.rows + table.rows
    counted
    14
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> lazy_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> T | lazy_property[T]:
        if instance is None:
            return self
        kept = instance.__dict__  # what stands there is found first: this is only called before it does
        name = id(instance), self._name
        with _GUARD:
            lock, waiting = _UNDER_WAY.setdefault(name, (threading.RLock(), []))
            waiting.append(None)
        try:
            with lock:
                if self._name not in kept:
                    kept[self._name] = self._compute(instance)
        finally:
            with _GUARD:
                waiting.pop()
                if not waiting:
                    _UNDER_WAY.pop(name, None)
        value: T = kept[self._name]
        return value
