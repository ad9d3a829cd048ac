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

- **For and against**: the prototypes of each class that add most; the bar is what one adds, the short bar behind it
  its similarity to the case, from 0 (nothing in common) to 1 (the same in all columns that the model uses). A star
  marks the **dominant set**: the smallest group that decides which class comes first. It does not make the estimate
  certain.
- **Nearest known cases** are training rows, whether prototypes or not. Prototypes sit where classes meet, so a case may
  have known cases all around it and no prototype near it.
- **Values**: each has the tint of the class among whose known values it lies better. The line shows the middle half
  (thick) and 90 % (thin) of either class, the diamond the case, the dashed line where the answer flips.
- **Contradicts**: a value that is rare in the class that is said and common in the other, in a column that the model
  does not use. The sentence at the top says how usual it is that so many contradict.
- **Familiarity** says how much the prototypes have to say about such a case: at 10 %, nine of ten held-out rows are
  more familiar to the model. With low familiarity the estimate falls back on how common the classes are: look twice.
- **What if**: drag a value and see what the model would say. It is a statement about the model, and not about what
  would happen to the case.
- **SHAP values** lead from the estimate of the case to compare with to that of this case, column by column; they add up
  exactly. A wrong case is compared with a typical one of its own class, until you choose another.
""",
)
