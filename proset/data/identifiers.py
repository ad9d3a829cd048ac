"""Whole numbers that name things: handed out, so that they hardly ever repeat, or called a number or an id."""

from __future__ import annotations

import re

from proset.data.profile import CellKind, Profile

#: Last words of column names that name rows where no two are the same.
ID_NAMES = frozenset({"id", "ids", "identifier", "key", "uuid", "guid", "index", "no", "nr", "number"})

# Words that speak of naming wherever they stand in a column's name.
_NAMING = frozenset(
    {"id", "ids", "identifier", "identification", "uuid", "guid", "ssn", "isbn", "iban", "mrn", "imei", "barcode"}
)
# Last words that speak of numbering, unless what is numbered is a time or a place in a row: there order matters.
_NUMBERING = frozenset({"no", "nr", "number", "nummer", "account"})
_ORDERED = frozenset({"day", "week", "month", "year", "hour", "quarter", "episode", "floor", "visit", "round", "step"})
# Names of amounts: such columns are measured, however rarely a value repeats.
_AMOUNTS = frozenset({
    *("year", "years", "jahr", "age", "time", "timestamp", "day", "days", "month", "week", "date"),
    *("population", "income", "salary", "wage", "price", "cost", "costs", "amount", "balance", "sales", "revenue"),
    *("weight", "height", "length", "width", "depth", "distance", "area", "size", "pressure", "count", "rank"),
})  # fmt: skip

_FEWEST_NAMES = 30
_NEARLY_ALL = 0.9
_MANY = 0.5
_FEWEST_CHANCES = 10.0
_AVOIDED = 0.25


def name_words(name: str) -> list[str]:
    """Split a column name into lower-case words.

    Parameters
    ----------
    name : str
        Such as "customerID", "patient_id" or "Culmen Length (mm)".

    Examples
    --------
    >>> name_words("customerID"), name_words("Culmen Length (mm)")
    (['customer', 'id'], ['culmen', 'length', 'mm'])
    >>> name_words("Kundennummer")
    ['kunden', 'nummer']
    """
    words = (word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", name))
    return [part for word in words for part in re.split(r"(?<=.)(?=nummer$)", word)]


def is_amount(name: str) -> bool:
    """Say whether a column's name speaks of an amount or a time.

    Examples
    --------
    >>> is_amount("Total Income"), is_amount("price_id"), is_amount("income_per_head")
    (True, False, True)
    """
    words = name_words(name)
    return bool(_AMOUNTS & set(words)) and not _is_named(words)


def numbering(profile: Profile) -> str | None:
    """Say why whole numbers name things instead of measuring them; None where nothing speaks for it.

    Two things count. One is the name. The other: n values drawn independently from a range of R whole numbers meet
    about n squared / 2R times, and more often where some values are likelier than others. Numbers that were handed out
    meet far less often than that, measured ones do not.

    Returns
    -------
    str or None
        One short sentence.

    Examples
    --------
    >>> numbering(Profile("hospital_number", CellKind.NUMBER, 300, 0, 284, low=518476.0, high=5305629.0, whole=True))
    'Named like an id or a number: it names things (284 different ones in 300 rows), it measures nothing.'
    >>> numbering(Profile("population", CellKind.NUMBER, 300, 0, 284, low=476.0, high=5305629.0, whole=True)) is None
    True
    """
    if profile.kind is not CellKind.NUMBER or not profile.whole or profile.in_grid or is_amount(profile.name):
        return None
    if profile.n_distinct <= _FEWEST_NAMES or profile.n_distinct < _MANY * profile.n_present:
        return None
    if _is_named(name_words(profile.name)):
        return (
            f"Named like an id or a number: it names things ({profile.n_distinct:,} different ones in"
            f" {profile.n_present:,} rows), it measures nothing."
        )
    chances = profile.n_present**2 / (2.0 * (profile.high - profile.low + 1.0))
    met = profile.n_present - profile.n_distinct
    handed_out = chances >= _FEWEST_CHANCES and met <= _AVOIDED * chances
    if handed_out and profile.n_distinct >= _NEARLY_ALL * profile.n_present:
        return "Whole numbers that repeat far less often than amounts of this range would: they were handed out."
    return None


def is_nearly_unique(profile: Profile) -> bool:
    """Say whether at least nine in ten filled cells differ, so that a value finds a row.

    Examples
    --------
    >>> is_nearly_unique(Profile("number", CellKind.NUMBER, 300, 0, 284))
    True
    """
    return profile.n_distinct >= _NEARLY_ALL * profile.n_present


def _is_named(words: list[str]) -> bool:
    """Say whether the words of a name speak of naming or numbering things."""
    if not words:
        return False
    numbered = words[-1] in _NUMBERING and not _ORDERED & set(words[-2:-1])
    return numbered or words[-1] in _NAMING or bool((_NAMING - {"id", "ids"}) & set(words))
