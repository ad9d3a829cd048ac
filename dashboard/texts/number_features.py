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
counts little for that may still move the answer much. The weight of a number is for one standard deviation, that
of a category for the step between its two heaviest levels.

**What a step changes** is how far the median moves when one column takes the step and all others stay, the mean over
held-out rows; for eight of ten of them it moves by an amount between the two beside it. As with the course, it is what
the model says, not what would happen if somebody changed the column.
"""

BETWEEN_HELP = "How far the median moves depends on the case: for eight of ten it is between these amounts."
COLUMN = "Along a column"
REST = {"typical": "Rest: typical row", "case": "Rest: selected case"}
REST_HELP = (
    "Whose values all other columns have: those of the training row that is most like the middle of all, or those of "
    "the selected case."
)
NO_FEATURE = "The model uses no column: it says of every case what it says of everybody."
NEAR = "What makes known cases near"
WEIGHTS = (
    "The longer a bar, the less near is a case that differs in the column. A short one may still move the "
    "answer much. Weights are per standard deviation of a number, on the scale that the model has for it, and per step "
    "between the two heaviest levels of a category."
)
STABLE = "Would another draw say the same?"
STEPS = "What a step changes"
STEPS_HELP = "How far the median moves, on average, if one column takes the step and all others stay."
GREY = "Grey: fewer than one in twenty {rows} rows is as unfamiliar."
