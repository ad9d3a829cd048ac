"""Small measurements in this process: few at once, one at a time for each visitor, and only the latest of each.

A process of its own would take longer to start than most measurements take.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")
Clock = Callable[[], float]


class _NotAsked(BaseException):
    """Nobody waits for a measurement any more; no Exception, lest it is taken for a failure of what is measured."""


@dataclass(eq=False)
class _Asked:
    """One measurement that waits or runs."""

    visitor: Hashable
    measure: Callable[[Clock], Any]
    found: Future[Any] = field(default_factory=Future)
    dropped: bool = False

    def clock(self) -> float:
        """Tell the time to the measurement, unless it was dropped: then end it."""
        if self.dropped:
            raise _NotAsked
        return time.perf_counter()

    def run(self) -> None:
        """Measure."""
        try:
            self.found.set_result(self.measure(self.clock))
        except _NotAsked:
            # A future that has begun cannot be cancelled; this one has not been told that it has.
            self.found.cancel()
        except BaseException as error:
            self.found.set_exception(error)


class Estimates:
    """Measures with at most so many threads, which end when there is nothing to do.

    Parameters
    ----------
    n_threads : int
        At least 1.

    Examples
    --------
    >>> Estimates(1).ask("a visitor", lambda clock: clock() > 0.0).result()
    True
    """

    def __init__(self, n_threads: int) -> None:
        self._n_threads = n_threads
        self._waiting: list[_Asked] = []
        self._running: list[_Asked] = []
        self._n_alive = 0
        self._lock = threading.Lock()

    def ask(self, visitor: Hashable, measure: Callable[[Clock], T]) -> Future[T]:
        """Measure when it is this visitor's turn.

        Parameters
        ----------
        visitor : hashable
            Whose it is: what the same visitor has asked for before is dropped.
        measure : callable
            Receives a clock; where it asks for the time, it is ended once it was dropped.

        Returns
        -------
        Future
            Cancelled if it was dropped.
        """
        asked = _Asked(visitor, measure)
        with self._lock:
            for former in self._waiting:
                if former.visitor == visitor:
                    former.found.cancel()
            self._waiting = [*(former for former in self._waiting if former.visitor != visitor), asked]
            for former in self._running:
                former.dropped = former.dropped or former.visitor == visitor
            if self._n_alive < self._n_threads:
                self._n_alive += 1
                threading.Thread(target=self._work, name="estimates", daemon=True).start()
        return asked.found

    def _work(self) -> None:
        """Measure until nothing waits; a thread that lived on would keep its hold on the linear algebra."""
        while True:
            with self._lock:
                turn = next((one for one in self._waiting if not self._is_busy(one.visitor)), None)
                if turn is None:
                    self._n_alive -= 1
                    return
                self._waiting.remove(turn)
                self._running.append(turn)
            try:
                turn.run()
            finally:
                with self._lock:
                    self._running.remove(turn)

    def _is_busy(self, visitor: Hashable) -> bool:
        """Tell whether something is measured for this visitor."""
        return any(one.visitor == visitor for one in self._running)
