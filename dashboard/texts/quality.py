"""The Quality page: what it says."""

from __future__ import annotations

from dashboard.texts import number_quality as number
from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Quality",
    icon=":material/fact_check:",
    title="Quality",
    lead="How often is the model right, where does it go wrong, and can its probabilities be trusted?",
    how_to_read="""
**Held-out rows** were not used for learning. What is measured on them is what to expect of new cases of the same kind;
the 95 % interval says how far luck with the draw of these rows may have moved a number. Where the split keeps groups
together (customers, patients), whole groups are drawn: many rows of few groups say little.

- **Confusion.** A line per actual class, a column per class that the model says. Each cell holds how many cases
  it has and below, where there is room, their share of the line in per cent; the colour is as strong as the share, on
  one scale. **Click a cell**, or choose it in the box: its cases become the list that the Map and the Case page walk
  through.
- **By class.** *Found* is the share of the rows of a class that the model says are of it; *right when said* is the
  share of the rows that it says are of the class which really are. Marked values are below one half.
- **ROC.** Each case is taken for a class if its probability reaches a threshold. As the threshold falls, more cases of
  the class are found, and more of the others are taken with them. The area, ROC-AUC, is the chance that a case of the
  class has a higher probability than one of the others.
- **Precision and recall.** The same thresholds, but the height says how many of those taken are really of the class.
  For rare classes this says more than ROC.
- **Calibration.** Among cases for which the model says 80 %, about 80 % should be of the class. Each point stands for
  about equally many cases; points above the dotted line mean that the model is more often right than it says. With few
  cases the points scatter for any model; how much they do by chance alone is said below the figure. The bars below
  count the cases in ranges of 5 points.
- **Familiarity.** What is right among the cases that remain when the least familiar, the least confident, or those
  farthest from known cases are left to a person; the table has the more and the less familiar half. Below, how familiar
  the cases of each group are.
- **The rule** says how a probability becomes a decision. It changes which answers count as right, on every page; the
  probabilities, ROC and calibration stay as they are. Rules chosen until these numbers look good will do worse on new
  cases.
- **Naive**: always states how common each class is among the training rows, and says the most common one.
""",
    number_lead=number.LEAD,
    number_how_to_read=number.HOW_TO_READ,
)

SHOWN = {
    "confusion": "Confusion",
    "roc": "ROC",
    "precision_recall": "Precision and recall",
    "calibration": "Calibration",
    "familiarity": "Familiarity",
}
"""Figures, by the name in the address."""

NOTHING = "None of these rows has a known class, so there is nothing to compare with."
NO_CURVE = "A curve needs rows of a class and of others among these rows; there are none."
CURVES = "Each class against all others, whatever the rule."
ABSTENTION = "From right to left more and more cases are left to a person; the lines say which go first."
FAMILIAR = "How familiar the cases are"
OF = "Whose probability"
MOST_PROBABLE = "The most probable class"

RULE = "How cases are decided"
RULE_KINDS = {
    "probable": "The most probable class",
    "cutoff": "A cut-off for one class",
    "costs": "What each error costs",
}
RULE_NOTE = "Changes what is right and wrong on every page. The model and its probabilities stay as they are."
LEAVE = "Leave to a person the least familiar cases, in % of the held-out rows"
COSTS = "What it costs to say the class of the column of a case of the class of the line; being right costs nothing."
LISTS = "Which cases"
BY_GROUP = "By group"
MEASURES = "Measures"
BY_CLASS, BY_SLICE = "By class", "The slices that are kept"
GROUPED = "Groups"
INTERVAL = "95 % interval of the share, of each group for itself; by whole groups where the split keeps some together."
OVERLAP = "A row may belong to several slices, or to none."
