"""How much of a table is shown at once."""

from __future__ import annotations

PREVIEW_ROWS = 200
PREVIEW_COLUMNS = 60
