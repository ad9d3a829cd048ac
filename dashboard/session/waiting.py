"""Results that wait because other data is open: shown, put off, opened, or taken over once their table is open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.session.opened import OpenTable

_MOST = 3


@dataclass(frozen=True, eq=False)
class JobNotice:
    """A message about a job that has ended; `kind` as the session's notices have it."""

    kind: str
    text: str


@dataclass(frozen=True, eq=False)
class WaitingResult:
    """A result that waits because other data is open.

    Attributes
    ----------
    text : str
        What it is and whose.
    label : str
        What the button that opens it says.
    open : callable
        Opens it with its table.
    opened : OpenTable
        The table that it belongs to.
    take : callable
        Takes it over once that table is open.
    announced : bool
        Whether it is shown; a person may put that off.
    """

    text: str
    label: str
    open: Callable[[], None]
    opened: OpenTable
    take: Callable[[], None]
    announced: bool = True


class WaitingResults:
    """Results of one session, the oldest first."""

    def __init__(self) -> None:
        self._kept: list[WaitingResult] = []

    @property
    def announced(self) -> tuple[WaitingResult, ...]:
        """Results that are shown."""
        return tuple(result for result in self._kept if result.announced)

    def add(self, result: WaitingResult) -> list[JobNotice]:
        """Let one more result wait; of many the oldest goes, which is said."""
        self._kept.append(result)
        if len(self._kept) <= _MOST:
            return []
        self._kept.pop(0)
        return [JobNotice("warning", f"At most {_MOST} results wait to be opened; the oldest was dropped.")]

    def withdraw(self, result: WaitingResult) -> None:
        """Forget a result."""
        if result in self._kept:
            self._kept.remove(result)

    def put_off(self, result: WaitingResult) -> None:
        """Show a result no longer."""
        if result in self._kept:
            self._kept[self._kept.index(result)] = replace(result, announced=False)

    def taken_up(self, current: OpenTable | None) -> list[JobNotice]:
        """Take over what has waited for the table that is open now, and say so."""
        mine = [result for result in self._kept if current is not None and result.opened.is_same(current)]
        for result in mine:
            self.withdraw(result)
            result.take()
        return [JobNotice("success", result.text) for result in mine]
