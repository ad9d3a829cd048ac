"""The Report page: what it says."""

from __future__ import annotations

from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Report",
    icon=":material/description:",
    title="Report",
    lead="What can be handed to somebody who was not here, about the model or about one case?",
    how_to_read="""
The **report** is one HTML file. It holds its figures and the code that draws them, so it opens in any browser without a
network and without this app, and it prints. With figures it has about 5 MB, most of it that code.

- It names the data by the fingerprint of the file, the roles of the columns, all settings, seeds and versions, so that
  somebody else can tell whether a model is the same and make it again.
- **In the file**: parts can be left out. What each says can be looked at below, before it is handed on.
- The **workbook** holds the numbers: of a model all prototypes and every held-out row, of a case the whole sum. Rows of
  the dominant set are tinted.
- A report holds values of the table. Leave out parts that others may not see: in a report on a model the errors in
  Quality, the prototypes, and names in Data; in a report on a case nearly everything.
""",
    number_how_to_read="""
The **report** is one HTML file. It holds its figures and the code that draws them, so it opens in any browser without a
network and without this app, and it prints. What a part says can be looked at below.

- **The model**: what it is worth, what was stated and what is actual, its errors, features and prototypes, how it was
  made and what it cannot tell.
- **The selected case**: the answer, what each prototype says and why, the nearest known cases, what moves the answer
  from that for a middling row, the smallest changes that move it by half of its interval, up and down.
- A report holds values of the table: largest errors, prototypes, names in Data; of a case nearly everything.
""",
)

ABOUT = {"model": "The model", "case": "The selected case"}
"""Subjects of a report, by the name in the address."""

NO_CASE = "No case is selected. Choose one on the map or on the Case page, or report on the model."
PARTS = "In the file"
PARTS_HELP = "Parts that others may not see can be left out."
INSIDE = "Preview"
NOTHING = "Every part is left out. Choose at least one."
