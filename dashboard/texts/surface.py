"""The Surface page: what it says."""

from __future__ import annotations

from dashboard.texts import number_surface as number
from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Surface",
    icon=":material/gradient:",
    title="Surface",
    lead="What would the model say if two features changed and all others stayed?",
    how_to_read="""
The colour at each spot is what the model says of a case that has these two values, and in everything else the values
listed as fixed. It is a cut through the model: another cut may look different.

- **Small marks** are cases. They lie off the cut, because their other features differ: the more alike they are to the
  fixed values, the larger and stronger they are drawn. Those hardly alike are left out,
  but over a map, where they are small. A ring is a wrong
  estimate. Along an axis with few different values they are spread a little, so that they can be seen.
- Under *Most probable class* larger areas have a **name**, as far as there is room: with many classes colours repeat.
- **Large pale marks** are prototypes near the cut, by what is left of their weight there.
- The **line** is a contour of familiarity: 1 % of the held-out cases, or as many as are chosen under *Show*, are less
  familiar than on it. Beyond it the picture turns **grey**, the more the less familiar a spot is: the model has little
  to go by there, and its estimate returns to the class shares of the training rows.
- **Familiarity** shows at each spot which share of the held-out cases is less familiar.
- **Beside** puts another model next to it, fitted to the same training rows. Nearest neighbours and XGBoost have no
  familiarity here: nothing of theirs turns grey, and what they say far from all data is as strong as anywhere.
- **Over the map** varies the two axes of the map; all directions that the map leaves out stay as fixed.
""",
    number_lead=number.LEAD,
    number_how_to_read=number.HOW_TO_READ,
)

MAP = "Over the axes of the map"
MAP_HELP = "Varies the two axes of the map in place of two features."
FACES = {"probability": "Probability: {}", "class": "Most probable class", "familiarity": "Familiarity"}
FIXED = {
    "middle": "Rest: middle",
    "reference": "Rest: reference point",
    "case": "Rest: selected case",
}
FIXED_HELP = (
    "What all other features are fixed at. The selected case if there is one, else the reference point, or over a map "
    "the middle: medians and most frequent categories of the training rows; it need not be like any real case."
)
BESIDE = {"none": "Beside: nothing", "knn": "Beside: neighbours", "xgb": "Beside: XGBoost"}
BESIDE_HELP = "A second model on the same axes. It is fitted when it is first asked for."
CONTOURS = "Contour of familiarity"
QUANTILE = "Familiar enough"
QUANTILE_HELP = "Share of held-out cases that are less familiar than the contour; beyond it the page is grey."
CASES = "Cases near the cut"
PROTOTYPES = "Prototypes near the cut"
FAR = "Look further out"
FAR_HELP = "Doubles the range of both axes: what does the model say where there are no data?"
MAP_FIXED = "Fixed: every direction that the map leaves out, at the point chosen under Rest."
UNUSED = "The model does not use {}: along it nothing changes."
UNUSED_BOTH = "The model uses neither {} nor {}: it says the same everywhere."
ONE_FEATURE = "The table has fewer than two features that vary, so there is no surface."
NO_FAMILIARITY = "This model knows no familiarity."
"""Stands where a second model has nothing to show."""
