"""The Compare page: what it says."""

from __future__ import annotations

from dashboard.texts import number_compare
from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Compare",
    icon=":material/compare:",
    title="Compare",
    lead="How do other methods do on the same rows, and where do they disagree?",
    how_to_read="""
All systems see the same rows. **Over the folds**: the training rows are cut into folds; each system learns from all but
one of them and is measured on that one, in turn. If the latest rows are held out, it learns from the rows before that
fold only; if rows are held out in groups, each group is in one fold. Both hold as well where a system chooses its
settings by folds of its own, unless a note says otherwise. **Held out**: each system learns from the rows of all folds
and is measured on the held-out rows, which none has seen. Where no rows are held out, it is measured on those it
learned from, and the heading says "all rows".

- **Quality.** Log-loss: smaller is better, confident errors cost most. Balanced accuracy: right answers, averaged over
  the classes. ROC-AUC: how well the classes are ranked, 0.5 is guessing. Calibration error: how far the probability of
  the class that is said is, on average, from how often it is right. The number after ± is the standard deviation over
  the folds. *Equivalent*: the mean log-loss over the folds is at most that of the best plus its standard deviation.
- **Size.** Marks are one system with a setting that makes it smaller or larger; the ring is what is compared here, the
  line joins those that none of the same size or smaller beats. Further down is better, further left is smaller. Counts
  are means over the folds, whose models learned from fewer rows: the model of all rows, counted under Cost, may have
  more or fewer.
- **Features.** What share of its weight a system gives to each column of the table, in per cent.
- **Disagreement.** How often two systems say the same, and the rows on which they do not. Pick a row to see what each
  of them says about it and why, side by side; it becomes the selected case of every page.
- **Surfaces.** What each system says over two features while the rest is fixed: the same axes and the same colours.
- **Map.** Rows that lie near each other are alike to one system. Directions have no meaning; a plane cannot keep all
  distances, the line below says how well it does.
- **Drift.** The systems learn from rows with low values of one column only, without that column, and then rows with
  high values come; or they learn from all classes but one, and then its rows come: the line above the bars says which.
  The first bars say how well each system's sign of unfamiliarity tells those rows from usual ones, the second how well
  it tells answers that are wrong: the chance that it is right for a pair of such rows.
- **Cost.** Seconds on this server, one measurement each, while others may have been at work: rough numbers.
""",
    number_how_to_read=number_compare.HOW_TO_READ,
)

ASPECTS = {
    "quality": "Quality",
    "size": "Size",
    "features": "Features",
    "disagree": "Disagreement",
    "surfaces": "Surfaces",
    "map": "Map",
    "drift": "Drift",
    "cost": "Cost",
}
"""Aspects of the page, by the name in the address."""

SYSTEMS = "Systems"
SETTINGS = {"quick": "Quick settings", "tuned": "Tuned settings"}
START = "Compare"
AGAIN = "Compare again"
ANYWAY = "Compare as chosen"
SHORT = {"proset": "proset", "pvm": "PVM", "smp": "SMP", "gbmap": "gbmap", "knn": "Neighbours", "xgboost": "XGBoost"}
"""Short names of the systems."""
NOTHING = "Choose at least two systems."
EMPTY = (
    "Let other systems learn from the same rows as this model, and see how good each is, what it looks at and where"
    " they disagree. **Quick settings**: the model as it is, the others with settings that take little time."
    " **Tuned settings**: each chooses its own on the rows it learns from; that takes longer and is the fairer"
    " comparison."
)
OF_ANOTHER = "The comparison under way is of another model; what it finds will stand there."
NO_TIME = "How long it takes cannot be told."
KNOWN = "This server has made this comparison before: it opens at once."
MEASURING = "Measuring how long it takes …"
LONGER = "Longer while other work runs on this server."
OLD = "Chosen now, and not compared yet: {differences}. Compare again to see it."
WHAT_THEY_ARE = "What the systems are, and how they are set here"

SEARCHED = (
    "proset has settings that were chosen on folds of these training rows, so that its folds flatter it; the other"
    " systems have quick settings."
)
NOT_THE_MODEL = {
    "tuned": "The proset of this comparison has chosen its own settings: it is not the model of the other pages.",
    "fewer": "The proset of this comparison has learned from fewer rows: it is not the model of the other pages.",
}
EQUIVALENT = "Equivalent"
EQUIVALENT_HELP = (
    "Whether the mean log-loss over the folds is at most that of the best plus its standard deviation over the folds:"
    " the threshold of the report. Differences below it may be luck."
)
HELD_OUT = {"held-out rows": "held out", "training rows": "all rows"}
"""Heading of the measures of the final models, by what they are measured on."""
TWO_NUMBERS = {
    "held-out rows": "First the mean over the folds ± standard deviation, beside it the value on the held-out rows.",
    "training rows": "First the mean over the folds ± standard deviation, beside it the value on the rows that were"
    " learned from: no rows are held out, so that only the first says what to expect of new cases.",
}
"""Titles of the two numbers of a measure, by what final models are measured on."""
MEASURES = {
    "log_loss": "Smaller is better, 0 is perfect. Estimates that are confident and wrong cost most. Natural logarithm.",
    "balanced_accuracy": "Share of right answers, averaged over the classes.",
    "roc_auc": "How well the classes are ranked: 0.5 is guessing, 1 is perfect. Mean over all pairs of classes.",
    "calibration_error": "How far the probability of the class that is said is, on average, from how often it is right."
    " Mean over bins of about equally many rows, one bin for every 20 rows and at most 10. Smaller is better.",
}

FIT_SECONDS = "Seconds of the fit on the rows of all folds; with tuned settings those of the search as well."
PREDICT_SECONDS = "Milliseconds for estimates of 1,000 rows."
SIZE_BYTES = "What has to be kept to make estimates, in KiB; XGBoost is kept as the text that it writes itself."
N_PROTOTYPES = "Prototypes of the model that learned from all folds; empty where a system has no such thing."
N_FEATURES = "Columns of the table that play a part."
COST = "One measurement each on this server, while others may have been at work: rough numbers."

NO_PATH = "None of these systems could be measured at other sizes."
ALONG = {"n_prototypes": "By prototypes", "n_features": "By features"}
SIZE = (
    "A ring marks the system as it is compared on this page, other marks are the same system with one setting changed;"
    " the line joins those that none of the same size or smaller beats."
)
MEANS = "Counts are means over the folds; the model of all rows may have more or fewer, see Cost."
LEVELS = "A category counts as one feature per level, but with two levels only once."
NO_WEIGHTS = "None of these systems has weights of features."
FEATURES = (
    "In per cent of all weights of a system; an empty square: not used. Systems"
    " that measure plain distance weigh all alike, but each level of a category counts, so that categories with three"
    " levels or more stand out."
)
NO_WEIGHTS_OF = "A column without squares: the system has no weights of features."
OVERLAP = "Prototypes that two systems share, in per cent"
OVERLAP_NOTE = (
    "Of the prototypes that two systems have together, those that both have; an empty square: none. A prototype that is"
    " no row of the table counts as the row nearest to it. Systems that keep every row are left out."
)
DRIFT = {"auc_shifted": "Tells shifted rows from usual ones", "auc_wrong": "Tells its errors from its right answers"}
NO_AUC = "None of the systems has a sign for this."
DRIFT_NOTE = "Bars begin at 0.5, which is guessing; a bar to the left of it points the wrong way."

ANY_TWO = "Any systems disagree"
BETWEEN = "Who disagrees"
AGREEMENT = "How often two systems say the same, in per cent of {rows}"
CLICK = "Click a square to list the rows on which these two differ."
AGREED = "All systems say the same for every row that they are measured on."
AGREED_PAIR = "These two say the same for every row that they are measured on."
PICK = (
    "Tick a line to select the case (with the keyboard: Shift and the space bar): below stands what each system says of"
    " it; click a heading to sort."
)
WRONG = "Tinted: not what the table says."
GAP = "How far the probabilities of the two systems that are farthest apart differ, from 0 % to 100 %."
ONE_BY_ONE = "One by one"
ON_MAP = "See them on the map"
CASE = "What each system says of {case}"
NO_ROW = "The selected case is no row of the table; the systems are asked about rows of the table only."
COUNTS = {
    "proset": "Adds",
    "pvm": "Distance",
    "smp": "Score",
    "gbmap": "Distance",
    "knn": "Adds",
    "xgboost": "Adds",
}
"""Heading of what counts of a prototype."""
NAMED = {"gbmap": "Near row", "knn": "Neighbour"}
"""Names of the cases that a system names, where they are not prototypes that it has chosen."""
DECIDES = {
    "proset": "The probability of a class is what its prototypes add, and a base that every class has.",
    "pvm": "The nearest prototype decides.",
    "smp": "The prototype with the highest score decides.",
    "gbmap": "",
    "knn": "Each of the nearest rows adds the same to its class; the class shares vote too.",
    "xgboost": "",
}
"""Origins of the prototypes of a system."""
VALUES = "Values"
OTHERS = "What other systems say of it"
"""Heading of the part of the Case page."""

ONE_FEATURE = "Surfaces need two features that can vary."
MARKS = "Marks are {rows}: the more alike to what is fixed, in the eyes of this model, the larger."
DOTS = (
    "Dots: means over the folds, violet for proset; lines: 95 % intervals for them. Dotted: stating the class shares."
)
GREY = "Grey: what a system knows too little of, by its own familiarity; XGBoost has none, and is never grey."
NONE_FITTED = "None of the systems has a model; the part on quality says why."
DISTANCE = "Near means"
RAW = "All features alike"
RINGS = "Rings: what {} gets wrong."
NO_RINGS = "None of these rows is one that {} gets wrong."
THIS_MODEL = "this model"
ALIKE_RAW = "in all features"
ALIKE = "to {}"
MAP = (
    "Directions have no meaning; the nearer two marks, the more alike they are {to}, as far as a plane can show it."
    " Click a mark to select its case."
)

# --- a slice ----------------------------------------------------------------------------------------------------------
WITHIN = "{rows}. Each system as it was fitted to the training rows: nothing is fitted anew."
ON_ALL = "On all rows"
WITHIN_COLUMNS = {
    "wrong": "Wrong here",
    "share": "Share wrong here (95 %)",
    "loss": "Log-loss here",
    "all wrong": "Wrong, all rows",
    "all share": "Share wrong, all",
    "all loss": "Log-loss, all",
}
"""Columns of the systems on a slice beside all rows."""
OF_ALL = {
    "size": "About all rows, not only those in {words}: smaller systems are measured over folds of the training rows.",
    "features": "About the systems as a whole, whichever rows are looked at.",
    "map": "All measured rows are drawn, not only those in {words}.",
    "drift": "About all rows, not only those in {words}: the test divides the training rows in its own way.",
    "cost": "About the systems as a whole, whichever rows are looked at.",
}
"""Parts of the page that do not follow a slice, and why."""
