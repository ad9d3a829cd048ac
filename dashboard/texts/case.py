"""The Case page: what it says."""

from __future__ import annotations

from dashboard.texts import number_case
from dashboard.texts.common import PageText
from proset.common.words import count_words, percent

PAGE = PageText(
    menu="Case",
    icon=":material/person_search:",
    title="Case",
    lead="Why does the model say this about this case, and is the case like anything it has seen?",
    how_to_read="""
The estimate is a sum. Every prototype adds its **contribution** to its own class, the more so the more alike it is to
the case and the greater its weight; the **class shares** add how common each class is among the training rows.

- **For and against**: the prototypes of each class that add most; the bar is what one adds, the short bar behind it
  its similarity to the case, from 0 (nothing in common) to 1 (the same in all columns that its batch uses). A star
  marks the **dominant set**: the smallest group that decides which class comes first. It holds the largest
  contributions, so those against may be in it, too. It does not make the estimate certain.
- **Nearest known cases** are training rows, whether prototypes or not. Prototypes sit where classes meet, so a case may
  have known cases all around it and no prototype near it. Their similarity is the mean of all batches, each as heavy as
  its prototypes; a prototype's is that of its own batch, so that the same row may have two.
- **Values**: each has the tint of the class among whose known values it lies better. The line shows the middle half
  (thick) and 90 % (thin) of either class, the diamond the case, the dashed line where the answer flips. Values of the
  leading prototypes are underlined where they are **alike where it counts**: this column leaves at least 90 % of the
  similarity to the case, and leaves 75 % or less to training rows on average.
- **Contradicts**: a value that is rare in the class that is said and common in the other, in a column that the model
  does not use. The sentence at the top says how usual it is that so many contradict.
- **Familiarity** says how much the prototypes have to say about such a case: at 10 %, nine of ten held-out rows are
  more familiar to the model. With low familiarity the estimate falls back on how common the classes are: look twice.
- **What if**: drag a value and see what the model would say. It is a statement about the model, and not about what
  would happen to the case.
- **What would change its mind** looks for the fewest values that would have to be others for the model to say something
  else, among cases that are as familiar to it as one held-out row in five or more. You may lock columns, or let them
  only rise or fall; beside it stands the nearest real case of which that is said, and rightly.
- **SHAP values** lead from the estimate of the case to compare with to that of this case, column by column; they add up
  exactly. A wrong case is compared with a typical one of its own class, until you choose another.
""",
    number_lead=number_case.LEAD,
    number_how_to_read=number_case.HOW_TO_READ,
)

ALIKE = "alike to this case in a column that counts"
SPOKEN = (
    "The model looks at what each value says by itself, its weight of evidence, beside the value: 1 makes odds "
    "2.7 times as high as among all training rows. Cases are near that say the same. Features, Values shows all."
)
MORE_COLUMNS = "List more columns"
ASIDE = "Other columns of this row ({n})"
MIND = "What would change its mind"
LOCKED, RISE, FALL = "These stay", "May only rise", "May only fall"
AIM, ANY_OTHER = "It should say", "any other class"
NO_COLUMN = "no column"


def heading(*, answers: int) -> str:
    """Return the head of the first column, as markup."""
    return f"Values <span>that {'would have to be others' if answers else 'differ in the real case'}</span>"


def differs(many: int, used: int) -> str:
    """Return in how many columns a real case differs."""
    return f"differs in {many:,} of {count_words(used, 'column')}"


def try_it(number: int) -> str:
    """Return what a button says that takes an answer to the sliders."""
    return f"Try {number} in What if"


def open_real(name: str) -> str:
    """Return what a button says that opens the real case."""
    return f"Open {name}"


def mind_note(least: float, *, real: bool) -> str:
    """Return what has to be known of the answers."""
    beside = (
        " The real case is the nearest row of the table that belongs to such a class and of which the model says so; "
        "locks do not count for it."
        if real
        else ""
    )
    return (
        f"Only cases of familiarity {percent(least)} or more count as answers, and only values within the range of the "
        "table. Every value is tried alone, then in pairs, then more at once: of very many, some are left out. It is a "
        f"statement about the model: nobody knows whether the values could change so.{beside}"
    )
