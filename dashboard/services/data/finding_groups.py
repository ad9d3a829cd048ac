"""Findings of one kind about many columns, taken together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proset.data.issues import Issue, Role, Severity
from proset.data.roles import Roles

FEWEST_IN_GROUP = 3

# What is said of several columns, by the code of the finding; others are always shown one by one.
_WORDS = {
    "few_numbers": "{n} columns of whole numbers with few values. If these are codes without an order, use them as"
    " categorical.",
    "mostly_missing": "{n} columns are missing in more than half of the rows.",
    "many_levels": "{n} categories have very many different values.",
    "constant": "{n} columns hold one value only, so they tell no rows apart.",
}


@dataclass(frozen=True)
class FindingGroup:
    """Several findings that one click can follow.

    Attributes
    ----------
    code : str
        Their kind.
    role : Role
        The role that all of them suggest.
    severity : Severity
        The worst of theirs.
    message : str
        Plain words about all of them.
    issues : tuple of Issue
        The findings.
    """

    code: str
    role: Role
    severity: Severity
    message: str
    issues: tuple[Issue, ...]


def can_apply(issue: Issue, roles: Roles) -> bool:
    """Tell whether one click can follow the suggestion; another target is for a person to choose."""
    return issue.suggested_role is not None and issue.column not in (None, roles.target)


def group_findings(issues: Sequence[Issue], roles: Roles) -> tuple[list[FindingGroup], list[Issue]]:
    """Take findings of one kind together where at least three columns have them.

    Returns
    -------
    groups : list of FindingGroup
        In the order of their first finding.
    others : list of Issue
        Those in no group, in their order.

    Examples
    --------
    >>> codes = [Issue("few_numbers", "...", f"x{i}", suggested_role=Role.CATEGORICAL) for i in range(12)]
    >>> groups, others = group_findings(codes, Roles({}))
    >>> groups[0].message[:40], len(groups[0].issues), others
    ('12 columns of whole numbers with few val', 12, [])
    """
    kinds: dict[tuple[str, Role], list[Issue]] = {}
    for issue in issues:
        if issue.code in _WORDS and issue.suggested_role is not None and can_apply(issue, roles):
            kinds.setdefault((issue.code, issue.suggested_role), []).append(issue)
    groups = [
        FindingGroup(code, role, members[0].severity, _WORDS[code].format(n=f"{len(members):,}"), tuple(members))
        for (code, role), members in kinds.items()
        if len(members) >= FEWEST_IN_GROUP
    ]
    grouped = {issue for group in groups for issue in group.issues}
    return groups, [issue for issue in issues if issue not in grouped]
