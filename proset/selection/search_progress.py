"""Progress of a search, and ways to stop it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from proset.engine.fit_progress import FitProgress
from proset.selection.either import AnyRecord
from proset.selection.plan import SearchPlan
from proset.selection.record import SearchRecord

REFIT_FITS = 5  # fits with the loose tolerance that take about as long as the refit
REFIT_SHARE = 0.1  # of a joint search that the refit takes
LOOKS = 3  # pairs that a second look is expected to compare
HALF_A_CURVE = 4  # fits that are about half of a curve
SECONDS_BETWEEN_TICKS = 0.2  # while one fit is under way


class Cancelled(Exception):  # noqa: N818  # a wish, not an error
    """Raised by a progress callback to stop a search.

    Attributes
    ----------
    record : SearchRecord, JointRecord or None
        What was finished; set when the search hands the exception on.
    """

    record: AnyRecord | None = None


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a search.

    Attributes
    ----------
    record : SearchRecord or JointRecord
        What was finished.
    """

    def __init__(self, record: AnyRecord) -> None:
        super().__init__()
        self.record = record


@contextmanager
def keeping(finished: Callable[[], AnyRecord]) -> Iterator[None]:
    """Hand on what is finished to whoever stops the work inside, by a callback or with Ctrl-C.

    Parameters
    ----------
    finished : callable
        Gives the record; called when the work is stopped.

    Raises
    ------
    Cancelled, Interrupted
        With ``record`` set.
    """
    try:
        yield
    except Cancelled as stop:
        stop.record = finished()
        raise
    except KeyboardInterrupt:
        raise Interrupted(finished()) from None


@dataclass(frozen=True)
class SearchProgress:
    """Progress of a search.

    Attributes
    ----------
    stage : int
        1 for the penalties, 2 for the number of batches, 3 for the refit; a joint search has no 2.
    done, total : int
        Fits done in this stage, and all of them.
    seconds : float
        Time since this run began.
    seconds_left : float
        Estimated time left, the refit included; infinite until a fit is done.
    share : float
        Estimated share of the whole that is done, in [0, 1]; never falls within a run.
    finished : callable or None
        Gives the record so far, for those who write it down now and then; to be called inside the callback.

    Examples
    --------
    >>> SearchProgress(stage=1, done=11, total=55, seconds=2.0, seconds_left=20.0, share=0.1).done
    11
    """

    stage: int
    done: int
    total: int
    seconds: float
    seconds_left: float
    share: float
    finished: Callable[[], AnyRecord] | None = field(default=None, compare=False, repr=False)


ProgressCallback = Callable[[SearchProgress], None]


class SearchClock:
    """Turns fits done into progress.

    Parameters
    ----------
    plan : SearchPlan
        Says how many fits there are.
    callback : callable or None
        Receives a SearchProgress; None switches reporting off.

    Examples
    --------
    >>> seen = []
    >>> clock = SearchClock(SearchPlan(), seen.append)
    >>> clock.begin(1, total=55, done=0); clock.count(11)
    >>> seen[0].done, seen[0].total, round(seen[0].share, 2)
    (11, 55, 0.1)
    """

    def __init__(self, plan: SearchPlan, callback: ProgressCallback | None) -> None:
        self._callback = callback
        self._fits = {1: plan.n_pairs * plan.n_folds, 2: (plan.max_batches + 1) * plan.n_folds, 3: REFIT_FITS}
        self._fits[2] *= LOOKS if plan.second_look else 1
        self._start = self._last = time.perf_counter()
        self._stage = self._done = self._total = 0
        self._share = 0.0
        self._finished: Callable[[], AnyRecord] | None = None
        self._at_start: int | None = None  # fits that a former run had done

    def begin(self, stage: int, total: int, done: int, finished: Callable[[], AnyRecord] | None = None) -> None:
        """Enter a stage of which some is done already, or let stage 2 go on with another pair."""
        self._finished = finished
        counted = self._done if stage == self._stage else 0
        self._stage, self._total, self._done = stage, total, done
        self._fits[stage] = max(total, self._fits[stage])
        if self._at_start is None:
            self._at_start = self._all_done()
        else:
            self._at_start += done - counted

    def count(self, done: int) -> None:
        """Report that so many fits of this stage are done."""
        self._done = done
        self.report()

    def tick(self, _evaluations: int, _objective: float) -> None:
        """Report now and then while a fit is under way, so that it can be stopped."""
        if time.perf_counter() - self._last > SECONDS_BETWEEN_TICKS:
            self.report()

    def report(self) -> None:
        """Call back."""
        if self._callback is None:
            return
        self._last = time.perf_counter()
        seconds = self._last - self._start
        done, whole = self._all_done(), sum(self._fits.values())
        fresh = done - (self._at_start or 0)
        left = (whole - done) * seconds / fresh if fresh else float("inf")
        self._share = max(self._share, done / whole)
        self._callback(SearchProgress(self._stage, self._done, self._total, seconds, left, self._share, self._finished))

    def _all_done(self) -> int:
        """Fits done in all stages."""
        return sum(self._fits[stage] for stage in range(1, self._stage)) + self._done


class CurveClock:
    """Turns curves done by a joint search into progress.

    Parameters
    ----------
    callback : callable or None
        Receives a SearchProgress; None switches reporting off.

    Examples
    --------
    >>> seen = []
    >>> clock = CurveClock(seen.append)
    >>> clock.begin((1, 0, 28), lambda: None); clock.count((1, 7, 28))
    >>> seen[-1].done, seen[-1].total, seen[-1].share
    (7, 28, 0.225)
    """

    def __init__(self, callback: ProgressCallback | None) -> None:
        self._callback = callback
        self._start = self._last = time.perf_counter()
        self._done = self._total = self._at_start = 0
        self._fits = self._evaluations = 0  # fits of curves that are not done yet, evaluations of the last of them
        self._begun = False
        self._share = 0.0
        self._finished: Callable[[], AnyRecord] | None = None

    def begin(self, reached: tuple[int, int, int], finished: Callable[[], AnyRecord]) -> None:
        """Enter a round, or go on with one."""
        self._finished = finished
        _, self._done, self._total = reached
        if not self._begun:
            self._begun, self._at_start = True, self._done
        self.report()

    def due(self) -> bool:
        """Tell whether it is time for another report."""
        return self._callback is not None and time.perf_counter() - self._last > SECONDS_BETWEEN_TICKS

    def count(self, reached: tuple[int, int, int]) -> None:
        """Report how far the search is."""
        before = self._done
        _, self._done, self._total = reached
        self._fits = 0 if self._done > before else self._fits
        self.report()

    def tick(self, evaluations: int, _objective: float) -> None:
        """Report now and then while a fit is under way, so that it can be stopped."""
        self._fits += evaluations < self._evaluations  # another one has begun
        self._evaluations = evaluations
        if self.due():
            self.report()

    def report(self) -> None:
        """Call back."""
        if self._callback is None:
            return
        self._last = time.perf_counter()
        seconds = self._last - self._start
        done = min(self._done + self._fits / (self._fits + HALF_A_CURVE), self._total)
        fresh = done - self._at_start
        whole = self._total / (1.0 - REFIT_SHARE)
        left = (whole - done) * seconds / fresh if fresh else float("inf")
        self._share = max(self._share, done / whole)
        self._callback(SearchProgress(1, self._done, self._total, seconds, left, self._share, self._finished))


def refit_progress(
    progress: ProgressCallback | None, seconds: float, record: AnyRecord
) -> Callable[[FitProgress], None] | None:
    """Make a callback for the refit out of one for the search.

    Parameters
    ----------
    progress : callable or None
        Receives :class:`SearchProgress` of stage 3.
    seconds : float
        Time that the search took.
    record : SearchRecord or JointRecord
        What they found.

    Returns
    -------
    callable or None
        For ``ClassifierModel.fit(progress=...)``.
    """
    if progress is None:
        return None
    begin = time.perf_counter()
    before = 1.0 - REFIT_SHARE
    if isinstance(record, SearchRecord):
        before = record.n_fits / (record.n_fits + REFIT_FITS)

    def report(fit: FitProgress) -> None:
        passed = time.perf_counter() - begin
        left = passed * (1.0 - fit.share) / fit.share if fit.share > 0.0 else float("inf")
        share = before + (1.0 - before) * fit.share
        progress(SearchProgress(3, fit.batch - 1, fit.n_batches, seconds + passed, left, share, lambda: record))

    return report
