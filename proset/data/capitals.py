"""Classes and categories that differ only in capitals: they stay apart, which is seldom what was meant."""

from __future__ import annotations

from collections.abc import Iterable

from proset.common.words import count_words, listed, shown
from proset.data.issues import Issue, Role, Severity
from proset.data.profile import Profile

CAPITALS = "capitals"
"""Code of the finding."""


def spelled_alike(words: Iterable[str]) -> list[list[str]]:
    """Return the words that differ only in capitals, those that are alike together.

    Examples
    --------
    >>> spelled_alike(["oak", "elm", "Oak"])
    [['Oak', 'oak']]
    """
    alike: dict[str, list[str]] = {}
    for word in words:
        alike.setdefault(word.lower(), []).append(word)
    return sorted(sorted(several) for several in alike.values() if len(several) > 1)


def capital_issues(profile: Profile, role: Role) -> list[Issue]:
    """Ask whether words that differ only in capitals are meant to be one; a truth value takes them for one anyway.

    Examples
    --------
    >>> import pandas as pd
    >>> from proset.data.profile import profile_column
    >>> kinds = profile_column(pd.Series(["Oak", "oak", "elm", "elm"], name="kind"))
    >>> capital_issues(kinds, Role.TARGET)[0].message
    "'Oak', 'oak' of the target 'kind' differ only in capitals and are different classes. If they are one, join them."
    """
    if role not in (Role.TARGET, Role.CATEGORICAL) or profile.counts is None:
        return []
    several = spelled_alike(map(str, profile.counts.index))
    if not several:
        return []
    target = role is Role.TARGET
    whose = f"of {'the target ' if target else ''}'{shown(profile.name)}'"
    what = "are different classes" if target else "count as different values"
    more = ""
    if len(several) > 1:
        others = count_words(len(several) - 1, "other word")
        more = f" {others} {'is' if len(several) == 2 else 'are'} spelled in several ways, too."
    way_out = "join them" if target else "spell them alike in the file"
    return [
        Issue(
            CAPITALS,
            f"{listed(several[0])} {whose} differ only in capitals and {what}.{more} If they are one, {way_out}.",
            column=profile.name,
            severity=Severity.WARNING if target else Severity.INFO,
        )
    ]
