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
the case and the greater its weight; the **baseline** adds how common each class is. The column sums are the estimate.

- **Familiarity** is how much the prototypes say about this case: at 10 %, they say more about nine of ten held-out
  rows. With little of it, the estimate falls back on how common the classes are: look twice.
- **Nearness** is another question: how alike the most similar case is that the model has learned from, prototype or
  not. A case may have known cases all around it and no prototype, or be decided by one that it does not resemble.
- **Similarity** runs from 0 (nothing in common) to 1 (the same in all features the model uses).
- **Dominant set**: the smallest group of prototypes that decides which class comes first, whatever the others say. That
  does not make the class certain; its probability says how sure the model is.
- **Beside its prototypes**, each feature is shown in its own units. Marked values differ most from the case.
""",
)
