"""The Compare page: what it says."""

from __future__ import annotations

from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Compare",
    icon=":material/compare:",
    title="Compare",
    lead="How do other ways to learn do on the same rows, and where do they disagree with this model?",
    how_to_read="""
All systems see the same rows. **Over the folds**: the training rows are cut into folds, and each system learns from all
but one of them and is measured on that one, in turn. **Held out**: each system learns from all training rows and is
measured on the held-out rows, which none has seen.

- **Quality.** Log-loss: smaller is better, confident errors cost most. Balanced accuracy: right answers, averaged over
  the classes. ROC-AUC: how well the classes are ranked, 0.5 is guessing. Calibration error: by how much stated
  probabilities and shares of right answers differ. The number after ± is the standard deviation over the folds.
  *Equivalent*: the mean log-loss over the folds is at most that of the best plus its standard deviation.
- **Size.** Each line is one system with a setting that makes it smaller or larger; the ring is what is compared here.
  Further down is better, further left is smaller.
- **Features.** Each column sums to 100: what share of its weight a system gives to each column of the table.
- **Disagreement.** How often two systems say the same, and the rows on which they do not. Pick a row to see what each
  of them says about it and why, side by side; it becomes the selected case of every page.
- **Surfaces.** What each system says over two features while the rest is fixed: the same axes and the same colours.
- **Map.** Rows that lie near each other are alike to one system. Directions have no meaning; a plane cannot keep all
  distances, the line below says how well it does.
- **Drift.** Rows of one kind are kept from learning; then each system's sign of unfamiliarity is asked whether it
  tells such rows from the others. The ROC-AUC is the chance that it does for a pair of rows.
- **Cost.** Seconds on this server, one measurement each, while others may have been at work: rough numbers.
""",
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
"""What the page shows, by the name in the address."""

SYSTEMS = "Systems"
SETTINGS = {False: "Quick", True: "Tuned"}
SETTINGS_HELP = (
    "Quick: each system with one sensible setting; proset as the open model. Tuned: each system chooses its settings "
    "itself, on the training rows only, which takes longer and is the fairer comparison."
)
START = "Compare"
AGAIN = "Compare again"
NOTHING = "Choose at least two systems."
EMPTY = "Nothing is compared yet. Choose systems and press Compare: all of them learn from the same rows."
MEASURING = "Measuring how long it takes …"
NO_ROWS = "None of the held-out rows has a known class, so there is nothing to compare with."
OLD = "Shown is an earlier comparison: {differences}."
AGREED = "All systems say the same for every row."
PICK = "Tick a line to see what each system says about the case; it becomes the selected case on every page."
NO_PATH = "None of the systems compared has a size that can be varied."
NO_WEIGHTS = "None of the systems compared has weights of features."
NO_DRIFT = "There is nothing to shift: "
ONE_FEATURE = "A surface needs two features that can vary."
EQUIVALENT = "Equivalent"
COMMON_ROWS = "held-out rows"
CASE = "What each system says about {case}"
"""Heading of the explanations side by side."""
