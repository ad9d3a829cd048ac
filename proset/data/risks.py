"""Findings ranked by what they can spoil: one order for pages, the command line and reports."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from proset.data.capitals import CAPITALS
from proset.data.issues import Issue, Severity
from proset.data.row_order import SORTED_ROWS
from proset.data.split_candidates import DIVIDED, REPEATED, ROW_ORDER


class Risk(IntEnum):
    """Ranks of findings, the worst first."""

    BLOCKS = 0  # nothing can be fitted
    LEAK = 1  # a column gives the target away
    DEPENDENCE = 2  # rows belong together, or follow one another in time
    FEW_ROWS = 3
    MISSING = 4
    COSMETIC = 5


_RANKS = {
    **dict.fromkeys(
        ("target_copy", "target_near_copy", "target_ranges", "lone_column", "strong_column", "filled_for_one_class"),
        Risk.LEAK,
    ),
    **dict.fromkeys((REPEATED, DIVIDED, ROW_ORDER, "duplicate_rows"), Risk.DEPENDENCE),
    **dict.fromkeys(("small_class", "imbalanced", CAPITALS), Risk.FEW_ROWS),
    **dict.fromkeys(
        (
            "target_missing",
            "mostly_missing",
            "missing_markers",
            "kept_marker",
            "blank_values",
            "infinite",
            "stray_text",
            "words_among_numbers",
        ),
        Risk.MISSING,
    ),
    SORTED_ROWS: Risk.COSMETIC,
}
_SEVERITIES = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def rank(issue: Issue) -> Risk:
    """Return what a finding can spoil.

    Examples
    --------
    >>> rank(Issue("lone_column", "...", "code")), rank(Issue("few_numbers", "...", "ward", Severity.INFO))
    (<Risk.LEAK: 1>, <Risk.COSMETIC: 5>)
    """
    return Risk.BLOCKS if issue.severity is Severity.ERROR else _RANKS.get(issue.code, Risk.COSMETIC)


def stays_open(issue: Issue) -> bool:
    """Tell whether a finding is never folded away, however many there are.

    Examples
    --------
    >>> stays_open(Issue("lone_column", "...", "code")), stays_open(Issue("constant", "...", "unit"))
    (True, False)
    """
    leaks = rank(issue) is Risk.LEAK and issue.severity is not Severity.INFO  # else it is not learned from
    return leaks or rank(issue) in (Risk.BLOCKS, Risk.DEPENDENCE)


def worst_first(issues: Iterable[Issue]) -> list[Issue]:
    """Sort findings by rank, within a rank by severity, otherwise as they stand.

    Examples
    --------
    >>> [issue.code for issue in worst_first([Issue("constant", "..."), Issue("lone_column", "...")])]
    ['lone_column', 'constant']
    """
    return sorted(issues, key=lambda issue: (rank(issue), _SEVERITIES.index(issue.severity)))


def flattering(issues: Iterable[Issue]) -> list[Issue]:
    """Return the findings that make measures look better than they are: leaks, groups and time, the worst first.

    What is only good to know is left out: a column that is not learned from gives nothing away.
    """
    ranks = (Risk.LEAK, Risk.DEPENDENCE)
    return [issue for issue in worst_first(issues) if rank(issue) in ranks and issue.severity is not Severity.INFO]
