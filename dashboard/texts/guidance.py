"""Guidance of a model: what the pages say about it."""

from __future__ import annotations

ASK = "Ask something of the next model"
ASK_HELP = "Nothing is fitted yet: what is asked for waits on Fit and on Review until somebody fits."
ASK_HELP_NUMBER = "Nothing is fitted yet: what is asked for waits on Fit until somebody fits."
COLUMN, COLUMNS = "Column", "What the next model may look at"
USED, NOT_USED = "{name} (in use)", "{name} (not used)"
WHY, WHY_HERE = "Why", "So that others understand it later"
LET_USE = "Let the model use:"
LET_USE_HELP = "Asks the next fit to use '{name}': its weight is not penalised. Nothing is fitted yet."
KINDS = {
    "no_column": "Must not be used",
    "use_column": "Use it if it helps at all (no penalty)",
    "no_prototype": "Must not be a prototype",
    "candidate": "Make it a candidate",
    "leave_out": "Leave the row out",
}
UNHEARD_OF = "No row of the table has such a number: they go from {low} to {high}."
LEARN_WITH = "Learn the row with {number}"
LEARN_AS = "Learn '{target}' of this row as"
LEARN_AS_HELP = "The table is not changed: the next model learns the row with this number instead of the one it has."
TAKE_BACK = "Take it back"
LISTED = "What the next fit listens to ({count:,})"
MORE = "{count:,} more"
FROM_VERDICT = "from a verdict; who gave it takes it back"
NOT_IN_LINKS = (
    "A link to this page does not carry what was said: who opens it gets a model that was not asked for anything."
)
ONLY_TRAINING = "Only training rows can be guided; {name} is none."
MEASURED_BY_TABLE = "Held-out rows are measured against the table, whatever is said of them."
WAITS = "The next fit listens to it."

BY_CHANCE = (
    "Not all that changed follows from what was said or chosen: other rows may be candidates in the place of "
    "those concerned, and other settings may have been chosen. *Stability* on Features shows how much another draw "
    "alone moves."
)

MAPS = "The map before and after"
MAPS_HELP = "The map that Map opens with, of both models. It stands still until a button is pressed and shows the end."

NOT_ALIKE = "Not alike? Choose the other one"
NOT_ALIKE_HELP = "Shows what tells this case from a prototype or a known case, and how much of it the model weighs."
NOT_ALIKE_ALT = "Columns with the values of both cases, how far they lie apart, and what the model makes of it."
NOT_ALIKE_READ = (
    "Spreads: standard deviations of the column among the training rows of {label}. Leaves: how much of the similarity "
    "a column lets stand. Nothing is obeyed by itself: what the next model is to look at is asked for column by column."
)

MOVED = "Held-out rows whose median moved ({count:,})"

HISTORY = "Models of this table ({count:,})"
HISTORY_READ = (
    "In the order they came. The difference is that of the log-loss on held-out rows from the model shown to the one "
    "in the line, with its 95 % interval: below zero, the one in the line is better. A model with other held-out rows "
    "or classes has none."
)
HISTORY_READ_NUMBER = (
    "In the order they came. The difference is that of the mean absolute error on held-out rows from the model shown "
    "to the one in the line, with its 95 % interval: below zero, the one in the line is better. A model with other "
    "held-out rows has none."
)
WITH = "Compare the model shown with"
MAKE_CURRENT = "Show that one"
