"""Messages of a session that wait until a page shows them."""

from __future__ import annotations

from dataclasses import dataclass, field

from dashboard.session.waiting import JobNotice
from proset.common.errors import ProsetError


@dataclass(eq=False, repr=False)
class Messages:
    """Messages that wait, and what is said only once.

    Attributes
    ----------
    not_found : str
        What was looked for in vain, until it is told.
    """

    not_found: str = ""
    _notices: list[tuple[str, str]] = field(default_factory=list)
    _taken: list[tuple[str, str]] = field(default_factory=list)
    _done: set[str] = field(default_factory=set)

    def notice(self, text: str, *, kind: str = "warning") -> None:
        """Keep a message until it is shown; `kind` is ``"warning"``, ``"error"``, ``"info"`` or ``"success"``."""
        self._notices.append((kind, text))

    def tell(self, notices: list[JobNotice]) -> None:
        """Keep messages about work until they are shown."""
        for notice in notices:
            self.notice(notice.text, kind=notice.kind)

    @property
    def n_notices(self) -> int:
        """Messages that are not shown yet."""
        return len(self._notices)

    def take_notices(self) -> list[tuple[str, str]]:
        """Return the messages not shown yet as (kind, text), and forget them."""
        self._taken, self._notices = self._notices, []
        return self._taken

    def show_again(self) -> None:
        """Show what this run has taken in the next one: it ends before anybody could read it."""
        self._notices, self._taken = [*self._taken, *self._notices], []

    def take_problem(self) -> str:
        """Return what was looked for in vain, and forget it."""
        told, self.not_found = self.not_found, ""
        return told

    def once(self, name: str) -> bool:
        """Return True the first time it is called with `name`."""
        first = name not in self._done
        self._done.add(name)
        return first

    def miss(self, error: ProsetError) -> None:
        """Say at the next run that a case was not found; see :meth:`take_problem`."""
        self.not_found = str(error)
