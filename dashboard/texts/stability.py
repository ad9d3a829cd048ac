"""The check of stability: what it says."""

from __future__ import annotations

START = "Fit 10 more times and compare"
HELP = "Takes about as long as 10 fits; you can go on working meanwhile."
WHAT = (
    "Would another draw have given another model? The check fits the model 10 more times, each with another seed and,"
    " unless the latest rows are held out, other held-out rows. Roles and settings stay, also those that a search has"
    " found."
)
NOTHING = "The model has no prototypes, so there is nothing to compare."
ONLY_ROWS = "Only a row of the table can be checked under other seeds and splits."
NOT_THERE = "This case was not part of the check."
TABLE = "Weight: the largest over the batches, 0 where a refit does without the feature."
