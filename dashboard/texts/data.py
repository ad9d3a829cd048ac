"""The Data page: what it says, and what the roles mean."""

from __future__ import annotations

from dashboard.texts.common import PageText
from proset.data.issues import Role

PAGE = PageText(
    menu="Data",
    icon=":material/table_chart:",
    title="Data",
    lead="Which cases should the model learn from, and what should it learn to tell apart?",
    number_lead="Which cases should the model learn from, and which number should it state?",
    how_to_read="""
Each **row** is one case and each **column** one thing known about it. One column, the **target**, says which class a
case belongs to; the model learns to estimate it from the others.

- **Role** says how a column is used. *Numeric*, *categorical*, *boolean* and *date* columns go into the model.
  An *identifier* is used only to find a case again. *Text* and *extra* columns are kept and shown, never learned from.
- **Findings** are things worth a look before fitting: a column that gives the answer away, one with mostly missing
  values, one that is different in every row. Leaks come
  first, then rows that belong together or follow one another. Each names a role that would settle it; you decide.
- **Missing values** in a feature are filled with a typical value, and every page says where that happened. Rows
  without a target are set aside: they are not learned from, but the model still gives an estimate for them.
- **Classes**: a target of numbers or dates is taken as ranges. Classes can be renamed, joined, set aside and ordered;
  rows of a class that is set aside count as rows without a target.
- **The table of columns** shows each one on its own, the closest to the target first.
  Held-out rows are left out of its figures, so that nobody
  chooses columns by rows that are meant for judging.
- **Held-out rows** are kept back while learning, so that the model can be judged on cases it has never seen.
""",
    number_how_to_read="""
Each **row** is one case and each **column** one thing known about it. One column, the **target**, holds the number that
the model learns to state from the others: about how much, and how sure.

- **Take it as** says whether the target is a number or cut into ranges. Of a number the model states a distribution, of
  ranges how likely each is.
- **Role** says how a column is used. *Numeric*, *categorical*, *boolean* and *date* columns go into the model.
  An *identifier* is used only to find a case again. *Text* and *extra* columns are kept and shown, never learned from.
- **Findings** are things worth a look before fitting: a column that gives the number away, one with mostly missing
  values, one that is different in every row, rows that belong together or follow one another. To compare columns with
  the number, its rows are parted into **thirds**: low, middle and high numbers. Equal numbers stay together, so that
  there may be fewer parts, or unequal ones.
- **Missing values** in a feature are filled with a typical value, and every page says where that happened. Rows
  without a number are set aside: they are not learned from, but the model still gives an answer for them.
- **Held-out rows** are kept back while learning, so that the model can be judged on cases it has never seen. Low,
  middle and high numbers give the same share of them, unless groups or time decide.
""",
)

ROLE_HELP: dict[Role, str] = {
    Role.TARGET: "the class to estimate",
    Role.IDENTIFIER: "names the case, not learned from",
    Role.NUMERIC: "a number, learned from",
    Role.CATEGORICAL: "one of a few values, learned from",
    Role.BOOLEAN: "yes or no, learned from",
    Role.DATE: "a day or time, learned from",
    Role.TEXT: "words, shown only",
    Role.EXTRA: "shown only",
}

RELATION_HELP = (
    "How much of the uncertainty about the class this column takes away on its own: the share of the log-loss that a"
    " model of this column alone saves over stating how common the classes are, on training rows that it was not fitted"
    " to. 0 %: nothing, 100 %: everything. A column can say more together with others."
)
