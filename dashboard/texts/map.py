"""The Map page: what it says."""

from __future__ import annotations

from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Map",
    icon=":material/scatter_plot:",
    title="Map",
    lead="Which cases does the model see as alike, and where does it go wrong?",
    how_to_read="""
Each small mark is a case, each large mark a **prototype**; colour and shape tell the class. Cases that the model finds
alike lie close together, because distances use only the features the model weighs, by as much as it weighs them.

- A mark with a **black ring** is misclassified: the model's most probable class is not the actual one.
- **Click a mark** to select the case; the diamond shows it, and the Case page explains it.
- A flat map cannot show everything. The share at each axis says how much of the spread it carries; two cases that
  look close may differ in a direction the map leaves out.
""",
)
