"""The Features page of a model of a number: what it says."""

from __future__ import annotations

LEAD = "Which columns does the model look at, how does its answer go along them, and which does it do without?"
HOW_TO_READ = """
**Along a column** changes one column of one row and leaves all others as they are: the line is the median that the
model would state, the band its 90 %. The star is the answer for the row itself.

- The **dots** are rows of the table with the number that they have, held-out rows filled, training rows hollow. Their
  other columns differ, so they need not lie in the band. Strokes below are values of training rows.
- Where the picture is **grey**, fewer than one in twenty held-out rows is as unfamiliar: there is little to go by, and
  the answer returns to what everybody has.
- The course is what the model says, one column changed and nothing else. It does not say that to change the column
  would change the outcome.

**Weights** say how closely the model looks at a column when it asks which known cases are like a new one; a column that
counts little for that may still add much for a difference. The weight of a number is for one standard deviation, that
of a category for the step between its two heaviest levels.

**Added for a difference** is what the model adds to the number of a known case for what tells a new case from it, all
else alike. Each prototype has slopes of its own; what is told is their mean by the share of prototypes in answers, and
between which amounts eight of ten votes lie where these disagree in the sign. It is only one part of the answer: which
known cases speak changes, too.
"""

BETWEEN_HELP = "Each prototype has slopes of its own: between which amounts eight of ten of their votes lie."
COLUMN = "Along a column"
REST = {"typical": "Rest: typical row", "case": "Rest: selected case"}
REST_HELP = (
    "Whose values all other columns have: those of the training row that is most like the middle of all, or those of "
    "the selected case."
)
NO_FEATURE = "The model uses no column: it says of every case what it says of everybody."
NEAR = "What makes known cases near"
WEIGHTS = (
    "The longer a bar, the less near is a case that differs in the column. A short one may still add much for a "
    "difference. Weights are per standard deviation of a number, on the scale that the model has for it, and per step "
    "between the two heaviest levels of a category."
)
STABLE = "Would another draw say the same?"
ADDED = "Added for a difference from a known case"
ADDED_HELP = "To what a known case has, for what tells a new case from it, all else alike."
NO_SLOPE = "The model adds nothing for differences: prototypes say their own number, whatever tells a case from them."
GREY = "Grey: fewer than one in twenty {rows} rows is as unfamiliar."
