"""Progress of several fits one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from proset.engine.fit_progress import FitProgress
from proset.selection.search_progress import Cancelled


@dataclass(frozen=True)
class FitsProgress:
    """Progress of several fits.

    Attributes
    ----------
    fit, n_fits : int
        The fit under way, from 1, and all of them.
    share : float
        Share of the work done, in [0, 1].
    """

    fit: int
    n_fits: int
    share: float


def teller(
    progress: Callable[[FitsProgress], None] | None,
    cancel: Callable[[], bool] | None,
    done: int,
    total: int,
) -> Callable[[FitProgress], None]:
    """Return what one of the fits reports to.

    Parameters
    ----------
    progress : callable or None
        Receives a :class:`FitsProgress`, often.
    cancel : callable or None
        Asked often; once it returns True, the fit ends with ``Cancelled``.
    done, total : int
        Fits that are done, and all of them.
    """

    def tell(now: FitProgress) -> None:
        if cancel is not None and cancel():
            raise Cancelled
        if progress is not None:
            progress(FitsProgress(done + 1, total, (done + now.share) / total))

    return tell
