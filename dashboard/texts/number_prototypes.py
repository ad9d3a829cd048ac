"""The Prototypes page of a model of a number: what it says."""

from __future__ import annotations

LEAD = "Which known cases has the model kept, what does each say, and of whom?"
HOW_TO_READ = """
Every answer is a distribution that adds up from **prototypes**: known cases that the model has kept. Each says of a new
case: "mine was so much; adjusted for what tells you from me it would be so much, give or take my spread".

- **Share** is how much of the answers a prototype makes up, on average over the rows measured. The rest is what other
  prototypes say, and what everybody has.
- **Leads** counts the rows in whose answer no prototype has a larger share.
- **Give or take** is the standard deviation of what it says: how much cases like it differ in spite of all that is
  known of them.
- **Others expect** is what all prototypes of other rows state for its own row, median and 90 %. A prototype whose own
  number lies outside is a rare kind of case, or a wrong entry in the table; about one in ten lies outside by chance if
  the model is right.
- **Says** in the list of rows is its own number with the adjustment for that row.
- **Rank** is 1 where no prototype has a larger share in the row's answer.
"""

NONE = "The model has no prototypes: it says of every case what it says of everybody."
ORDERS = {"share": "Largest share", "leads": "Leads most rows", "weight": "Heaviest", "odd": "Least expected"}
"""Orders of the list, by the name in the address."""
LEARNED = (
    "The model has learned from training rows, the prototypes among them: there it can look better than it is on new "
    "cases."
)
TICK = "Tick a line to select the row on every page."
NO_CASES = "It has less than a thousandth of the answer for every row measured."
