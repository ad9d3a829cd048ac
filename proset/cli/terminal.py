"""What people see while a command runs: results on stdout, everything else on stderr."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tqdm import tqdm

from proset.data.issues import Issue, Severity

if TYPE_CHECKING:
    from proset.fitting import FitProgress

_BAR = "{desc} {percentage:3.0f} % |{bar}| {elapsed} so far, {remaining} to go"


def say(text: str = "") -> None:
    """Print a line of the result."""
    print(text)


def complain(text: str) -> None:
    """Print one line on stderr, with the name of the program in front."""
    print(f"proset: {' '.join(text.split())}", file=sys.stderr)


def show_issues(issues: Iterable[Issue], *, quiet: bool) -> None:
    """Print issues on stderr, errors first; when quiet, only the errors."""
    order = [Severity.ERROR, Severity.WARNING, Severity.INFO]
    for issue in sorted(issues, key=lambda issue: order.index(issue.severity)):
        if quiet and issue.severity is not Severity.ERROR:
            continue
        place = f"{issue.column}: " if issue.column else ""
        print(f"  {issue.severity.value:<8}{place}{' '.join(issue.message.split())}", file=sys.stderr)


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Show each warning as one line on stderr, without file names and code."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for text in dict.fromkeys(str(warning.message) for warning in caught):
                complain(f"note: {text}")


@contextmanager
def fit_bar(*, quiet: bool) -> Iterator[Callable[[FitProgress], None] | None]:
    """Yield what shows the progress of a fit, or None where nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with tqdm(total=100.0, desc="Fitting", bar_format=_BAR, leave=False, file=sys.stderr) as bar:

        def show(progress: FitProgress) -> None:
            bar.set_description_str(f"Fitting batch {progress.batch} of {progress.n_batches}", refresh=False)
            bar.update(max(0.0, 100.0 * progress.share - bar.n))

        yield show


@contextmanager
def row_counter(*, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Yield what counts rows as they are done; silent where nobody watches."""
    hidden = quiet or not sys.stderr.isatty()
    with tqdm(desc="Scoring", unit=" rows", unit_scale=True, leave=False, disable=hidden, file=sys.stderr) as bar:

        def count(rows: int) -> None:
            bar.update(rows)

        yield count


@contextmanager
def part_counter(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Yield what shows how many files of how many are done; silent where nobody watches."""
    hidden = quiet or not sys.stderr.isatty()
    with tqdm(desc="Scoring", unit=" files", leave=False, disable=hidden, file=sys.stderr) as bar:

        def count(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield count
