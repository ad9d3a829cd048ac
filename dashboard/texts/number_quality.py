"""The Quality page of a number: what it says."""

from __future__ import annotations

LEAD = "How far off is the model, do its intervals hold, and what do its errors still depend on?"

HOW_TO_READ = """
**Held-out rows** were not used for learning. What is measured on them is what to expect of new cases of the same kind;
the 95 % interval says how far luck with the draw of these rows may have moved a number. Where the split keeps groups
together (customers, patients), whole groups count: many rows of few groups say little.

- **The picture.** Each mark is a row: to the right as the model says (its median), in height as it is. The upright line
  is the interval that should hold the actual number with 90 %. A ring: it does not. The stronger the violet, the more
  familiar the row. On the dotted line both are equal. **Click a mark** to select the case; the list at the right has
  those furthest outside.
- **Measures.** *MAE* is the mean distance of the median from the actual number, *RMSE* the root of the mean square
  error of the mean, in which large errors count most. *CRPS* and *log score* judge the whole distribution: they are
  small where it is narrow and in the right place. Less is better in all of them. Beside them stand the same of the
  distribution of all training rows, smoothed (*everybody*), and of a *straight line* through the columns, with the
  errors that it makes on training rows left out, the same for all cases.
- **Do the intervals hold?** On the left: how many numbers intervals of 50 to 95 % hold; above the dotted line they are
  wider than they need to be, below it too narrow. On the right: how probable the model held at most the actual number.
  If it is right, all bars are about equally high; high ends mean intervals that are too narrow, a hill in the middle
  too wide ones, a slope that answers lean one way. The band holds all bars of 95 % of samples that are spread evenly.
  *Calibrate the intervals* moves their ends until as many numbers of training rows lie inside as is promised, each row
  judged by a model that has not seen it. The distribution itself, and so the bars at the right, stay as they are.
- **Pinball loss** is what a stated quantile costs on average: of the 90 % quantile, a number above it costs nine times
  as much as one as far below.
- **By familiarity or group.** Intervals should hold about as much in every group. That errors are larger where rows are
  unfamiliar is to be expected; that intervals hold less there is not.
- **Errors by column.** A model that has taken from a column what there is to take is off to both sides alike, whatever
  the value. Squares are mean errors of groups of values, with 95 % intervals. Which columns are named is corrected for
  having looked at all of them.
- **Where intervals miss.** Parts of the table, by one or two conditions, where more numbers lie outside their 90 %
  interval than chance makes of the worst of all parts that were looked at. Keep one as a slice, and every page below
  speaks of its rows.
"""

MEASURED = "Measured on {rows}."
NOTHING = "None of these rows has a number, so there is nothing to compare with."
LEARNED = (
    "The model has learned from training rows: what is measured on them does not say how good it is on new cases, nor "
    "whether its intervals hold. Below, where intervals miss, they can be judged by models that have not seen them."
)
JUDGED = (
    "Training rows are judged here by models that have not seen them; Case shows such a row with the answer of the "
    "model itself, which has learned from it."
)
CALIBRATE = "Calibrate the intervals"
CALIBRATE_HELP = (
    "Ends of intervals move to the quantiles between which so many numbers of training rows lie as is promised, each "
    "row judged by a model that has not seen it (conformal prediction). Density, median and prototypes stay."
)
CALIBRATE_WHY = (
    "Makes intervals hold what they promise, on average over rows like the training rows: a second model with the same "
    "answers, beside this one."
)
CALIBRATE_FIRST = (
    "Once training rows are judged by models that have not seen them (further down, where intervals miss), intervals "
    "can be calibrated."
)
CALIBRATED = "Intervals are calibrated on every page; the model without stays beside it."
OWN_INTERVALS = "Training rows, which have set these ends, are no test of them; held-out rows are."
NO_ROWS_OUTSIDE = "No number is outside its 90 % interval."
PICTURE = "Each mark is a row; its upright line is the 90 % interval, a ring marks a number outside."
OUTSIDE = "Furthest outside"
HOLD = "Do the intervals hold?"
ALONE_LEVEL = "Each interval drawn is for its level alone; the sentence corrects for looking at all {count}."
ALONE_GROUP = "Each interval drawn is for its group alone; the sentence corrects for looking at all {count}."
GROUPS = "By familiarity or group"
GROUPED = "Groups by"
BY_FAMILIARITY = "How familiar rows are"
ERRORS = "Errors by column"
COLUMN = "Column"
PINBALL = "Pinball loss by quantile"

MEASURES = {
    "MAE": "Mean distance of the median from the actual number.",
    "RMSE": "Root of the mean square error of the mean; large errors count most.",
    "CRPS": "How far the whole distribution is from the actual number; of an answer without doubt, its distance.",
    "log score": "Minus the logarithm of the density at the actual number; what is sure and wrong costs most.",
}
"""Measures in the order of the table, with a sentence each."""
