"""The Start page: what it says."""

from __future__ import annotations

from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Start",
    icon=":material/home:",
    title="A classifier you can argue with.",
    lead="",
    how_to_read="""
- **Show me in three minutes** opens an example with its model and goes with you through eight steps from page to page;
  read out they take three minutes, with questions ten.
- **Open my file** leads to Data, where a table is read and looked over.
- An **example** opens with a model that has been fitted, on Map.

Keys: **H** opens the help of every page. On Quality, Map and Case, **J** leads to the next case of the list and **K**
to the one before. In a story **G** goes on, **B** goes back, **L** leaves it, and **P** makes everything larger.
""",
)
WHAT = (
    "Give it a table of known cases. It keeps a few of them as prototypes and answers by how alike a new case is to "
    "each. Every answer comes with the cases it rests on, and with a warning where it has seen nothing alike."
)
FOR = "For analysts with a table, experts who know the cases, and whoever has to be convinced."
SHOW, OPEN = "Show me in three minutes", "Open my file"
OTHERS = "The same with"
FILES = (
    "CSV, Excel, OpenDocument or Parquet, up to 200 MB. Nothing is sent anywhere from the machine that this runs on."
)
MARKS = (
    "a prototype: a known case that votes",
    "a case, near those it is like",
    "a case it gets wrong: argue with it",
)
PICTURE = "Map of the breast cancer cases: dots, prototypes as circles, one case that the model gets wrong in a ring."
GO_ON, LOOK_AROUND = "Go on where you were", "Or look around in"
