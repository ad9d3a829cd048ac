"""The Compare page of a number: what it says."""

from __future__ import annotations

HOW_TO_READ = """
All systems see the same rows. **Over the folds**: the training rows are cut into folds; each system learns from all but
one of them and is measured on that one, in turn. If the latest rows are held out, it learns from the rows before that
fold only; if rows are held out in groups, each group is in one fold. **In brackets**: each system learns from the rows
of all folds and is measured on the held-out rows, which none has seen.

- Every system states 19 quantiles, from 5 to 95 %, and is measured by them alone. proset and nearest neighbours
  have a distribution for each case, XGBoost one set of trees for each quantile.
  gbmap and the straight line state one number: to it are added the errors that they made on training rows that were
  left out, so that their intervals are equally wide for all.
  Those of the line, and *as everybody*, are smoothed, and both are the same as on Fit and Quality.
- **CRPS** is what systems are ordered by: how far off an answer is, and how wide, in units of the target; less is
  better. From 19 quantiles it comes out a few per cent otherwise than on Fit and Quality, which take the whole
  distribution of the one model that has one. RMSE is about the mean, MAE about the median. *Held by 90 %*: the share of
  numbers within the interval.
  *Equivalent*: the mean CRPS over the folds is at most that of the best plus its standard deviation.
- **Said and actual, by system**: a mark on the dotted line is said as it is.
- **Where they disagree**: rows in the order of the largest gap between two medians. *Exclude each other*: two intervals
  of 90 % have nothing in common, so that one of the systems is surprised whatever is true.
- Seconds are of this server, one measurement each, while others may have been at work: rough numbers.
"""
EMPTY = (
    "Let other systems learn from the same rows as this model, and see how far off each is, whether its intervals hold"
    " and where they disagree. **Quick settings**: the model as it is, the others with settings that take little time."
    " **Tuned settings**: each chooses its own on the rows it learns from; that takes longer and is the fairer"
    " comparison."
)
MEASURES = {
    "crps": "Continuous ranked probability score, in units of the target: twice the mean pinball loss of 19 quantiles."
    " Less is better; it counts how far off an answer is and how wide.",
    "rmse": "Root mean square error of the mean, in units of the target.",
    "mae": "Mean absolute error of the median, in units of the target.",
    "covered": "Share of rows whose number lies within the central interval of 90 %: nearer to 90 % is better.",
    "width": "Mean width of these intervals, in units of the target: less is better where as many numbers are held.",
}
EQUIVALENT_HELP = (
    "Whether the mean CRPS over the folds is at most that of the best plus its standard deviation over the folds: the"
    " threshold of the report. Differences below it may be luck."
)
COSTS = (
    "Seconds of the last fit, with tuned settings those of the search as well, and milliseconds for 1,000 answers,"
    " measured once."
)
PROTOTYPES = "Prototypes and columns of the table that the final model rests on, where a system has such things."
DOTS = (
    "Dots are means over the folds, bars their 95 % intervals; the dotted lines are the CRPS of a straight line, and"
    " the 90 % that intervals promise."
)
TWO_NUMBERS = (
    "First the mean over the folds ± standard deviation, in brackets the value on the {which}. Every system is measured"
    " by the 19 quantiles that it states."
)
SYSTEMS = "Said and actual, by system"
SAME = (
    "The same rows and the same axes; dotted where both are equal. A ring is a number outside the interval of 90 % of"
    " that system."
)
DISPUTES = "Where they disagree"
PICK = "Pick a line: the row becomes the selected case on every page."
BARS = "Thin: 90 % of what a system expects; thick: the middle half; dot: its median; dotted: the actual number."
NOT_MEASURED = "Row {row} is none of those that the systems are measured on: pick one from the list."
ALONE = "Only one system has an answer, so there is nothing to compare row by row."
