"""Columns by which rows may have to be split: what names the same thing in several rows, and what says when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import pandas as pd

from proset.common.words import shown
from proset.data.cells import read_words
from proset.data.identifiers import name_words
from proset.data.issues import Issue, Role, Severity
from proset.data.profile import CellKind, Profile
from proset.data.split_columns import group_codes

_IDENTIFIERS = frozenset({"id", "ids", "identifier", "uuid", "guid"})
_NUMBERS = frozenset({"no", "nr", "num", "number", "nummer", "code", "key", "name", "ref", "reference"})
_WHO = frozenset({
    "customer", "client", "patient", "subject", "person", "user", "member", "household", "family", "student", "pupil",
    "employee", "participant", "respondent", "donor", "account", "vehicle", "machine", "device", "sensor", "animal",
    "company", "kunde", "kundin", "kunden", "patientin", "patienten", "mitglied", "mitglieds", "personal",
    "mitarbeiter", "haushalt", "haushalts", "konto", "gerät", "geräte", "maschine", "maschinen", "fahrzeug",
})  # fmt: skip
TIMES = frozenset({"date", "day", "time", "timestamp", "year", "month", "week", "quarter", "period", "when", "datum"})

REPEATED, DIVIDED, ROW_ORDER = "repeated_identifier", "divided_identifier", "row_order"
"""Codes of the findings: whether rows should stay together is open; another column keeps rows together, not these;
neighbouring rows are alike."""

_FEWEST_VALUES = 10
_MOST_DISTINCT = 0.95
_MOST_ASKED = 2


def repeated_identifiers(profiles: Mapping[str, Profile], roles: Mapping[str, Role]) -> tuple[str, ...]:
    """List columns that name somebody or something, and name some of them in several rows.

    Parameters
    ----------
    roles : mapping of str to Role
        A role per column.

    Returns
    -------
    tuple of str
        The column with the role identifier if it repeats, then those that are called like an identifier or like who
        has one, in table order.

    Examples
    --------
    >>> from proset.data.profile import profile_column
    >>> column = pd.Series([f"C{row // 4}" for row in range(80)], name="customer")
    >>> repeated_identifiers({"customer": profile_column(column)}, {"customer": Role.TEXT})
    ('customer',)
    """
    chosen = [name for name, role in roles.items() if role is Role.IDENTIFIER and _repeats(profiles[name], 1.0)]
    named = [
        name
        for name, profile in profiles.items()
        if name not in chosen and roles[name] is not Role.TARGET and _is_somebody(name, profile)
    ]
    return (*chosen, *named)


def _is_somebody(name: str, profile: Profile) -> bool:
    """Tell whether a column is called like who has several rows, and has them."""
    return (
        _names_somebody(name)
        and (profile.kind is CellKind.TEXT or profile.whole)
        and profile.n_distinct >= _FEWEST_VALUES
        and _repeats(profile, _MOST_DISTINCT)
    )


def repetition_issues(profiles: Mapping[str, Profile], roles: Mapping[str, Role]) -> list[Issue]:
    """Ask whether rows that name the same thing should stay together."""
    issues = []
    for name in repeated_identifiers(profiles, roles)[:_MOST_ASKED]:
        profile, label = profiles[name], shown(name)
        issues.append(
            Issue(
                REPEATED,
                f"'{label}' repeats: {profile.n_distinct:,} values in {profile.n_present:,} rows. Keep its rows"
                " together? Else held-out rows may be no fair test.",
                column=name,
            )
        )
    return issues


def still_asked(
    issues: Iterable[Issue], frame: pd.DataFrame, groups: str | None, *, by_time: bool = False
) -> Iterator[Issue]:
    """Leave out of findings what the split has answered.

    Parameters
    ----------
    issues : iterable of Issue
        What a review found.
    groups : str or None
        The column by which the split keeps rows together.
    by_time : bool
        Whether the split holds out the latest rows.

    Yields
    ------
    Issue
        All others. Nobody is asked about a column whose rows are kept together; of another one that repeats it is
        only said that they are not.

    Examples
    --------
    >>> frame = pd.DataFrame({"ward": [1, 1, 2, 2], "patient": ["a", "a", "b", "c"], "doctor": ["x", "y", "x", "y"]})
    >>> asked = [Issue(REPEATED, "...", column) for column in frame]
    >>> [issue.column for issue in still_asked(asked, frame, None)]
    ['ward', 'patient', 'doctor']
    >>> [(issue.code, issue.column) for issue in still_asked(asked, frame, "ward")]
    [('divided_identifier', 'doctor')]
    """
    kept = groups if groups in frame.columns else None
    for issue in issues:
        if issue.code == ROW_ORDER:
            if not by_time and (kept is None or not _are_blocks(frame[kept])):
                yield issue
        elif issue.code != REPEATED or kept is None or issue.column is None:
            yield issue
        elif not _kept_together(frame[issue.column], frame[kept]):
            yield Issue(
                DIVIDED,
                f"'{shown(issue.column)}' repeats, and the split keeps rows together by '{shown(kept)}': rows with the"
                f" same '{shown(issue.column)}' may be on both sides.",
                column=issue.column,
                severity=Severity.INFO,
            )


def _are_blocks(groups: pd.Series) -> bool:
    """Tell whether the rows of each group follow one another, so that most neighbours stay together."""
    codes = group_codes(groups)
    return int((codes[1:] != codes[:-1]).sum()) == int(codes.max(initial=0))


def _kept_together(names: pd.Series, groups: pd.Series) -> bool:
    """Tell whether all rows of each name are in one group."""
    words = read_words(names)
    known = words.notna().to_numpy()
    pairs = pd.DataFrame({"name": words[known].to_numpy(dtype=object), "group": group_codes(groups)[known]})
    return len(pairs.drop_duplicates()) == pairs["name"].nunique()


def group_candidates(profiles: Mapping[str, Profile], roles: Mapping[str, Role]) -> tuple[str, ...]:
    """List columns that may say which rows belong together, the likeliest first, then all others that repeat."""
    first = repeated_identifiers(profiles, roles)
    rest = [
        name
        for name, profile in profiles.items()
        if name not in first and roles[name] is not Role.TARGET and not profile.in_grid and _repeats(profile, 1.0)
    ]
    likely = (Role.IDENTIFIER, Role.TEXT, Role.EXTRA, Role.CATEGORICAL)
    return (*first, *sorted(rest, key=lambda name: roles[name] not in likely))


def time_candidates(profiles: Mapping[str, Profile], roles: Mapping[str, Role]) -> tuple[str, ...]:
    """List columns that may say when a row was: dates, then numbers called like a time, then all other numbers."""
    usable = {
        name: profile
        for name, profile in profiles.items()
        if roles[name] is not Role.TARGET and not profile.in_grid and profile.n_distinct > 1
    }
    dates = [name for name, profile in usable.items() if profile.kind is CellKind.DATE]
    numbers = [name for name, profile in usable.items() if profile.kind is CellKind.NUMBER]
    return (*dates, *sorted(numbers, key=lambda name: not TIMES & set(name_words(name))))


def _names_somebody(name: str) -> bool:
    """Tell whether a column is called like an identifier, or like who has one."""
    words = name_words(name)
    if not words:
        return False
    last, before = words[-1], words[:-1]
    # "customer", but not "years per customer"; "customer no", but not "calls no".
    return last in _IDENTIFIERS or (last in _WHO and not before) or (last in _NUMBERS and bool(_WHO & set(before)))


def _repeats(profile: Profile, most: float) -> bool:
    """Tell whether some values stand in several rows, and not all rows have the same."""
    return 1 < profile.n_distinct < profile.n_present and profile.n_distinct <= most * profile.n_present
