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

- **Familiarity** says how much the model has seen that is like this case: at 10 %, nine of ten held-out rows are more
  familiar to it. With low familiarity the estimate falls back on how common the classes are: look twice.
- **Similarity** runs from 0 (nothing in common) to 1 (the same in all features the model uses).
- **Dominant set**: the smallest group of prototypes that settles the answer; whatever the others say, it stays.
- **Beside its prototypes**, each feature is shown in its own units. Marked values differ most from the case.
""",
)
