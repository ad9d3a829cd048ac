"""The Map page: what it says."""

from __future__ import annotations

from dashboard.texts import number_map as number
from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Map",
    icon=":material/scatter_plot:",
    title="Map",
    lead="Which cases does the model see as alike, and where does it go wrong?",
    how_to_read="""
Each small mark is a case, each large mark a **prototype**; colour and shape tell the class. Held-out cases are filled,
training cases hollow. Cases that the model finds alike lie close together: a centimetre means the same upwards and
sideways, unless a line below says otherwise, and distances use only the features the model weighs, by as much as it
weighs them. Where a batch uses just two features, they are the axes themselves.

- A mark with a **magenta ring** is misclassified.
- **Click a mark** to select the case; the diamond shows it, and the Case page explains it. A click on a prototype
  selects its row and says what the prototype weighs.
- **Draw a loop** with the lasso in the tool bar: the cases inside become the list that the Case page walks through.
- As long as a case is selected, the area of each prototype is its **impact** on it, lines lead to the ten strongest,
  and the five strongest carry the number of their row. A switch under *Show* takes them away.
- **Shade the classes**: the colour behind is the most probable class on one plane through the data, the stronger the
  more probable. Cases beside the plane may get another estimate.
- A flat map cannot show everything. The share at each axis says how much of the spread it carries; two cases that
  look close may differ in a direction the map leaves out.
""",
    number_lead=number.LEAD,
    number_how_to_read=number.HOW_TO_READ,
)

COLOURS = {
    "class": "Colour: class",
    "correct": "Colour: right or wrong",
    "probability": "Colour: probability of …",
    "familiarity": "Colour: familiarity",
    "novelty": "Colour: nearness to a known case",
}
"""Options of the list of colours."""

FADE = "Fade all but the list"
FADE_HELP = "Makes the cases of the list stand out; the prototypes stay as they are."
SHADE = "Shade the classes"
SHADE_HELP = "Colours every spot by its most probable class, on the plane through the middle of the training rows."
STAR = "Show the reference point"
STAR_HELP = "A star at the typical training row with which cases are compared."
LINES = "Lines to its prototypes"
LINES_HELP = (
    "Sizes the prototypes by their impact on the selected case. The map is then drawn anew with each case, and forgets "
    "a zoom."
)
