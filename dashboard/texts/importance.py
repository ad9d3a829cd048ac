"""Texts on the importance of features over many rows."""

from __future__ import annotations

START = "Take all {count}"
HELP = "Works in the background; you can go on meanwhile."
SWARM = (
    "Each mark is one of {rows}: right, its value moves the estimate towards the class, left, away from it. Dark: high "
    "values of the column, pale: low ones; a category has one grey."
)
HOW = "A bar is the mean change up or down, column by column (SHAP values): what the model does, not what causes what."
NOTHING = "No column moves the estimates."
