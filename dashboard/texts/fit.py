"""The Fit page: what it says, and its settings."""

from __future__ import annotations

from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Fit",
    icon=":material/model_training:",
    title="Fit",
    lead="How well can the classes be told apart, and what does the model look at?",
    how_to_read="""
The model keeps a few real cases, the **prototypes**, and says how much each **feature** counts. A new case is compared
with the prototypes; those that are most like it have the most say.

- **Held-out rows** were not used for learning. Every measure on this page is taken from them.
- **The verdict** compares the model with the class shares, which say of every case how common each class is. It says
  what part of their log-loss the model takes away; the two numbers behind it are the 95 % interval, which is wide where
  few rows are held out. Green means: better than the class shares beyond luck, and right about every class more often
  than not.
- **Do not change settings until these measures look good**: they would no longer tell how the model does on new
  cases. A search compares settings on the training rows alone.
- **Log-loss** punishes estimates that are confident and wrong: 0 is perfect. The *naive* value is what one gets by
  always stating how common each class is; a model above it has learned nothing useful.
- **ROC-AUC** is the chance that, of two cases of different classes, the model ranks the right one higher:
  0.5 is guessing, 1 is perfect. With more than two classes it is the mean over all pairs of classes.
- **Balanced accuracy** is the share of right answers, averaged over the classes so that a rare class counts as much
  as a common one.
- **Feature weights**: a longer bar means that a difference in this feature makes two cases more unlike. Features
  without a bar are not used. Weights are per standard deviation of a number, or between two levels of a category.
- Where the model goes wrong, class by class, and whether its probabilities hold stands on the **Quality** page.

A **quick fit** tries a few settings, a **search** many of them. Either divides the training rows into parts, the
*folds*, fits without one of them, measures the log-loss on it, and does so for every fold.

- **Each point** of the search is a pair of penalties with a number of batches: its mean log-loss over the folds, and
  how many prototypes it keeps. The **line** joins those that no other point beats in both log-loss and size; the bars
  on it are the standard error of the difference from the best.
- The **star** is the best, the **triangle** the smallest that is not worse by more than chance, the **diamond** the one
  that is used: the smallest that gives away next to nothing. Grey points were measured on fewer folds.
- **Scale of numbers**: before that, a search compares how far apart values count: by their standard deviation, by rank
  (*quantile*), or by it and by what each value says, alone, of the classes (*evidence*; a quick fit compares this one
  too). Another than the standard scale is only taken where it is clearly better. Every page shows values as the table
  has them; what they say is on *Features, Values*.
- **Algorithm 2.2** has two figures instead: penalties with one batch, then numbers of batches. The band is one standard
  deviation; what lies below the dashed line is about as good.
- Held-out rows take no part in any of this, so the measures at the top of the page are not flattered by it.
""",
    number_lead="How well can the number be told, how sure is the model, and what does it look at?",
    number_how_to_read="""
The model keeps a few real cases, the **prototypes**. Each says of a new case: "mine was so much; adjusted for what
tells you from me it would be so much, give or take my spread". Those most like the case have the most say, and what
they say adds up to a **distribution**: about how much, and how sure.

- **Held-out rows** were not used for learning. Every measure on this page is taken from them.
- **As everybody** is the answer that needs no model: the distribution of all training rows, smoothed, for every case.
- **Mean absolute error** is the mean distance between the median and the truth. **Root mean square error** is that of
  the mean; large errors count most.
- **Intervals of 90 %** should hold the actual number in nine of ten cases: fewer, and the model is too sure; more, and
  it is more careful than it needs to be.
- **Log score** judges the whole distribution: it is small where the density at the actual number is large. A confident
  miss costs most. **CRPS** does the same in units of the target.
- **Feature weights**: a longer bar means that a difference in this feature makes two cases more unlike. Weights are for
  standardised features, so they can be compared.

A **quick fit** tries two settings, a **search** more of them. Either divides the training rows into parts, the *folds*,
fits without one of them and takes the log score on it. Held-out rows take no part in that.
""",
)
LOOKS_AT = "What the model looks at"
WEIGHTS = "Weights are per standard deviation of a number, or between two levels of a category, so that bars compare."
PIXELS = "The stronger a pixel, the more it counts; grey ones are not used. Features shows them as bars, too."
CHECKED = "How the verdict was checked."
NAIVE = "Naive: always states how common each class is among the training rows."
NO_BATCH = "The model has no batch, so it only states how common each class is."
