"""The Surface page of a model of a number: what it says."""

from __future__ import annotations

LEAD = "What would the model say, and how sure would it be, if two columns changed and all others stayed?"
HOW_TO_READ = """
The colour at each spot is what the model says of a case that has these two values, and in everything else the values
listed as fixed: at the left the median, at the right how wide its interval of 90 % is, the stronger the more. It is a
cut through the model: another cut may look different.

- **Grey** spots are hardly known: fewer held-out rows are as unfamiliar than the share that is chosen. The answer
  returns to what everybody has there.
- **Dots** are held-out rows near the cut, the larger the nearer; **squares** are prototypes near it, by what is left of
  their weight there. Those hardly alike to the fixed values are left out. The **star** is the row whose values are
  fixed.
- A click on a dot or a square selects its row.
"""
WAY_OUT = (
    "This plane goes through the selected case; with 'Rest: typical row' it goes through the middle of the training "
    "rows."
)
ENOUGH = "Grey below {} %"
ENOUGH_HELP = "Share of the held-out rows that are at most as familiar, below which a spot is grey."
FIXED = "Fixed: all other columns that the model uses"
ALL = "The model uses no other columns: this is all of it."
