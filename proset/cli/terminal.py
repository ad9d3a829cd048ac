"""Output while a command runs: results on stdout, everything else on stderr."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tqdm import tqdm

from proset.common.errors import ProsetError
from proset.common.words import visible
from proset.data.issues import Issue, Severity

if TYPE_CHECKING:
    from proset.compare.progress import CompareProgress
    from proset.engine.fit_progress import FitProgress
    from proset.selection.either import AnyPlan
    from proset.selection.search_progress import SearchProgress
    from proset.study.time_left import TimeLeft
    from proset.study.time_needed import TimeNeeded

_STEPS = {
    "SearchPlan": {1: "Stage 1 of 3, penalties", 2: "Stage 2 of 3, number of batches", 3: "Stage 3 of 3, last fit"},
    "JointPlan": {1: "Step 1 of 2, trying settings", 3: "Step 2 of 2, last fit"},
    "NumberPlan": {1: "Step 1 of 2, trying settings", 3: "Step 2 of 2, last fit"},
}
_BAR = "{desc} {percentage:3.0f} % |{bar}| {elapsed} so far{postfix}"
_REDRAWN, _LOOKED_AT = 1.0, 0.05  # seconds


class _Bar(tqdm):
    """A bar without tqdm's watching thread, which would wait for ever for a lock that Ctrl-C has left taken."""

    monitor_interval = 0


def say(text: str = "") -> None:
    """Print lines of the result; what strangers wrote in them gives the terminal no orders."""
    print("\n".join(map(visible, text.split("\n"))))


def need_stdout() -> None:
    """Refuse to work for a result that nobody can get, because standard output is closed."""
    if sys.__stdout__ is None and getattr(sys.stdout, "name", None) == os.devnull:
        raise ProsetError("Standard output is closed, so there is no place for the result.", hint="Name an --output.")


def complain(text: str) -> None:
    """Print one line on stderr, with the name of the program in front."""
    with suppress(OSError):  # nobody reads it
        print(f"proset: {visible(' '.join(text.split()))}", file=sys.stderr)


def note(text: str) -> None:
    """Print one line on stderr that is no complaint."""
    complain(f"note: {text}")


def show_issues(issues: Iterable[Issue], *, quiet: bool) -> None:
    """Print issues on stderr, errors first; when quiet, only the errors."""
    order = [Severity.ERROR, Severity.WARNING, Severity.INFO]
    for issue in sorted(issues, key=lambda issue: order.index(issue.severity)):
        if quiet and issue.severity is not Severity.ERROR:
            continue
        place = f"{issue.column}: " if issue.column else ""
        print(f"  {issue.severity.value:<8}{visible(' '.join(f'{place}{issue.message}'.split()))}", file=sys.stderr)


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Show each warning as one line on stderr, without file names and code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for text in dict.fromkeys(str(warning.message) for warning in caught):
                note(text)


def is_watched(*, quiet: bool) -> bool:
    """Tell whether somebody watches progress."""
    return not quiet and sys.stderr.isatty()


@contextmanager
def fit_bar(needed: TimeNeeded | None, *, quiet: bool) -> Iterator[Callable[[FitProgress], None] | None]:
    """Yield what shows the progress of a fit, or None where nobody watches; `needed` is the estimate it begins with."""
    if not is_watched(quiet=quiet):
        yield None
        return
    clock = _clock(needed)
    with _Bar(total=100.0, desc="Fitting", bar_format=_BAR, leave=False, file=sys.stderr) as bar:

        def show(progress: FitProgress) -> None:
            bar.set_description_str(f"Fitting batch {progress.batch} of {progress.n_batches}", refresh=False)
            left = None if clock is None else clock.refit(progress.share)
            _advance(bar, _share(progress.share, left, clock), left)

        yield show


@contextmanager
def repeat_bar(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Yield what shows how many fits of folds are done; silent where nobody watches."""
    hidden = not is_watched(quiet=quiet)
    with _Bar(desc=what, unit=" fits", leave=False, disable=hidden, file=sys.stderr) as bar:

        def count(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield count


def _clock(needed: TimeNeeded | None) -> TimeLeft | None:
    """Return what tells the time that is left; None without an estimate to begin with."""
    from proset.study.time_left import TimeLeft

    return None if needed is None else TimeLeft(needed)


def _share(share: float, left: float | None, clock: TimeLeft | None) -> float:
    """Return the share of the time that has passed; without a clock, that of the work."""
    return share if clock is None or left is None or not math.isfinite(left) else clock.share(left)


def _advance(bar: tqdm, share: float, left: float | None) -> None:
    """Show the time that is left, and the share of the time that has passed."""
    if left is not None and math.isfinite(left):
        bar.set_postfix_str(f"{tqdm.format_interval(left)} to go", refresh=False)
    bar.update(max(0.0, 100.0 * share - bar.n))


@contextmanager
def search_bar(plan: AnyPlan, needed: TimeNeeded | None, *, quiet: bool) -> Iterator[Callable[[SearchProgress], None]]:
    """Yield what shows the progress of a search; Ctrl-C then says how far it was. It begins with the time `needed`."""
    from proset.selection.either import is_quick

    hidden = not is_watched(quiet=quiet)
    clock = _clock(needed)
    reached = "before its first fit was done"
    what = "fit" if is_quick(plan) else "search"
    with (
        _Bar(total=100.0, desc="Searching", bar_format=_BAR, leave=False, disable=hidden, file=sys.stderr) as bar,
        _drawn_beside(bar) as canvas,
    ):

        def show(progress: SearchProgress) -> None:
            nonlocal reached
            step, counted = _STEPS[type(plan).__name__][progress.stage], f"{progress.done:,} of {progress.total:,}"
            reached = f"in {step[0].lower()}{step[1:]}, {counted} done"
            left = progress.seconds_left if clock is None else clock.of_search(progress)
            canvas.state = _State(f"{step}: {counted}", _share(progress.share, left, clock), left)

        try:
            yield show
        except KeyboardInterrupt as stop:
            stop.args = (f"the {what} was stopped {reached}",)
            raise


@contextmanager
def compare_bar(*, quiet: bool) -> Iterator[Callable[[CompareProgress], None]]:
    """Yield what shows the progress of a comparison; Ctrl-C then says how far it was."""
    reached = "before its first fit was done"
    hidden = not is_watched(quiet=quiet)
    with (
        _Bar(total=100.0, desc="Comparing", bar_format=_BAR, leave=False, disable=hidden, file=sys.stderr) as bar,
        _drawn_beside(bar) as canvas,
    ):

        def show(progress: CompareProgress) -> None:
            nonlocal reached
            reached = f"with {progress.done:,} of {progress.total:,} pieces of work done"
            canvas.state = _State(f"{progress.system}, {progress.step}", progress.share, None)

        try:
            yield show
        except KeyboardInterrupt as stop:
            stop.args = (f"the comparison was stopped {reached}",)
            raise


@dataclass(frozen=True)
class _State:
    """Contents of a bar: words, the share of the time that has passed, and the seconds that are left."""

    words: str
    share: float
    left: float | None


class _Canvas:
    """A place where the work says how far it is, read by a thread beside it; no lock lies between them.

    Ctrl-C may interrupt the work between taking a lock and being ready to give it back. Then nobody gives it back, and
    whoever draws waits for ever. So the thread that works only sets an attribute, and the one that draws, which Ctrl-C
    never interrupts, looks at it.
    """

    def __init__(self) -> None:
        self.state: _State | None = None
        self.over = False


@contextmanager
def _drawn_beside(bar: tqdm) -> Iterator[_Canvas]:
    """Draw a bar at every change and every second, because a fit in another process may be silent for long."""
    canvas = _Canvas()
    if bar.disable:
        yield canvas
        return

    def draw() -> None:
        shown: _State | None = None
        next_time = time.monotonic() + _REDRAWN
        while not canvas.over:
            time.sleep(_LOOKED_AT)
            state = canvas.state
            if state is not None and state is not shown:
                shown = state
                bar.set_description_str(state.words, refresh=False)
                _advance(bar, state.share, state.left)
            elif time.monotonic() < next_time:
                continue
            bar.refresh()
            next_time = time.monotonic() + _REDRAWN

    thread = threading.Thread(target=draw, daemon=True)
    thread.start()
    try:
        yield canvas
    finally:
        canvas.over = True
        thread.join()


@contextmanager
def row_counter(*, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Yield what counts rows as they are done; silent where nobody watches."""
    hidden = quiet or not sys.stderr.isatty()
    with _Bar(desc="Scoring", unit=" rows", unit_scale=True, leave=False, disable=hidden, file=sys.stderr) as bar:

        def count(rows: int) -> None:
            bar.update(rows)

        yield count


@contextmanager
def part_counter(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Yield what shows how many files of how many are done; silent where nobody watches."""
    hidden = quiet or not sys.stderr.isatty()
    with _Bar(desc="Scoring", unit=" files", leave=False, disable=hidden, file=sys.stderr) as bar:

        def count(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield count
