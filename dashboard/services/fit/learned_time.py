"""Estimates of time that learn from what work has taken on this server."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field

from dashboard.services.fit.modes import Mode
from proset.study.time_needed import TimeNeeded

_SHORTEST = 0.3  # seconds; what takes less says nothing about the rest
_NEWEST = 0.6  # share that the last piece of work has in what is expected of the next
_FARTHEST = 30.0  # times


@dataclass
class LearnedTimes:
    """Factors by which work took longer than was estimated, by the way to a model, for all visitors of a server.

    Examples
    --------
    >>> times = LearnedTimes()
    >>> times.learn(Mode.QUICK, TimeNeeded(110.0, 10.0), 12.0)
    >>> times.corrected(Mode.QUICK, TimeNeeded(110.0, 10.0)).seconds < 60.0
    True
    >>> times.corrected(Mode.SEARCH, TimeNeeded(110.0, 10.0)).seconds
    120.0
    """

    _logs: dict[Mode, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def corrected(self, mode: Mode, needed: TimeNeeded) -> TimeNeeded:
        """Return an estimate times what was learned."""
        factor = math.exp(self._logs.get(mode, 0.0))
        return TimeNeeded(needed.search * factor, needed.refit * factor)

    def learn(self, mode: Mode, promised: TimeNeeded, took: float) -> None:
        """Take in how many seconds work took, and what had been promised with all that was known then."""
        if promised.seconds < _SHORTEST or took < _SHORTEST:
            return
        off = max(-math.log(_FARTHEST), min(math.log(took / promised.seconds), math.log(_FARTHEST)))
        with self._lock:
            self._logs[mode] = self._logs.get(mode, 0.0) + _NEWEST * off


LEARNED = LearnedTimes()
"""Of this server."""
