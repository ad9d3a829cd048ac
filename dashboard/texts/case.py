"""The Case page: what it says."""

from __future__ import annotations

from dashboard.texts.common import PageText

PAGE = PageText(
    menu="Case",
    icon=":material/person_search:",
    title="Case",
    lead="Why does the model say this about this case, and is the case like anything it has seen?",
    how_to_read="""
The estimate is a sum. Every prototype adds its **contribution** to its own class, the more so the more alike it is to
the case and the greater its weight; the **class shares** add how common each class is among the training rows.

- **Bars**: one per class, as long as its estimate and on the same axis for every case; each piece is what one prototype
  adds.
- **Familiarity** says how much the prototypes have to say about such a case: at 10 %, nine of ten held-out rows are
  more familiar to the model. With low familiarity the estimate falls back on how common the classes are: look twice.
- **Nearest known case** is another question: whether any training row is like this one. Prototypes sit where classes
  meet, so a case may have known cases all around it and no prototype near it.
- **Similarity** runs from 0 (nothing in common) to 1 (the same in all columns that the model uses).
- **Dominant set**: the smallest group of prototypes that decides which class comes first, whatever the others say. It
  does not make the estimate certain.
- **SHAP values** lead from the estimate of the case to compare with to that of this case, column by column; they add up
  exactly. Choose another case to compare with, or hold one class against another.
- **What would change it**: the nearest value of one column, within the range of the data, with which the model says
  something else. It is a statement about the model, and not about what would happen to the case.
""",
)
