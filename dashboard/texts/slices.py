"""Slices: what the frame, the editor and the Quality page say of them."""

from __future__ import annotations

ALL = "all"
ROWS = "Rows: {name}"
CHOICE = "Rows that pages show"
FOLLOWED = (
    "Every page below Data and Fit speaks of these rows where it speaks of rows of the table. "
    "What belongs to the model as a whole stays as it is, and the page says so."
)
NOT_FOLLOWED = "This page shows all rows."
NOT_FOLLOWING = frozenset({"data", "fit"})
"""Pages with rows of the table that do not follow a slice."""
NOT_FOLLOWING_NUMBER = NOT_FOLLOWING | {"compare", "report"}
"""Pages with rows of the table that do not follow a slice, of a model of a number."""
NEW = "New slice"
DROP = "Remove this slice"
SAVE = "Keep and show"
NAME = "Name"
NAME_PLACE = "its conditions in words"
FIRST, SECOND = "Rows for which", "and for which"
NOTHING_MORE = "nothing more"
OF_ESTIMATE, OF_RESULT, OF_FAMILIARITY, OF_PART, OF_LIST = (
    "the estimate of a class",
    "right or wrong",
    "familiarity",
    "training or held out",
    "the cases that are listed now",
)
OF_MEDIAN, OF_INTERVAL = "the median said", "inside or outside its interval"
FROM, BELOW, BEFORE, MISSING, LEVELS, CLASS = "From", "Below", "Before", "is missing", "One of", "Class"
QUANTILE = "Share of held-out rows that are at most as familiar, from 0 to 1."
NO_CONDITION = "Say for which rows: choose a column, or what else they have in common."
RESULTS = {"right": "decided right", "wrong": "misclassified", "left": "left to a person"}
INTERVALS = {"inside": "inside their 90 % interval", "outside": "outside their 90 % interval"}
PARTS = {"train": "training rows", "held_out": "held-out rows", "unlabelled": "rows without a target"}

WHERE = "Where it goes wrong"
WHERE_OUTSIDE = "Where intervals miss"
SEARCHING = "Looking for parts with more errors..."
LOOK = "Look at these cases"
KEEP = "Keep as slice"
NOT_SEEN = "Case shows a training row with the estimate of the model itself, which has learned from it."
IN_REVIEW = "Review shows the estimate that is counted here."
MORE_ROWS = "Once Review has judged the training rows by models that have not seen them, these count here as well."
MORE_NUMBERS = (
    "Only held-out rows count here; training rows count, too, when models that have not seen them judge them."
)
JUDGING = "The training rows are being judged by models that have not seen them; they count here when that is done."

MEAN = "Means over {rows}."
SURFACE = "Drawn as marks: {rows}. The surface is that of the model, whichever rows are looked at."
SURFACE_NUMBER = "Of the rows near this plane only those in {words} are drawn. The surface is that of the model."
NO_MARKS = "The surface is that of the model all the same."
OF_MODEL = "Weights belong to the model as a whole; they are the same whichever rows are looked at."
OF_MODEL_NUMBER = "All of this belongs to the model as a whole; it is the same whichever rows are looked at."
OF_REFITS = "Refits are made and measured on all rows, not on those in {words}."
DENSITIES = "Drawn: {rows}."
PAIRS = "Drawn: {rows}."
CARDS = "Only prototypes that help to settle a case in {words} have a card."
COMPARE = "Systems learn from all training rows; then they are measured on those in {words} as well."
REPORT = (
    "The report is about all rows. In short and Quality state how the model does on those in {words} beside all rows; "
    "the workbook has a sheet of it."
)
REPORT_CASE = "The report is about this case; the rows in {words} play no part in it."
