"""Properties that are computed once, without a lock that other objects need."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")
SelfT = TypeVar("SelfT")


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
        lock_name = f"{self._name} under way"
        lock = kept.setdefault(lock_name, threading.RLock())
        try:
            with lock:
                if self._name not in kept:
                    kept[self._name] = self._compute(instance)
        finally:
            kept.pop(lock_name, None)
        value: T = kept[self._name]
        return value
