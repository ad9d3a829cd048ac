"""Texts on pairs of columns that work together."""

from __future__ import annotations

HOW = (
    "Both columns of a pair are changed from those of one other case to those of the row. The votes of the prototypes "
    "for each class that the two changes bring together, more or less than both bring alone, are their interaction "
    "(Shapley interaction index: exact, averaged over what the other columns are). It is about votes before they are "
    "divided by their sum, and not about causes."
)
TOO_MANY = "The model uses {columns}, which are {pairs} pairs: too many to go through here."
OF_CASE = "Columns that work together here"
COLUMNS, HERE, THERE, VOTES = "Two columns", "This case", "Compared with", "Votes"
CASE_HOW = (
    "Votes {votes} that the two values bring together, more or less than both bring alone, where they take the place "
    "of those of {reference}: exact, averaged over what the other columns are. This case has {here} of these votes in "
    "all, {reference} {there}; the class shares weigh as much as one.{more}"
)
CASE_ALT = "Pairs of columns with their values here and there, and the votes that they bring together."
NONE_OF_CASE = "No two values of this case bring votes together, more or less than both bring alone."


def votes_words(label: str, against: str | None) -> str:
    """Say of whose votes numbers are."""
    return f"for '{label}'" if against is None else f"for '{label}' less those for '{against}'"
