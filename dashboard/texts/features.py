"""The Features page: what it says."""

from __future__ import annotations

from dashboard.texts import number_features as number
from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Features",
    icon=":material/bar_chart:",
    title="Features",
    lead="Which columns does the model look at, how much, and which does it do without?",
    how_to_read="""
The model learns a **weight** for each feature in each batch. Two cases count as alike if they differ little in the
features with large weights; a feature without weight plays no part in any estimate.

- The weight of a **number** is for one standard deviation (of its bent scale, where Fit says so), that of a
  **category** for the step between its two heaviest levels, so that bars of different columns can be compared.
- Beside the weights, **densities** show the values of the rows with a class, one curve per class; the marks below are
  the prototypes, the larger the heavier. Columns whose curves lie apart tell classes apart by themselves.
- A weight says how closely the model looks at a column. It does not say that the column causes the outcome, and a
  column without weight may still carry information: often another column says the same.
- **Pairs** puts held-out rows and prototypes on the heaviest features, two at a time; a ring marks rows that are
  classified wrongly, and a click selects a case.
- **What counts** takes many rows, changes them column by column into one other case, and asks how much the estimate
  moves with each column (SHAP values). A column with a large weight counts little where its values hardly differ.
- **Values** says for which class each value of a column speaks, looked at alone: its weight of evidence, the log-odds
  of the class among training rows with about this value beside those among all, and closer to 0 where they are few. A
  model can look at these weights beside the values (*Scale of numbers: evidence* on Fit); otherwise they are only
  shown, and columns that count together can look as if they said nothing.
- **Together** asks which two columns change the votes of the prototypes more, or less, by being changed both than the
  two changes alone add up to. A prototype speaks for a case that is like it in all columns of its batch, so some of
  this is always there: what counts is how unevenly it is spread.
- **Stability** fits the model again with other seeds and splits: a feature that most refits use is a finding about the
  data, one that few use is a finding about the draw.
""",
    number_lead=number.LEAD,
    number_how_to_read=number.HOW_TO_READ,
)

ASPECTS = {
    "weights": "Weights",
    "importance": "What counts",
    "values": "Values",
    "together": "Together",
    "pairs": "Pairs",
    "stability": "Stability",
}
"""Aspects of the page, by the name in its address."""

LEVELS = "Show the levels of each category"
PARTS = "Show what each bar is made of"
NO_FEATURE = "The model uses no feature: every case gets the share of each class among the training rows."
PAIRS = "Small marks: rows; large marks: prototypes. On the diagonal: densities."
VALUES = (
    "Weights of evidence: by how much the log-odds of a class are higher at a value, in training rows, than among all. "
    "1 makes odds 2.7 times as high; what speaks against a class is not drawn."
)
VALUES_SEEN = "The model looks at these weights beside the values."
VALUES_SOME = "Beside the values, the model looks at these weights of {columns}; the others are only shown."
VALUES_UNSEEN = "The model looks at the values, not at these weights."
PICTURE = "Each square is a pixel: the stronger its colour, the heavier it is; grey ones have no weight."
WEIGHTS = "Weights are per standard deviation of a number, on the scale that the model has for it{kinds}."
OF_LEVELS = ", and per step between the two heaviest levels of a category"
OF_EVIDENCE = ", or per standard deviation of what its values say of a class (evidence), where that is heavier"
