"""Finished cells on disk, one JSON file each: a run can be stopped at any time and goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.report_tables.cells import Cell
from proset.common.files import replacing

RESULTS = Path(__file__).parents[1] / "results" / "report_tables"


@dataclass(frozen=True)
class Store:
    """A folder with the outcomes of finished cells, one JSON file each."""

    folder: Path = RESULTS

    def path(self, cell: Cell) -> Path:
        """Where a cell's outcome is."""
        return self.folder / f"{cell.name}.json"

    def read(self, cell: Cell) -> dict[str, Any] | None:
        """Return a finished cell's outcome; None if it is missing or was made with other settings."""
        if not self.path(cell).exists():
            return None
        outcome: dict[str, Any] = json.loads(self.path(cell).read_text(encoding="utf-8"))
        return outcome if outcome["settings"] == cell.settings() else None

    def write(self, cell: Cell, outcome: dict[str, Any]) -> None:
        """Keep a finished cell's outcome."""
        self.path(cell).parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"settings": cell.settings()} | outcome, indent=1)
        with replacing(self.path(cell)) as draft:
            draft.write_text(text + "\n", encoding="utf-8")

    def finished(self, cells: Iterable[Cell]) -> dict[Cell, dict[str, Any]]:
        """Return the outcomes of those cells that are finished."""
        found = ((cell, self.read(cell)) for cell in cells)
        return {cell: outcome for cell, outcome in found if outcome is not None}
