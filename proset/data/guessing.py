"""Guess the role of a column from its profile and its name; the rules in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Mapping

from proset.common.words import shown
from proset.data.identifiers import ID_NAMES, is_amount, is_nearly_unique, name_words, numbering
from proset.data.issues import Role
from proset.data.profile import CellKind, Profile
from proset.data.target import FEWEST_CLASS_ROWS

#: Names of columns that are likely to be the target, the likeliest first.
TARGET_NAMES = (
    *("target", "class", "label", "y", "outcome", "species", "diagnosis", "survived", "churn", "attrition", "default"),
    *("response", "fraud", "variety", "disease", "quality"),
)
_CODE_NAMES = frozenset({"type", "kind", "code", "category", "class", "group", "cluster", "region", "zone", "zip"})

_FEW_LEVELS = 10
#: Whole numbers with more different values than this are amounts, or names of single things, not codes.
MOST_CODES = 30
_LONG_TEXT = 50.0
_MANY_WORDS = 4.0


def guess_feature(profile: Profile) -> tuple[Role, str]:
    """Guess what a column is for, other than the target.

    Returns
    -------
    role : Role
        Never TARGET. IDENTIFIER may come out for several columns; see :func:`best_identifier`.
    reason : str
        One short sentence.
    """
    if profile.kind is CellKind.EMPTY:
        return Role.EXTRA, "It holds nothing."
    if profile.in_grid:
        return Role.NUMERIC, "A pixel of the image."
    if profile.n_distinct == 1:
        return Role.EXTRA, "All cells are the same, so it tells no rows apart."
    if profile.kind is CellKind.DATE:
        return Role.DATE, "All cells are dates."
    if profile.kind is CellKind.TRUTH:
        return Role.BOOLEAN, "Two answers such as yes and no."
    return _guess_number(profile) if profile.kind is CellKind.NUMBER else _guess_text(profile)


def _guess_number(profile: Profile) -> tuple[Role, str]:
    """Numbers: identifier, truth value, code or quantity."""
    words = name_words(profile.name)
    named_id = bool(words) and words[-1] in ID_NAMES
    if profile.whole and profile.n_rows > _FEW_LEVELS:
        like_rows = (profile.gapless or profile.increasing) and not is_amount(profile.name)
        if profile.unique and (named_id or like_rows):
            return Role.IDENTIFIER, "A different whole number in every row, like a row number."
        why = numbering(profile)
        if why is not None:
            return Role.IDENTIFIER if is_nearly_unique(profile) else Role.EXTRA, why
        if named_id and words[-1] == "id" and profile.n_distinct > MOST_CODES:
            return Role.EXTRA, "Named like an id but repeated: it names things, it measures nothing."
    if (profile.n_distinct, profile.low, profile.high) == (2, 0.0, 1.0):
        return Role.BOOLEAN, "Only 0 and 1."
    if profile.whole and profile.n_distinct == 2:
        return Role.CATEGORICAL, "Two whole numbers, which act as names."
    if profile.whole and profile.n_distinct <= MOST_CODES and _CODE_NAMES & set(words):
        return Role.CATEGORICAL, f"{profile.n_distinct} whole numbers under a name that speaks of kinds, not amounts."
    if profile.whole and profile.n_distinct <= _FEW_LEVELS:
        return (
            Role.NUMERIC,
            f"{profile.n_distinct} whole numbers; most such columns are counts or grades, where order matters.",
        )
    return Role.NUMERIC, "Numbers, stored as text." if profile.stored_as_text else "Numbers."


def _guess_text(profile: Profile) -> tuple[Role, str]:
    """Text: identifier, category or free text."""
    rows_per_level = profile.n_present / profile.n_distinct
    long = profile.length > _LONG_TEXT or profile.words >= _MANY_WORDS
    if profile.odd_word is not None and profile.n_distinct > _FEW_LEVELS:
        return Role.TEXT, f"Mostly numbers, but row {profile.odd_row} holds '{shown(profile.odd_word, 40)}'."
    if profile.unique and profile.n_rows > _FEW_LEVELS and not long:
        return Role.IDENTIFIER, "A different text in every row."
    if long and (rows_per_level < 20.0 or profile.length > 2.0 * _LONG_TEXT):
        return Role.TEXT, "Long text."
    if profile.n_distinct > _FEW_LEVELS and rows_per_level < 5.0:
        return (
            Role.TEXT,
            f"{profile.n_distinct:,} different texts in {profile.n_present:,} rows are too many for categories.",
        )
    return Role.CATEGORICAL, f"Text with {profile.n_distinct:,} different values."


def best_identifier(profiles: Mapping[str, Profile], candidates: list[str]) -> str | None:
    """Choose the column that names the rows.

    Parameters
    ----------
    candidates : list of str
        Columns that differ in every row, or nearly so, in table order.

    Returns
    -------
    str or None
        Of those that differ in every row, if there are any, the first one named like an id, else the first text without
        blanks, else the first text, else the first one.
    """

    def rank(name: str) -> tuple[bool, bool, bool, bool]:
        profile = profiles[name]
        return (
            not profile.unique,
            not ID_NAMES.intersection(name_words(name)[-1:]),
            profile.words == 0.0,
            profile.words > 1.0,
        )

    return min(candidates, key=rank, default=None)


def is_quantity(profile: Profile) -> bool:
    """Say whether a column measures an amount and therefore cannot be a target of classes.

    Returns
    -------
    bool
        True for numbers with more than ten different values, if some are not whole, more than thirty differ or the
        rarest has too few rows to be a class. Dates count as quantities, too.
    """
    if profile.kind is CellKind.DATE:
        return True
    if profile.kind is not CellKind.NUMBER or profile.n_distinct <= _FEW_LEVELS:
        return False
    return not profile.whole or profile.n_distinct > MOST_CODES or profile.rarest < FEWEST_CLASS_ROWS


def guess_target(profiles: Mapping[str, Profile]) -> tuple[str | None, str]:
    """Guess which column holds the classes.

    Parameters
    ----------
    profiles : mapping of str to Profile
        Facts per column, in table order.

    Returns
    -------
    column : str or None
        A column with a telling name, else the last one if it has few levels, else None.
    reason : str
        One short sentence.
    """
    usable = [name for name, profile in profiles.items() if _may_be_target(profile)]
    for wanted in TARGET_NAMES:
        for name in usable:
            if name.strip().lower() == wanted:
                return name, "Its name says so."
    last = list(profiles)[-1] if profiles else ""
    # An energy class among the facts about a house, with its price at the end, is as likely to be one of the facts.
    amount = last and profiles[last].kind is CellKind.NUMBER and is_quantity(profiles[last])
    by_amount = _CODE_NAMES if amount else ()
    for wanted in TARGET_NAMES[:-1]:
        for name in usable:
            if name_words(name)[-1:] == [wanted] and wanted not in by_amount:
                return name, "Its name ends like that of a target."
    if last in usable and profiles[last].n_distinct <= _FEW_LEVELS:
        return last, f"The last column, with {profiles[last].n_distinct} different values."
    return None, "No column stands out as the target."


def _may_be_target(profile: Profile) -> bool:
    """Two to fifty classes with some rows each, mostly present, and no pixel."""
    few = 2 <= profile.n_distinct <= 50 and profile.n_present >= 2 * profile.n_distinct
    return few and not profile.in_grid and not is_quantity(profile) and profile.n_missing <= profile.n_rows / 2
