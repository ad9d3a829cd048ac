"""The New data page: what it says."""

from __future__ import annotations

from dashboard.texts import number_new as number
from dashboard.texts.common import FILE_KEPT, PageText

PAGE = PageText(
    menu="New data",
    icon=":material/upload_file:",
    title="New data",
    lead="What does the model say of new rows, and which should a person look at first?",
    how_to_read="""
Each mark is a row of your file. Two questions are asked of it, each answered by a place among the held-out rows: at
5 %, only one in twenty held-out rows is as unusual.

- **Familiarity** (to the right): how much the prototypes say about the row. With little of it, the estimate falls back
  on how common the classes are. It goes with how certain the estimate is, and not with how new the row is.
- **Nearness** (upwards): how much the row is like the most similar row that the model has learned from, in the columns
  that the model uses. **In all columns** asks the same of every column, also of those that the model does not look at:
  a row that is unusual there may belong to another kind of case, though the estimate does not show it.
- **Drift**: if the new rows were drawn as the held-out ones, they would be spread over these places as those are
  (dotted). The sentence above the figure says whether they are, with a test at 1 % for all three questions together.
- A missing column that the model uses is named, and nothing is estimated without it. Where cells had to be
  filled in, a mark stands under *Note*; selecting the row says which.
""",
    number_lead=number.LEAD,
    number_how_to_read=number.HOW_TO_READ,
)

UPLOAD = "Rows to estimate"
UPLOAD_HELP = (
    "CSV or TSV, also compressed with gzip, Excel (.xlsx, .xls), OpenDocument (.ods) or Parquet, with the columns that "
    "the model uses under the same names; "
    f"a target is not needed. {FILE_KEPT}"
)
NEEDED = "The model uses {columns}"
TRY = "Try it with held-out rows"
TRY_HELP = "No file at hand? Takes rows that were held out, without their target, as if they were new."
NEAR = {"all": "Nearness in all columns", "model": "In the columns of the model"}
"""Titles of the upright axis of the figure, by the name in the address."""
UNUSUAL = "Unusual is what has a low place in familiarity or in one of the two kinds of nearness."
LOOK_THROUGH = "Look through them on Case"
LOOK_THROUGH_HELP = "The first 50 of the list, in its order, with Previous and Next on the Case page."
ASSUMED = "In {rows} something had to be assumed (✓ under Note): select a row to read what."
NOTE_HELP = "Something had to be assumed about the row: select it to read what."
ORDERS = {
    "unusual": "Most unusual first",
    "familiarity": "Least familiar first",
    "nearness": "Farthest from known cases first",
    "confidence": "Least confident first",
    "file": "As in the file",
}
"""Orders of the list, by the name in the address."""
NO_COLUMN = "The model uses no column, so that every row gets the same estimate; any file will do."
KEPT = "The rows are held for this browser tab only: reloading the page closes them."
OTHER_WAY = "Save the rows as a CSV file with commas, or as Excel or Parquet, and open that."
STILL_THERE = "What was open before, '{name}', is still there."
COMPARING = "The rows are compared with all known cases."
