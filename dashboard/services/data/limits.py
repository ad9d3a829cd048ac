"""Bounds on the part of a table that is shown at once."""

from __future__ import annotations

PREVIEW_ROWS = 200
PREVIEW_COLUMNS = 60
