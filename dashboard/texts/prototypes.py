"""The Prototypes page: what it says."""

from __future__ import annotations

from dashboard.texts import number_prototypes as number
from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Prototypes",
    icon=":material/workspaces:",
    title="Prototypes",
    lead="What does each known case that the model kept decide, and does it mislead?",
    how_to_read="""
A click on a mark, a line of the list or a picture opens a prototype below.

Every estimate is a sum over **prototypes**: known cases that the model has kept. This page turns the question round and
asks of each prototype what it does.

- A prototype **helps to settle** a case if it is in the case's *dominant set*: the few prototypes with the most impact
  that settle which class is most probable, whatever all the others say.
- **Wrong** counts the cases it helps to settle that are misclassified; **misled** counts those among them for which it
  speaks for the class wrongly said. A high share among few cases may be chance.
- **In the figure** the dotted line is how often all cases are wrong. Every mark is moved a little, because whole
  numbers would lie on one another; prototypes that help to settle no wrong case are pale and spread in a band below 0.
  Few of them stay where they are and have a name where there is room. Those that settle no case are not drawn.
- **Changed without it** counts the decisions that would be others if this one prototype were left out and all the
  others kept their weights. That is exact. It is not what a new fit without the row would give: the other weights would
  change, too.
- **Own class** is what the prototypes of all other rows say for its own class at its own place. Where they say
  another class, the row stands among cases of others: a rare kind of case, or a wrong entry in the table.
- **What ... is like** sets its values beside the median of each class, or the share of the class that has the same.
- **Similarity** is that of its batch, in the features that the batch uses.
- **Alike where it counts** names the columns in which a case agrees with it (the column leaves at least 90 % of their
  similarity) and in which not every case does (it leaves 75 % or less to training rows on average).
""",
    number_lead=number.LEAD,
    number_how_to_read=number.HOW_TO_READ,
)

CARDS = {"cases": "Most cases", "wrong": "Most wrong", "weight": "Heaviest"}
"""Which prototypes come first."""
NONE = "The model has no prototypes: every case gets the share of each class among the training rows."
LEARNED = (
    "The model has learned from training rows, the prototypes among them: there it can look better than it is on new "
    "cases."
)
TICK = "Tick a line of a list to select its case on every page; a prototype opens here."
DECIDES = "Cases it helps to settle"
CHANGED = "Decisions that would change without it"
VALUES = "What {name} is like"
VALUES_BESIDE = (
    "Beside its own value stands what is typical of a class: the median of its training rows; of a category, how many "
    "of them have the same."
)
LIKE_PROTOTYPES = "Prototypes most like it"
LIKE_KNOWN = "Known cases most like it"
ALIKE = "They leave at least 90 % of its similarity to the case, and 75 % or less to training rows on average."
