"""Time that running work still takes, from the estimate before it began and from what is seen."""

from __future__ import annotations

import time

from proset.selection.search_progress import REFIT_SHARE, SearchProgress
from proset.study.time_needed import Clock, TimeNeeded

LAST_STAGE = 3  # of a search: the refit
PRIOR = 0.1  # how much of the work the estimate made before the start is worth, once there is something to measure


class TimeLeft:
    """Tells how long work goes on: at first what was estimated before, then more and more what is seen.

    Parameters
    ----------
    needed : TimeNeeded
        The estimate made before the start.
    clock : callable
        Tells the time.

    Examples
    --------
    >>> now = [0.0]
    >>> left = TimeLeft(TimeNeeded(60.0, 10.0), clock=lambda: now[0])
    >>> left.search(0.0)
    70.0
    >>> now[0] = 60.0; round(left.search(0.5))  # half as fast as was thought, and the refit will be
    73
    """

    def __init__(self, needed: TimeNeeded, clock: Clock = time.monotonic) -> None:
        self._needed, self._clock = needed, clock
        self._search, self._refit = _Rate(needed.search, clock()), _Rate(needed.refit, clock())
        self._start = clock()
        self._share = self._before = 0.0
        self._refitting = False

    def search(self, done: float) -> float:
        """Return the seconds left when this share of the search is done, the refit included."""
        left = self._search.left(done, self._clock())
        self._refit = _Rate(self._needed.refit * self._search.slower, self._clock())
        return left + self._refit.whole + self._needed.checking

    def refit(self, done: float) -> float:
        """Return the seconds left when this share of the refit is done."""
        return self._refit.left(done, self._clock()) + self._needed.checking

    def of_search(self, now: SearchProgress) -> float:
        """Return the seconds left of a search that has come so far."""
        if now.stage < LAST_STAGE:
            return self.search(now.share / (1.0 - REFIT_SHARE))
        if not self._refitting:
            self._refitting, self._before = True, now.share
        rest = 1.0 - self._before
        return self.refit((now.share - self._before) / rest if rest > 0.0 else 1.0)

    def share(self, left: float) -> float:
        """Return the share of the time that has passed, which never falls."""
        passed = self._clock() - self._start
        self._share = max(self._share, min(1.0, passed / (passed + left) if passed + left > 0.0 else 0.0))
        return self._share


class _Rate:
    """Seconds of one part of the work, as far as can be told."""

    def __init__(self, whole: float, now: float) -> None:
        self.whole = whole
        self._began = self._counted = now
        self._first: float | None = None
        self._last = 0.0
        self._step = 0.0

    @property
    def slower(self) -> float:
        """Factor by which the work is slower than thought; the little that was seen counts little."""
        return self._rate(self._last, self._counted) / self.whole if self.whole > 0.0 else 1.0

    def left(self, done: float, now: float) -> float:
        """Return the seconds left when a share is done."""
        done = min(max(done, 0.0), 1.0)
        if self._first is None:
            self._first = self._last = done
        if done > self._last:
            self._step, self._last, self._counted = done - self._last, done, now
        planned = (1.0 - self._last) * self._rate(self._last, self._counted) - (now - self._counted)
        # Nothing was counted for long: as if it was counted now, so that the end neither passes nor runs away.
        waiting = self._last + min(self._step or 0.01, (1.0 - self._last) / 2.0)
        return max(planned, (1.0 - waiting) * self._rate(waiting, now), 0.0)

    def _rate(self, done: float, now: float) -> float:
        """Return the seconds for the whole: what was thought counts as much as `PRIOR` of the work."""
        fresh = done - (self._first or 0.0)
        return (PRIOR * self.whole + now - self._began) / (PRIOR + fresh)
