"""Turns: only so many do a thing at once, and those who wait come in the order in which they asked."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Turns:
    """Turns in reading files; those beyond the number that is read at once wait in the order in which they came.

    Parameters
    ----------
    n_at_once : int
        At least 1.

    Examples
    --------
    >>> turns = Turns(1)
    >>> with turns.one():
    ...     turns.n_busy
    1
    """

    def __init__(self, n_at_once: int) -> None:
        self._free = threading.Condition()
        self._waiting: deque[object] = deque()
        self._n_at_once = n_at_once
        self.n_busy = 0

    @contextmanager
    def one(self, on_wait: Callable[[int], object] | None = None) -> Iterator[None]:
        """Wait for a turn and keep it for a block of code.

        Parameters
        ----------
        on_wait : callable or None
            Is told, if there is a wait, how many wait before.
        """
        ticket = object()
        with self._free:
            n_before = len(self._waiting)
            self._waiting.append(ticket)
            must_wait = n_before > 0 or self.n_busy >= self._n_at_once
        try:
            if must_wait and on_wait is not None:
                on_wait(n_before)
            with self._free:
                self._free.wait_for(lambda: self._waiting[0] is ticket and self.n_busy < self._n_at_once)
                self.n_busy += 1
        finally:
            with self._free:
                self._waiting.remove(ticket)
                self._free.notify_all()
        try:
            yield
        finally:
            with self._free:
                self.n_busy -= 1
                self._free.notify_all()
