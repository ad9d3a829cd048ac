"""Progress of several fits one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from proset.engine.fit_progress import FitProgress
from proset.selection.search_progress import Cancelled

P = TypeVar("P")


def teller(
    progress: Callable[[P], None] | None,
    cancel: Callable[[], bool] | None,
    done: int,
    total: int,
    made: Callable[[int, int, float], P],
) -> Callable[[FitProgress], None]:
    """Return what one of the fits reports to.

    Parameters
    ----------
    progress : callable or None
        Receives what `made` returns, often.
    cancel : callable or None
        Asked often; once it returns True, the fit ends with ``Cancelled``.
    done, total : int
        Fits that are done, and all of them.
    made : callable
        Makes a progress of the number of the fit under way, from 1, of all of them, and of the share of the work done.
    """

    def tell(now: FitProgress) -> None:
        if cancel is not None and cancel():
            raise Cancelled
        if progress is not None:
            progress(made(done + 1, total, (done + now.share) / total))

    return tell
