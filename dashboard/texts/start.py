"""The Start page and the tour: what they say."""

from __future__ import annotations

from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Start",
    icon=":material/home:",
    title="A classifier you can argue with.",
    lead="",
    how_to_read="""
- **Show me in three minutes** opens an example with its model and goes with you from page to page.
- **Open my file** leads to Data, where a table is read and looked over.
- An **example** opens with a model that has been fitted, on Map.

Keys: **H** opens the help of every page. On Quality, Map and Case, **J** leads to the next case of the list and **K**
to the one before.
""",
)
WHAT = (
    "Give it a table of known cases. It keeps a few of them as prototypes and answers by how alike a new case is to "
    "each. Every answer comes with the cases it rests on, and with a warning where it has seen nothing alike."
)
FOR = "For analysts with a table, experts who know the cases, and whoever has to be convinced."
SHOW, OPEN = "Show me in three minutes", "Open my file"
FILES = (
    "CSV, Excel, OpenDocument or Parquet, up to 200 MB. Nothing is sent anywhere from the machine that this runs on."
)
MARKS = (
    "a prototype: a known case that votes",
    "a case, near those it is like",
    "a case it gets wrong: click it and argue",
)
PICTURE = "Map of the breast cancer cases: dots, prototypes as circles, one case that the model gets wrong in a ring."
GO_ON, LOOK_AROUND = "Go on where you were", "Or look around in"

TOUR = (
    (
        "map",
        "Every dot is a tumour; the nearer two dots, the more alike they are to the model. The large marks are the "
        "prototypes: known cases that vote. The selected one is malignant, and the model says benign.",
    ),
    (
        "case",
        "Why? On the left who votes for and against, and its values beside theirs, each tinted towards the class it "
        "fits better. On the right, drag a value until the answer flips. Above stands what its nearest cases and the "
        "unused columns say.",
    ),
    (
        "quality",
        "How often does that happen? The matrix counts every kind of error on cases that the model has not seen. A "
        "click on a cell lists its cases.",
    ),
    (
        "surface",
        "What would it say of any other case? Colours run over two columns while the others stay; beyond the contour "
        "the model knows nothing alike.",
    ),
)
"""Pages of the tour, in their order, and what is said on them."""
END = "That was the tour. Everything can be done with a table of your own."
