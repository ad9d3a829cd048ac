"""Limits of a saved study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from proset.common.checked_json import JsonLimits, parse_json
from proset.common.errors import StorageError

_DESCRIPTIONS = ("manifest.json", "study.json")
_BY_ROW = ("table/", "split/", "reference.")
_HEADER = 4096


@dataclass(frozen=True)
class StorageLimits:
    """Limits of a saved study; a larger one is refused before it is unpacked, and before it is written.

    Within the defaults, reading takes less than 1 GiB of memory, the study included, and refusing less than 10 seconds.

    Attributes
    ----------
    max_bytes : int
        Size of all members unpacked, and of the study once loaded: the texts of the table are then written out row by
        row, with eight bytes more for each. A million rows of 80 numbers have that size. The model may take a quarter.
    max_members : int
        Number of members.
    max_json_bytes : int
        Size of the manifest, and of the description of the study.
    max_rows : int
        Rows of the table.
    """

    max_bytes: int = 640 << 20
    max_members: int = 20_000
    max_json_bytes: int = JsonLimits.max_bytes
    max_rows: int = 5_000_000

    def largest(self, name: str) -> int:
        """Return the size that a member may have: one number per row, if it holds something about the rows."""
        if name in _DESCRIPTIONS:
            return self.max_json_bytes
        by_row = name.endswith(".npy") and name.startswith(_BY_ROW)
        return _HEADER + self.max_rows * 8 if by_row else self.max_bytes

    def check_total(self, size: int) -> None:
        """Refuse so many bytes."""
        if size > self.max_bytes:
            raise StorageError(
                f"The study unpacks to {size / 1e6:,.0f} MB; at most {self.max_bytes / 1e6:,.0f} MB are kept.",
                hint="Leave out columns or rows that the model does not need.",
            )

    def check_model(self, size: int) -> None:
        """Refuse so many bytes of a model; a quarter of the limit, because computing takes them in double precision."""
        if size > self.max_bytes // 4:
            raise StorageError(
                f"The model has {size / 1e6:,.0f} MB; at most {self.max_bytes / 4e6:,.0f} MB are kept.",
                hint="Fit with fewer candidates per batch, fewer batches, or fewer features.",
            )

    def parse(self, data: bytes | bytearray, name: str) -> Any:
        """Return the value of a JSON member."""
        return parse_json(bytes(data), f"Member '{name}'", limits=JsonLimits(max_bytes=self.max_json_bytes))
