"""Tables that were open before, with their models: where Back leads to after other data was opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dashboard.session.opened import OpenTable

MOST_KEPT = 3
MOST_BYTES = 256 * 2**20
"""Together with their files; what is larger is not kept at all."""


@dataclass(eq=False, repr=False)
class Former:
    """Some tables that were open before, the latest last."""

    _kept: list[OpenTable] = field(default_factory=list)

    def keep(self, opened: OpenTable) -> None:
        """Keep a table as it is left; the oldest ones go to make room."""
        self._kept = [known for known in self._kept if known is not opened] + [opened]
        while len(self._kept) > MOST_KEPT or sum(map(_size, self._kept)) > MOST_BYTES:
            del self._kept[0]

    def drop(self, key: str) -> None:
        """Forget the table with this key."""
        self._kept = [known for known in self._kept if known.key != key]

    def with_key(self, key: str) -> OpenTable | None:
        """Return the table with this key."""
        return next((opened for opened in self if opened.key == key), None)

    def sample(self, name: str) -> OpenTable | None:
        """Return the bundled data set of this name as it was left last."""
        return next((opened for opened in self if opened.sample == name), None)

    def __iter__(self) -> Iterator[OpenTable]:
        """Go through them, the latest first."""
        return reversed(self._kept)


def _size(opened: OpenTable) -> int:
    """Return about how many bytes a table holds, with its file."""
    frames = [opened.table.frame, *opened.others.values()]
    return sum(int(frame.memory_usage(deep=False).sum()) for frame in frames) + len(opened.source or b"")
