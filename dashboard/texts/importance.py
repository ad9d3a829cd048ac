"""Texts on the importance of features over many rows."""

from __future__ import annotations

START = "Take all {count}"
HELP = "Works in the background; you can go on meanwhile."
SWARM = (
    "Each mark is one of {rows}: at the right its value moves the estimate towards the class, at the left away from it."
    " Dark marks are high values of the column, pale ones low ones; a category has no order and one grey."
)
HOW = (
    "A bar says by how much a column moves the estimates on average, up or down, when rows are compared with one other"
    " case column by column (SHAP values). It is about this model, not about causes."
)
