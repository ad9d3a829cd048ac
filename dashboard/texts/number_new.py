"""The New data page of a model of a number: what it says."""

from __future__ import annotations

LEAD = "What does the model say of new rows, how sure is it, and which should a person look at first?"
HOW_TO_READ = """
Each mark is a row of your file: upwards the median that the model states for it, the stroke its 90 %; to the right the
more familiar, as a place among the held-out rows: at 5 %, only one in twenty held-out rows is as unfamiliar.

- **Familiarity** says how much the prototypes say about the row. With little of it the answer falls back on what
  everybody has, and its interval becomes as wide.
- **Nearness** says how much the row is like the most similar row that the model has learned from, in all columns,
  also those that the model does not look at: a row that is unusual there may belong to another kind of case.
- **Drift**: if the new rows were drawn as the held-out ones, they would be spread over these places as those are
  (dotted). The sentence above the lower figure says whether they are, with a test at 1 % for all of its questions
  together.
- If the file holds the target, small marks show the actual numbers, and a line says how far off the model was, and how
  many of them lay in its intervals.
- A missing column that the model uses is named, and nothing is estimated without it. Where cells had to be
  filled in, a mark stands under *Note*; selecting the row says which.
"""
ORDERS = {
    "familiarity": "Least familiar first",
    "nearness": "Farthest from known cases first",
    "width": "Widest interval first",
    "high": "Largest median first",
    "low": "Smallest median first",
    "error": "Farthest off first",
    "file": "As in the file",
}
"""Orders of the list, by the name in the address."""
NO_ROW = "**No row selected.** Click a mark, or tick a line of the list."
NEARNESS_HELP = "Share of held-out rows that are no nearer to a known case, in all columns."
TOO_MANY = (
    "The rows are too many to compare each with all known cases here; 'proset score MODEL FILE --novelty' does that."
)
