"""Texts beside the figure of familiarity by group."""

from __future__ import annotations

GROUPED_BY = "Familiarity of cases, by"
GROUPS = {"class": "actual class", "correct": "right or wrong", "part": "part of the split"}
"""Groups of the figure that are no columns."""
DENSITY = (
    "Curves have about equal areas, however many cases a group has. Of a group that lies to the left, the prototypes "
    "say little."
)
