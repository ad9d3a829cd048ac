"""The Map page of a model of a number: what it says."""

from __future__ import annotations

LEAD = "Which cases does the model see as alike, and what does it say of them?"
HOW_TO_READ = """
Each dot is a row, each square a **prototype**, the heavier the larger. Cases that the model finds alike lie close
together: a centimetre means the same upwards and sideways, unless a line below says otherwise, and distances use only
the columns that the batch weighs, by as much as it weighs them. Where a batch uses just two columns, they are the axes
themselves.

- **Colour** follows the number that is chosen, the stronger the more. With *median* and *actual* the colour of a
  prototype is its own number.
- **Small** dots have a wide interval: the model is less sure of them.
- **Level lines** join spots of equal medians on one plane, that of a typical row. A row that differs from it in a
  direction the map leaves out may have another median than the lines around it; a sentence below says by how much rows
  do.
- **Click a mark** to select the case; the diamond shows it. **Draw a loop** with the lasso in the tool bar: the rows
  inside become the list that the Case page walks through.
- A flat map cannot show everything. The share at each axis says how much of the spread of the prototypes it carries;
  two cases that look close may differ in a direction the map leaves out.
"""
COLOURS = {
    "median": "Colour: median",
    "actual": "Colour: actual number",
    "width": "Colour: width of 90 %",
    "quantile": "Colour: familiarity",
}
LINES = "Level lines"
LINES_HELP = (
    "Lines of equal medians, all over the map, on the one plane that goes through a typical training row. None where "
    "the model knows next to nothing."
)
NO_LINES = "There are no level lines here: the map has a single direction, or one of its axes is a category."
BRIGHT = "Strong marks: {rows}; the marks of all others are faded."
SMALL = "The smaller a dot, the wider its interval of 90 %."
